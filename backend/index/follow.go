package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"signalbox/backend/fault"
	"signalbox/backend/store"
	"signalbox/backend/wire"
)

const (
	// turnBytes is how much of one log is read before others have their turn.
	turnBytes = 2 << 20
	// maxPause bounds the pause after a turn, which is as long as the turn was:
	// reading what was missed takes at most half of a core.
	maxPause = 250 * time.Millisecond
	// goneEvery is how often chats are looked for that were deleted for good.
	goneEvery = time.Minute
)

// follower reads all logs into an open store. One goroutine uses it.
type follower struct {
	*Index

	db      *store.Store
	cursors map[wire.ChatID]store.Cursor
	// readers are of the chats that are at it: text is being written, or more is
	// to be read.
	readers map[wire.ChatID]*reader
	// todo are the chats to read; those that changed just now come first.
	todo []wire.ChatID
	in   map[wire.ChatID]bool // in todo
}

// follow opens the index and keeps it up to date until ctx ends or it fails.
func (x *Index) follow(ctx context.Context, anew bool) error {
	if err := x.open(ctx, anew); err != nil {
		return err
	}
	x.using.RLock()
	db := x.db // closed by this goroutine alone
	x.using.RUnlock()
	f := &follower{
		Index: x, db: db,
		readers: map[wire.ChatID]*reader{}, in: map[wire.ChatID]bool{},
	}
	var err error
	if f.cursors, err = db.Cursors(ctx); err == nil {
		err = f.run(ctx)
	}
	if ctx.Err() != nil || store.Damaged(err) {
		x.close()
	}
	return err
}

func (f *follower) run(ctx context.Context) error {
	// What changes from here on is told; what is older is found.
	f.logs.TakeChanged()
	f.arm()
	if err := f.survey(ctx); err != nil {
		return err
	}
	f.progress(len(f.todo), len(f.cursors))
	delay := time.NewTimer(f.opts.Delay)
	defer delay.Stop()
	gathering := false // the timer runs
	gone := time.NewTicker(goneEvery)
	defer gone.Stop()
	for {
		turn := closed
		if len(f.todo) == 0 || gathering {
			turn = nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-f.again:
			return errAnew
		case <-f.logs.Changed():
			// What is appended comes in bursts; each is read once.
			if !gathering {
				gathering = true
				delay.Reset(f.opts.Delay)
			}
		case <-delay.C:
			gathering = false
			f.first(f.logs.TakeChanged())
		case <-f.asked:
			gathering = false // somebody waits
			f.arm()
			f.first(f.logs.TakeChanged())
		case <-gone.C:
			if err := f.forgetGone(ctx); err != nil {
				return err
			}
		case <-turn:
			began := time.Now()
			if err := f.turn(ctx); err != nil {
				return err
			}
			f.progress(len(f.todo), len(f.cursors))
			if !f.opts.Eager && len(f.todo) > 0 {
				pause(ctx, min(time.Since(began), maxPause))
			}
		}
	}
}

// closed is a channel that is always ready.
var closed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// survey finds the chats whose logs are not as they were read, and those that are
// gone. It opens no log.
func (f *follower) survey(ctx context.Context) error {
	chats, err := f.logs.Chats()
	if err != nil {
		return err
	}
	for _, chat := range chats {
		size, at, err := f.logs.Stat(chat)
		if err != nil {
			continue // no log: there is nothing to read
		}
		c, known := f.cursors[chat]
		if !known {
			f.cursors[chat] = store.Cursor{Size: -1, ModTime: -1}
		}
		if !known || c.Size != size || c.ModTime != at.UnixNano() {
			f.push(chat)
		}
	}
	if err := f.forgetGone(ctx); err != nil {
		return err
	}
	// The newest first: they are what people look for.
	slices.SortFunc(f.todo, func(a, b wire.ChatID) int { return -compare(a, b) })
	return nil
}

// forgetGone removes the chats that have no log any more.
func (f *follower) forgetGone(ctx context.Context) error {
	for chat := range maps.Clone(f.cursors) {
		if _, _, err := f.logs.Stat(chat); fault.CodeOf(err) == fault.NotFound {
			if err := f.forget(ctx, chat); err != nil {
				return err
			}
		}
	}
	return nil
}

