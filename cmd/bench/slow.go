//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"signalbox/backend/agent/agenttest/fake"
)

// slow is what a client that never reads, and one that reads slowly, do to the
// others and to the daemon's memory.
func (b *bench) slow(ctx context.Context) error {
	return b.product(ctx, b.dir, "slow", func() error {
		const clients = 10
		script := fake.Script{Lines: 3600, Rate: 600, Stamp: true}
		var without, dead, drip, memory samples
		for range b.opts.rounds {
			var alone float64 // what the run itself leaves
			for _, c := range []struct {
				into *samples
				read bool
			}{{&without, true}, {&dead, false}, {&drip, true}} {
				lags, grown, err := b.beside(ctx, script, clients, c.into != &without, c.read)
				if err != nil {
					return err
				}
				*c.into = append(*c.into, quantile(lags, 0.99))
				switch c.into {
				case &without:
					alone = grown
				case &dead:
					memory = append(memory, grown-alone)
				}
			}
		}
		b.rep.addRatio("p99 of 10 clients beside one that never reads", "ms", dead, "without it", without)
		b.rep.addRatio("p99 of 10 clients beside one that reads slowly", "ms", drip, "without it", without)
		b.rep.add("memory that a client which never reads adds", "MB", memory)
		return nil
	})
}

// beside runs s before clients, with one more that is slow or dead.
func (b *bench) beside(ctx context.Context, s fake.Script, clients int, one, reads bool) (lags []time.Duration, grown float64, err error) {
	chat, err := b.chat(ctx)
	if err != nil {
		return nil, 0, err
	}
	before, err := residentMB(b.pid())
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dripped := make(chan error, 1) // one value: how the slow client ended
	if one {
		f, err := b.d.user.watch(ctx, chat, "")
		if err != nil {
			return nil, 0, err
		}
		defer f.close()
		if reads {
			f.pause = 50 * time.Millisecond
			go func() { dripped <- f.until(ctx, 0) }()
		}
	}
	fs, err := b.watchAll(ctx, chat, clients)
	if err != nil {
		return nil, 0, err
	}
	defer fs.close()
	if _, err := b.runBefore(ctx, chat, s, fs); err != nil {
		return nil, 0, err
	}
	if one && reads {
		if err := <-dripped; err != nil {
			return nil, 0, fmt.Errorf("the slow client: %w", err)
		}
	}
	after, err := residentMB(b.pid())
	return fs.lags(), after - before, err
}
