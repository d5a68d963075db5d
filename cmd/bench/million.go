//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"signalbox/backend/agent/agenttest/fake"
)

// million is a chat of 1,000,000 events beside one of 1,000: its last page, its
// first opening after a start, and the memory that it takes.
func (b *bench) million(ctx context.Context) error {
	const long, short = 1_000_000, 1000
	return b.product(ctx, b.dir, "million", func() error {
		small, err := b.longChat(ctx, short)
		if err != nil {
			return err
		}
		big, err := b.longChat(ctx, long)
		if err != nil {
			return err
		}
		const times = 20 // pages a round: one alone is a few hundred microseconds
		var pageBig, pageSmall, firstBig, firstSmall, memory samples
		for range b.opts.rounds {
			if err := b.restart(ctx, nil); err != nil {
				return err
			}
			// The daemon's first request pays for what all share.
			if err := b.d.user.call(ctx, "GET", "/api/chats", struct{}{}, nil); err != nil {
				return err
			}
			before, err := residentMB(b.pid())
			if err != nil {
				return err
			}
			d, err := b.lastPage(ctx, big)
			if err != nil {
				return err
			}
			firstBig = append(firstBig, ms(d))
			after, err := residentMB(b.pid())
			if err != nil {
				return err
			}
			memory = append(memory, after-before)
			if d, err = b.lastPage(ctx, small); err != nil {
				return err
			}
			firstSmall = append(firstSmall, ms(d))
			var sumBig, sumSmall time.Duration
			for range times {
				if d, err = b.lastPage(ctx, big); err != nil {
					return err
				}
				sumBig += d
				if d, err = b.lastPage(ctx, small); err != nil {
					return err
				}
				sumSmall += d
			}
			pageBig, pageSmall = append(pageBig, ms(sumBig)/times), append(pageSmall, ms(sumSmall)/times)
		}
		b.rep.addRatio("last page of 1,000,000 events", "ms", pageBig, "of 1,000 events", pageSmall)
		b.rep.addRatio("its first opening after a start", "ms", firstBig, "of 1,000 events", firstSmall)
		b.rep.add("memory that opening 1,000,000 events adds", "MB", memory)

		// A prompt in it is a run like any other.
		fs, err := b.watchAll(ctx, big, 1)
		if err != nil {
			return err
		}
		defer fs.close()
		if err := fs[0].until(ctx, long); err != nil { // the ends of earlier runs
			return err
		}
		if _, err := b.runBefore(ctx, big, fake.Script{Lines: 180}, fs); err != nil {
			return fmt.Errorf("a run after 1,000,000 events: %w", err)
		}
		return nil
	})
}