func compare(a, b wire.ChatID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (f *follower) push(chat wire.ChatID) {
	if !f.in[chat] {
		f.in[chat] = true
		f.todo = append(f.todo, chat)
	}
}

// first puts chats before the others.
func (f *follower) first(chats []wire.ChatID) {
	moved := map[wire.ChatID]bool{}
	for _, c := range chats {
		moved[c] = true
		f.in[c] = true
	}
	rest := slices.DeleteFunc(f.todo, func(c wire.ChatID) bool { return moved[c] })
	f.todo = append(slices.Clone(chats), rest...)
	f.progress(len(f.todo), len(f.cursors))
}

// turn reads a piece of the first chat's log.
func (f *follower) turn(ctx context.Context) error {
	chat := f.todo[0]
	f.todo = f.todo[1:]
	delete(f.in, chat)
	more, err := f.read(ctx, chat)
	switch {
	case err == nil && more:
		f.push(chat)
		return nil
	case err == nil:
		return nil
	case ctx.Err() != nil, errors.As(err, new(*writeError)):
		f.push(chat)
		return err
	case fault.CodeOf(err) == fault.NotFound:
		return f.forget(ctx, chat)
	default:
		// One log that cannot be read keeps no other from being found.
		f.log.Warn("log is not searched", "chat", chat, "err", err)
		delete(f.readers, chat)
		return nil
	}
}

func (f *follower) forget(ctx context.Context, chat wire.ChatID) error {
	delete(f.readers, chat)
	delete(f.cursors, chat)
	return f.db.Forget(ctx, chat)
}

// writeError says that the index failed, not a log.
type writeError struct{ error }

func (e *writeError) Unwrap() error { return e.error }

// read reads on in a chat's log, and reports whether there is more.
func (f *follower) read(ctx context.Context, chat wire.ChatID) (more bool, err error) {
	log, err := f.logs.Log(chat)
	if err != nil {
		return false, err
	}
	// Taken before reading: what comes later makes them differ.
	size, at, err := f.logs.Stat(chat)
	if err != nil {
		return false, err
	}
	r := f.readers[chat]
	if r == nil || r.log != log {
		r = &reader{chat: chat, log: log, agentOf: func(run wire.RunID) wire.AgentID { return f.agentOf(ctx, run) }}
		c := f.cursors[chat]
		if end := log.End(); c.Epoch > end.Epoch || c.Seq > end.Seq {
			f.log.Warn("log is read from its beginning, since it ends before what was read", "chat", chat)
			if err := f.takenOut(ctx, r); err != nil {
				return false, err
			}
		} else {
			r.epoch, r.at, r.after = c.Epoch, c.Seq, c.Seq
			if c.Seq == 0 {
				if err := f.takenOut(ctx, r); err != nil {
					return false, err
				}
			}
		}
	}
	f.readers[chat] = r
	if r.epoch == 0 {
		r.epoch = 1
	}
	n := 0
	for raw, err := range log.Events(r.at) {
		if err != nil {
			return false, err
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if !r.line(raw) {
			// It came back: read the chat anew.
			f.readers[chat] = &reader{chat: chat, log: log, agentOf: r.agentOf}
			return true, nil
		}
		if n += len(raw); n > turnBytes {
			more = true
			break
		}
	}
	c := r.take()
	if more || !r.idle() || r.at < log.End().Seq {
		size, at = -1, time.Time{}
	}
	if c.Upto.Size = size; size >= 0 {
		c.Upto.ModTime = at.UnixNano()
	}
	if err := f.db.Apply(ctx, c); err != nil {
		delete(f.readers, chat) // what it held was not written
		return false, &writeError{fmt.Errorf("chat %s: %w", chat, err)}
	}
	f.cursors[chat] = c.Upto
	if r.idle() && !more {
		delete(f.readers, chat)
	}
	return more, nil
}

// agentOf returns the agent of a run whose beginning was read before.
func (f *follower) agentOf(ctx context.Context, run wire.RunID) wire.AgentID {
	a, err := f.db.Agent(ctx, run)
	if err != nil {
		f.log.Debug("agent of a run not known", "run", run, "err", err)
	}
	return a
}

// takenOut counts what the runs used that rewinds took out of a chat which is
// read from its beginning: it was spent all the same.
func (f *follower) takenOut(ctx context.Context, r *reader) error {
	tails, err := r.log.Rewound()
	if err != nil {
		f.log.Warn("what was taken out of a chat is not counted", "chat", r.chat, "err", err)
	}
	for _, t := range tails {
		old := &reader{chat: r.chat, log: r.log, agentOf: r.agentOf}
		for raw, err := range r.log.RewoundEvents(t.Epoch) {
			if err != nil {
				f.log.Warn("what was taken out of a chat is not counted", "chat", r.chat, "err", err)
				break
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			old.line(raw)
			old.docs = nil
		}
		r.runs = append(r.runs, old.runs...)
	}
	return nil
}
