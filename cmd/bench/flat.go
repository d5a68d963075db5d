//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"signalbox/backend/agent/agenttest/fake"
)

// flatOut is how many CLI lines a second are translated, logged and delivered to
// n clients, in turn with what bare sockets carry of the same size. Pieces of text
// are joined on their way into fewer events: what counts is the lines whose
// content a client has.
func flatOut(n int) func(*bench, context.Context) error {
	return func(b *bench, ctx context.Context) error {
		return b.product(ctx, b.dir, "flat", func() error { return b.flatOutTo(ctx, n) })
	}
}

func (b *bench) flatOutTo(ctx context.Context, n int) error {
	const lines = 36_000
	texts, _, err := standInLines(ctx, b.bin.agent, parsedLines)
	if err != nil {
		return err
	}
	var decoded, speed, cpu, rest, each, carried, bytes, bare, batched samples
	before, err := residentMB(b.pid())
	if err != nil {
		return err
	}
	for range b.opts.rounds {
		var fs follows
		var took time.Duration
		used, err := b.cpu(func() (err error) {
			fs, took, err = b.watchRun(ctx, fake.Script{Lines: lines}, n)
			return err
		})
		if err != nil {
			return err
		}
		speed = append(speed, rate(lines, took))
		cpu = append(cpu, used/lines)
		if n == 1 {
			more, err := b.cpuToRest(ctx)
			if err != nil {
				return err
			}
			rest = append(rest, (used+more)/lines)
		}
		each = append(each, used/float64(lines*n))
		carried = append(carried, rate(lines*n, took))
		bytes = append(bytes, float64(fs[0].bytes)/lines)

		limit := bareServer{mode: bareTCP, clients: n, events: 40_000/(n+1) + 100, size: int(fs[0].bytes) / lines}
		tcp, err := limit.run(ctx)
		if err != nil {
			return err
		}
		limit.mode = bareBatched
		limit.events *= 8
		ws, err := limit.run(ctx)
		if err != nil {
			return err
		}
		d, err := decode(texts, newSomeFields)
		if err != nil {
			return err
		}
		decoded = append(decoded, d)
		bare, batched = append(bare, tcp.rate), append(batched, ws.rate)
	}
	name := "flat out, " + clients(n)
	b.rep.add(name, "CLI lines/s", speed)
	b.rep.add(name+", daemon", "us CPU/line", cpu)
	if n == 1 {
		b.rep.add(name+", daemon, until all of it can be searched", "us CPU/line", rest)
	}
	b.rep.addRatio(name+", daemon, beside decoding", "us CPU/line", cpu, "encoding/json of the same lines", decoded)
	b.rep.add(name+", daemon, a delivery", "us CPU", each)
	b.rep.addRatio(name+", lines delivered", "lines/s", carried, "bare TCP, a write an event", bare)
	b.rep.addRatio(name+", lines delivered, batched", "lines/s", carried, "bare WebSocket, 64 events a message", batched)
	b.rep.add(name+", on the wire", "B/line", bytes)
	if n == 1 {
		after, err := residentMB(b.pid())
		if err != nil {
			return err
		}
		b.rep.add("memory that flat-out runs of "+fmt.Sprint(b.opts.rounds*lines)+" lines leave", "MB", samples{after - before})
	}
	return nil
}

// cpuToRest returns the processor time in microseconds that the daemon takes from
// now on for what it does behind a run: it reads what was said into its index.
func (b *bench) cpuToRest(ctx context.Context) (float64, error) {
	before, err := cpuTime(b.pid())
	if err != nil {
		return 0, err
	}
	const step = 500 * time.Millisecond
	for last, still := before, 0; still < 4; {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(step):
		}
		now, err := cpuTime(b.pid())
		if err != nil {
			return 0, err
		}
		still++
		if now-last > step/20 {
			still = 0
		}
		last = now
	}
	after, err := cpuTime(b.pid())
	return float64(after-before) / float64(time.Microsecond), err
}
