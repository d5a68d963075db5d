//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// eventText makes a line of about 300 bytes, the size that the limits are
// measured with.
var eventText = strings.Repeat("0123456789", 18)

// storage measures the log alone, in this process, against bare files.
func (b *bench) storage(ctx context.Context) error {
	return withStore(ctx, filepath.Join(b.dir, "storage"), true, func(store *eventlog.Store) error {
		return b.storageIn(ctx, store)
	})
}

// withStore opens the logs of a data folder for as long as use runs, with their
// group sync if synced.
func withStore(ctx context.Context, data string, synced bool, use func(*eventlog.Store) error) (err error) {
	store, err := eventlog.Open(data, eventlog.Options{})
	if err != nil {
		return err
	}
	if !synced {
		return errors.Join(use(store), store.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1) // one value: the end of the group sync
	go func() { ended <- store.Run(ctx) }()
	defer func() {
		cancel()
		err = errors.Join(err, <-ended, store.Close())
	}()
	return use(store)
}

func (b *bench) storageIn(ctx context.Context, store *eventlog.Store) error {
	const events = 100_000
	dir := b.dir
	drafts, err := history(0, events)
	if err != nil {
		return err
	}
	line := drafts[1].AppendLine(nil, events, wire.Time{Time: time.Now()})

	var one, bareOne, sixteen, bareSixteen, syncs, bareSyncs, follow, bareRead, page samples
	for range b.opts.rounds {
		s, err := fileRate(dir, line, 1, events)
		if err != nil {
			return err
		}
		bareOne = append(bareOne, s)
		chat := nextChat()
		log, rate, err := appendRate(store, chat, drafts, 1)
		if err != nil {
			return err
		}
		one = append(one, rate)

		if s, err = fileRate(dir, line, 16, events); err != nil {
			return err
		}
		bareSixteen = append(bareSixteen, s)
		if _, rate, err = appendRate(store, nextChat(), drafts, 16); err != nil {
			return err
		}
		sixteen = append(sixteen, rate)

		if s, err = fileSync(dir, line); err != nil {
			return err
		}
		bareSyncs = append(bareSyncs, s)
		if s, err = logSync(ctx, log, drafts[1]); err != nil {
			return err
		}
		syncs = append(syncs, s)

		if s, err = readRate(filepath.Join(store.Dir(chat), "events.jsonl")); err != nil {
			return err
		}
		bareRead = append(bareRead, s)
		if s, err = followRate(ctx, log, events); err != nil {
			return err
		}
		follow = append(follow, s)

		start := time.Now()
		p, err := log.Page(nil, 100)
		if err != nil {
			return err
		}
		if len(p.Events) == 0 {
			return errors.New("the last page is empty")
		}
		page = append(page, ms(time.Since(start)))
	}
	b.rep.addRatio("append, one event a write", "events/s", one, "write(2) an event", bareOne)
	b.rep.addRatio("append, 16 events a write", "events/s", sixteen, "write(2) of 16", bareSixteen)
	b.rep.addRatio("append and sync", "ms", syncs, "write and fdatasync", bareSyncs)
	b.rep.addRatio("replay 100,000 events, storage alone", "MB/s", follow, "ReadAt of 64 KiB", bareRead)
	b.rep.add("last page of 100,000 events, storage alone", "ms", page)
	return nil
}

var chats int

// nextChat mints a chat's id for the log alone.
func nextChat() wire.ChatID {
	chats++
	return wire.ChatID(fmt.Sprintf("c_%026d", chats))
}

// runEvents is how many events a run of a history has.
const runEvents = 200

// history makes n events of a long chat, from a number on: runs that are each a
// prompt, texts of 20 deltas, and an end.
func history(from, n int) ([]wire.Draft, error) {
	const itemLen = 20
	drafts := make([]wire.Draft, n)
	for at := range drafts {
		i := from + at
		var ev wire.Event = wire.AssistantText{Item: fmt.Sprintf("msg_%06d", i/itemLen), Delta: eventText}
		switch i % runEvents {
		case 0:
			ev = wire.User{Text: eventText, ClientID: fmt.Sprintf("m_%026d", i)}
		case runEvents - 1:
			ev = wire.Complete{Status: wire.StatusOK}
		}
		var err error
		if drafts[at], err = wire.NewDraft(wire.RunID(fmt.Sprintf("r_%026d", i/runEvents)), ev); err != nil {
			return nil, err
		}
	}
	return drafts, nil
}

// appendRate fills a new chat's log, batch events a write.
func appendRate(store *eventlog.Store, chat wire.ChatID, drafts []wire.Draft, batch int) (*eventlog.Log, float64, error) {
	log, err := store.Create(chat)
	if err != nil {
		return nil, 0, err
	}
	start := time.Now()
	for some := range slices.Chunk(drafts, batch) {
		if _, err := log.Append(some...); err != nil {
			return nil, 0, err
		}
	}
	return log, rate(len(drafts), time.Since(start)), nil
}

func logSync(ctx context.Context, log *eventlog.Log, d wire.Draft) (float64, error) {
	const times = 100
	start := time.Now()
	for range times {
		if _, err := log.Append(d); err != nil {
			return 0, err
		}
		if err := log.Sync(ctx); err != nil {
			return 0, err
		}
	}
	return ms(time.Since(start)) / times, nil
}

// followRate reads a log from its first event to its last and checks that each
// came once, in order.
func followRate(ctx context.Context, log *eventlog.Log, events int) (float64, error) {
	// From the first event on: from 0 a long log answers with its last page.
	f, err := log.Follow(&wire.Position{Epoch: log.End().Epoch, Seq: 1})
	if err != nil {
		return 0, err
	}
	defer f.Close()
	check := continuity{last: 1}
	size := 0
	start := time.Now()
	for check.last < uint64(events) {
		b, err := f.Next(ctx)
		if err != nil {
			return 0, err
		}
		size += len(b.Lines)
		if err := check.batch(b); err != nil {
			return 0, fmt.Errorf("follow: %w", err)
		}
	}
	return float64(size) / 1e6 / time.Since(start).Seconds(), nil
}

func fileRate(dir string, line []byte, batch, events int) (float64, error) {
	f, err := os.CreateTemp(dir, "bare-*.jsonl")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	buf := []byte(strings.Repeat(string(line), batch))
	start := time.Now()
	for range events / batch {
		if _, err := f.Write(buf); err != nil {
			return 0, err
		}
	}
	return rate(events, time.Since(start)), nil
}

func readRate(path string) (float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	buf := make([]byte, 64<<10)
	var at int64
	start := time.Now()
	for {
		n, err := f.ReadAt(buf, at)
		at += int64(n)
		if err != nil {
			break
		}
	}
	return float64(at) / 1e6 / time.Since(start).Seconds(), nil
}

func rate(n int, d time.Duration) float64 { return float64(n) / d.Seconds() }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// fileSync returns how long a write and its fdatasync take, in milliseconds.
func fileSync(dir string, line []byte) (float64, error) {
	f, err := os.CreateTemp(dir, "bare-*.jsonl")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	const times = 100
	start := time.Now()
	for range times {
		if _, err := f.Write(line); err != nil {
			return 0, err
		}
		if err := unix.Fdatasync(int(f.Fd())); err != nil {
			return 0, err
		}
	}
	return ms(time.Since(start)) / times, nil
}
