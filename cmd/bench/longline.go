//go:build linux

package main

import (
	"context"

	"signalbox/backend/agent/agenttest/fake"
)

// longLine plays a line of 32 MiB and looks at the memory that it takes.
func (b *bench) longLine(ctx context.Context) error {
	const size = 32 << 20
	return b.product(ctx, b.dir, "long-line", func() error {
		var peaks samples
		for range b.opts.rounds {
			// What was before it must not count as its peak.
			if err := b.restart(ctx, nil); err != nil {
				return err
			}
			if err := b.play(fake.Script{LineBytes: size}); err != nil {
				return err
			}
			chat, err := b.chat(ctx)
			if err != nil {
				return err
			}
			before, err := residentMB(b.pid())
			if err != nil {
				return err
			}
			fs, err := b.watchAll(ctx, chat, 1)
			if err != nil {
				return err
			}
			err = b.profiled(func() error {
				if err := b.prompt(ctx, chat); err != nil {
					return err
				}
				return fs[0].until(ctx, 0)
			})
			fs.close()
			if err != nil {
				return err
			}
			peak, err := peakMB(b.pid())
			if err != nil {
				return err
			}
			peaks = append(peaks, (peak-before)/(size>>20))
		}
		b.rep.add("a line of 32 MiB, peak memory over its size", "times", peaks)
		return nil
	})
}
