//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/wire"
)

// kill ends the daemon by SIGKILL in the middle of a run, tears the last line of
// the log, and starts it again: a client that goes on where it was must have
// every event once and the run's one end.
func (b *bench) kill(ctx context.Context) error {
	return b.product(ctx, b.dir, "kill", func() error {
		var up, back samples
		for range b.opts.rounds {
			u, r, err := b.killed(ctx)
			if err != nil {
				return err
			}
			up, back = append(up, ms(u)), append(back, ms(r))
		}
		b.rep.add("start after kill -9 in mid-run", "ms", up)
		b.rep.add("from that start to a client that has all, and the run's end", "ms", back)
		return nil
	})
}

func (b *bench) killed(ctx context.Context) (up, back time.Duration, err error) {
	chat, err := b.chat(ctx)
	if err != nil {
		return 0, 0, err
	}
	fs, err := b.watchAll(ctx, chat, 1)
	if err != nil {
		return 0, 0, err
	}
	defer fs.close()
	if err := b.play(fake.Script{Lines: 1_000_000, Rate: 5000}); err != nil {
		return 0, 0, err
	}
	if err := b.prompt(ctx, chat); err != nil {
		return 0, 0, err
	}
	f := fs[0]
	f.sum = fnv.New64a()
	if err := f.until(ctx, 500); err != nil {
		return 0, 0, err
	}
	if err := b.d.kill(); err != nil {
		return 0, 0, err
	}
	for err == nil { // what was still under way to it
		err = f.next(ctx)
	}
	if f.fault != nil {
		return 0, 0, f.fault
	}
	acknowledged, sum := f.seen.last, f.sum.Sum64()
	if err := tear(filepath.Join(b.data, "chats", string(chat), "events.jsonl")); err != nil {
		return 0, 0, err
	}
	if b.d, err = b.start(ctx, b.d.user.cookie); err != nil {
		return 0, 0, err
	}
	f.user = &b.d.user
	began := time.Now()
	if err := f.again(ctx); err != nil {
		return 0, 0, err
	}
	if err := f.until(ctx, 0); err != nil {
		return 0, 0, err
	}
	back = time.Since(began)
	all, err := b.d.user.watch(ctx, chat, wire.Position{Epoch: f.epoch, Seq: 1}.String())
	if err != nil {
		return 0, 0, err
	}
	defer all.close()
	all.sum, all.sumTo = fnv.New64a(), acknowledged
	if err := all.until(ctx, acknowledged); err != nil {
		return 0, 0, err
	}
	if all.sum.Sum64() != sum {
		return 0, 0, fmt.Errorf("the first %d events are not the ones that a client had before the kill", acknowledged)
	}
	return b.d.up, back, nil
}

// tear adds the beginning of a line, as a loss of power leaves it.
func tear(log string) error {
	f, err := os.OpenFile(log, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(`{"seq":999999,"t":"2026-`)
	return errors.Join(err, f.Close())
}

// kill ends the daemon as a crash does.
func (d *daemon) kill() error {
	if err := d.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-d.gone
	return nil
}
