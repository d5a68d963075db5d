//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/wire"
)

// crowd is 1,000 chats, 9,000 sockets and 50 live runs on one machine. Of the
// sockets, each live chat has nine, so that one event goes to nine clients.
func (b *bench) crowd(ctx context.Context) error {
	const chats, live, perLive = 1000, 50, 9
	sockets := b.allowedSockets(9000)
	return b.product(ctx, b.dir, "crowd", func() error {
		ids := make([]wire.ChatID, chats)
		for i := range ids {
			var err error
			if ids[i], err = b.chat(ctx); err != nil {
				return err
			}
		}
		if err := b.restart(ctx, nil); err != nil {
			return err
		}
		empty, err := residentMB(b.pid())
		if err != nil {
			return err
		}
		began := time.Now()
		idle, watching, err := b.seat(ctx, ids, sockets, live, perLive)
		defer idle.close()
		for _, fs := range watching {
			defer fs.close()
		}
		if err != nil {
			return err
		}
		b.rep.add(fmt.Sprintf("%d sockets opened", sockets), "sockets/s", samples{rate(sockets, time.Since(began))})
		resident, err := residentMB(b.pid())
		if err != nil {
			return err
		}
		b.rep.add("memory of a socket in a crowd", "KB", samples{(resident - empty) * 1024 / float64(sockets)})
		return b.crowdRuns(ctx, ids[:live], watching)
	})
}

// allowedSockets returns how many sockets this process and the daemon may have.
func (b *bench) allowedSockets(want int) int {
	var lim unix.Rlimit
	const spare = 1000 // logs, pipes of the runs, this process's own
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil || lim.Cur >= uint64(want+spare) {
		return want
	}
	got := max(int(lim.Cur)-spare, 500)
	b.rep.note("SCALED DOWN: a process may open %d files here (ulimit -n), so the crowd has %d sockets, not %d.", lim.Cur, got, want)
	return got
}

// seat opens the sockets: perLive on each of the first live chats, the others
// spread over the rest. They are read by nobody until a run begins; the daemon's
// first words to each wait in the kernel.
func (b *bench) seat(ctx context.Context, ids []wire.ChatID, sockets, live, perLive int) (idle follows, watching []follows, err error) {
	watching = make([]follows, live)
	for i := range watching {
		if watching[i], err = b.watchAll(ctx, ids[i], perLive); err != nil {
			return nil, watching, err
		}
	}
	rest := ids[live:]
	for i := range sockets - live*perLive {
		f, err := b.d.user.watch(ctx, rest[i%len(rest)], "")
		if err != nil {
			return idle, watching, err
		}
		idle = append(idle, f)
	}
	return idle, watching, nil
}

// crowdRuns plays a run in each chat at once, 20 lines a second each.
func (b *bench) crowdRuns(ctx context.Context, ids []wire.ChatID, watching []follows) error {
	const seconds, perSecond = 20, 20
	if err := b.play(fake.Script{Lines: seconds * perSecond, Rate: perSecond, Stamp: true}); err != nil {
		return err
	}
	errs := make([]error, len(ids))
	resident := 0.0
	took := time.Duration(0)
	used, err := b.cpu(func() error {
		began := time.Now()
		var wg sync.WaitGroup
		for i, fs := range watching {
			wg.Go(func() {
				if errs[i] = b.prompt(ctx, ids[i]); errs[i] == nil {
					errs[i] = fs.each(func(f *follow) error { return f.until(ctx, 0) })
				}
			})
		}
		time.Sleep(seconds / 2 * time.Second)
		var err error
		resident, err = residentMB(b.pid())
		wg.Wait()
		took = time.Since(began)
		return errors.Join(append(errs, err)...)
	})
	if err != nil {
		return err
	}
	var lags []time.Duration
	deliveries := 0
	for _, fs := range watching {
		for _, f := range fs {
			if want := pieces(seconds * perSecond); f.pieces != want {
				return fmt.Errorf("a client got %d pieces of text of %d", f.pieces, want)
			}
			deliveries += int(f.seen.last)
		}
		lags = append(lags, fs.lags()...)
	}
	b.rep.add("50 live runs, deliveries", "events/s", samples{rate(deliveries, took)})
	b.rep.add("50 live runs, daemon", "% of a core", samples{used / 1e4 / took.Seconds()})
	b.rep.add("50 live runs, CLI line to client, p50", "ms", samples{quantile(lags, 0.5)})
	b.rep.add("50 live runs, CLI line to client, p99", "ms", samples{quantile(lags, 0.99)})
	b.rep.add("50 live runs, daemon's memory", "MB", samples{resident})
	return nil
}
