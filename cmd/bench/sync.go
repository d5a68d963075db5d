//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// syncs is what durability costs: appends with the group sync and without, the
// product with its data on the disk and in memory, where a sync costs nothing,
// and how soon an event is durable while many chats are written to.
func (b *bench) syncs(ctx context.Context) error {
	if err := b.syncedAppends(ctx); err != nil {
		return err
	}
	if err := b.durableAfter(ctx); err != nil {
		return err
	}
	return b.syncedProduct(ctx)
}

func (b *bench) syncedAppends(ctx context.Context) error {
	const events = 100_000
	drafts, err := history(0, events)
	if err != nil {
		return err
	}
	var with, without samples
	for i := range b.opts.rounds {
		for _, c := range []struct {
			synced bool
			into   *samples
		}{{true, &with}, {false, &without}} {
			dir := filepath.Join(b.dir, fmt.Sprintf("sync-%d-%t", i, c.synced))
			err := withStore(ctx, dir, c.synced, func(store *eventlog.Store) error {
				_, r, err := appendRate(store, nextChat(), drafts, 1)
				*c.into = append(*c.into, r)
				return err
			})
			if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
				return err
			}
		}
	}
	b.rep.addRatio("append with the group sync", "events/s", with, "without", without)
	return nil
}

// durableAfter appends to 100 chats in turn, 20 events a second each, and waits
// for one in every ten to be durable.
func (b *bench) durableAfter(ctx context.Context) error {
	const chats, perSecond, seconds = 100, 20, 3
	drafts, err := history(0, runEvents)
	if err != nil {
		return err
	}
	var p99 samples
	for i := range b.opts.rounds {
		dir := filepath.Join(b.dir, fmt.Sprintf("durable-%d", i))
		err := withStore(ctx, dir, true, func(store *eventlog.Store) error {
			logs := make([]*eventlog.Log, chats)
			for i := range logs {
				var err error
				if logs[i], err = store.Create(nextChat()); err != nil {
					return err
				}
			}
			waits, err := appendPaced(ctx, logs, drafts[1], perSecond*seconds, chats*perSecond)
			p99 = append(p99, quantile(waits, 0.99))
			return err
		})
		if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
			return err
		}
	}
	b.rep.add("event durable at 100 live chats, p99", "ms", p99)
	return nil
}

// appendPaced appends an event to each log so many times, rate in a second all
// together, and returns how long some of them took to be durable.
func appendPaced(ctx context.Context, logs []*eventlog.Log, d wire.Draft, times, rate int) ([]time.Duration, error) {
	results := make(chan error, len(logs)*times)
	waits := make(chan time.Duration, len(logs)*times)
	waiting, n := 0, 0
	start := time.Now()
	for range times {
		for _, log := range logs {
			time.Sleep(time.Until(start.Add(time.Duration(n) * time.Second / time.Duration(rate))))
			n++
			began := time.Now()
			if _, err := log.Append(d); err != nil {
				return nil, err
			}
			if n%10 != 0 {
				continue
			}
			waiting++
			go func() {
				err := log.Sync(ctx)
				waits <- time.Since(began)
				results <- err
			}()
		}
	}
	var all []time.Duration
	var errs []error
	for range waiting {
		all, errs = append(all, <-waits), append(errs, <-results)
	}
	return all, errors.Join(errs...)
}

// memoryFolder is on a file system in memory.
const memoryFolder = "/dev/shm"

// syncedProduct is the product with its data on the disk and in memory.
func (b *bench) syncedProduct(ctx context.Context) error {
	inMemory, err := os.MkdirTemp(memoryFolder, "signalbox-bench-")
	if err != nil {
		b.rep.note("There is no file system in memory at %s: the product was not measured without syncs.", memoryFolder)
		return nil
	}
	const lines = 36_000
	var disk, memory samples
	for range b.opts.rounds {
		for _, c := range []struct {
			dir  string
			into *samples
		}{{b.dir, &disk}, {inMemory, &memory}} {
			err = b.product(ctx, c.dir, "synced", func() error {
				_, took, err := b.watchRun(ctx, fake.Script{Lines: lines}, 1)
				*c.into = append(*c.into, rate(lines, took))
				return err
			})
			if err != nil {
				return errors.Join(err, os.RemoveAll(inMemory))
			}
		}
	}
	b.rep.addRatio("flat out, 1 client, data on disk", "CLI lines/s", disk, "data in memory", memory)
	return os.RemoveAll(inMemory)
}
