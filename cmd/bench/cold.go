//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"signalbox/backend/catalog"
	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// cold is the time to the first answer with nothing on disk.
func (b *bench) cold(ctx context.Context) error {
	return b.product(ctx, b.dir, "cold", func() error {
		var up, resident samples
		for range b.opts.rounds {
			if err := b.restart(ctx, nil); err != nil {
				return err
			}
			idle, err := b.atRest()
			if err != nil {
				return err
			}
			up, resident = append(up, ms(b.d.up)), append(resident, idle)
		}
		b.rep.add("start to first answer, empty", "ms", up)
		b.rep.add("memory of an idle daemon", "MB", resident)
		return nil
	})
}

// fullStart is the same with 1,000 chats and 1 GB of logs, of which nothing may
// be scanned.
func (b *bench) fullStart(ctx context.Context) error {
	const chats, each = 1000, 3300 // about 1 MB of log a chat
	return b.product(ctx, b.dir, "full", func() error {
		empty, err := b.atRest()
		if err != nil {
			return err
		}
		if err := b.restart(ctx, func() error { return fillMany(ctx, b.data, chats, each) }); err != nil {
			return err
		}
		b.rep.add("start to first answer, 1,000 chats and 1 GB of logs, just written", "ms", samples{ms(b.d.up)})
		began := time.Now()
		if err := b.indexed(ctx); err != nil {
			return err
		}
		b.rep.add("until all of that can be searched", "s", samples{time.Since(began).Seconds()})
		var up, resident, read samples
		for range b.opts.rounds {
			if err := b.restart(ctx, nil); err != nil {
				return err
			}
			n, err := readBytes(b.pid())
			if err != nil {
				return err
			}
			idle, err := b.atRest()
			if err != nil {
				return err
			}
			up, resident, read = append(up, ms(b.d.up)), append(resident, idle-empty), append(read, n/(1<<20))
		}
		b.rep.add("start to first answer, 1,000 chats and 1 GB of logs", "ms", up)
		b.rep.add("memory of 1,000 chats with 1 GB of logs", "MB", resident)
		b.rep.add("read from 1 GB of logs at a start", "MB", read)
		return nil
	})
}

// indexed returns when the daemon reads no more: it has taken what it did not know
// into its index.
func (b *bench) indexed(ctx context.Context) error {
	const still = 2 * time.Second
	last, since := -1.0, time.Now()
	for time.Since(since) < still {
		n, err := readBytes(b.pid())
		if err != nil {
			return err
		}
		if n != last {
			last, since = n, time.Now()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// fillMany makes chats with a history each.
func fillMany(ctx context.Context, data string, chats, each int) error {
	return withStore(ctx, data, true, func(store *eventlog.Store) error {
		// A history ends with the end of its last run.
		drafts, err := history(0, each/runEvents*runEvents)
		if err != nil {
			return err
		}
		list, err := catalog.Open(store, catalog.Options{})
		if err != nil {
			return err
		}
		for range chats {
			m, err := list.Create(wire.Person{ID: "u_bench", Name: account}, catalog.New{})
			if err != nil {
				return fmt.Errorf("make a chat: %w", err)
			}
			log, err := store.Log(m.ID)
			if err != nil {
				return err
			}
			for some := range slices.Chunk(drafts, runEvents) {
				if _, err := log.Append(some...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
