package index

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/search"
	"signalbox/backend/store"
	"signalbox/backend/wire"
)

// Options configure an Index; the zero value works.
type Options struct {
	Log *slog.Logger // default discards
	// Delay is how long what is appended waits for more, so that it is read as one
	// piece: about how late a search is. Default 1 s.
	Delay time.Duration
	// Retry is how long a failed index waits before it tries again, default 30 s; one
	// that could not be opened, so that nothing is found, waits 2 s at most.
	Retry time.Duration
	// Eager makes it read without pauses, which leaves less to others.
	Eager bool
}

// Index is the index of all chats of a data folder. Use [New], then [Index.Run].
type Index struct {
	logs *eventlog.Store
	path string
	opts Options
	log  *slog.Logger

	// again asks Run to begin the index anew. It holds one request; a second
	// would ask for the same.
	again chan struct{}

	// asked tells Run that somebody waits. It holds one signal.
	asked chan struct{}
	// damaged says that the file in use cannot be read.
	damaged atomic.Bool

	mu      sync.Mutex
	state   Status
	waiting []chan struct{} // closed by Run when what is there by now was read
	armed   []chan struct{} // those of whom Run knows what that is

	using sync.RWMutex // held by who uses db, so that it is not closed meanwhile
	db    *store.Store // nil while there is none
}

// Status is how far the index is.
type Status struct {
	// Behind is how many chats are still to be read, of Chats.
	Behind int
	Chats  int
	// Err says why the index is not brought up to date; nil while it is.
	Err error
}

// New returns an index that is kept in the file at path. It touches nothing yet.
func New(logs *eventlog.Store, path string, opts Options) *Index {
	x := &Index{logs: logs, path: path, opts: opts, log: opts.Log, again: make(chan struct{}, 1), asked: make(chan struct{}, 1)}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	if x.opts.Delay <= 0 {
		x.opts.Delay = time.Second
	}
	if x.opts.Retry <= 0 {
		x.opts.Retry = 30 * time.Second
	}
	return x
}

// openAgain is how often an index that cannot be opened is tried again.
const openAgain = 2 * time.Second

// errAnew ends the use of an index that is to be begun anew.
var errAnew = errors.New("the index is to be made anew")

// Run keeps the index up to date until ctx ends. It fails with nothing: an index
// that cannot be used is tried again, and [Index.Status] says why.
func (x *Index) Run(ctx context.Context) error {
	defer x.close()
	var anew bool
	var lastAnew time.Time
	told := "" // why it could not be opened, as the log knows
	for {
		err := x.follow(ctx, anew)
		if ctx.Err() != nil {
			return nil
		}
		anew = errors.Is(err, errAnew)
		if anew {
			continue
		}
		x.fail(err)
		// A file that breaks again and again has another reason than its content.
		if store.Damaged(err) && time.Since(lastAnew) > 10*x.opts.Retry {
			x.log.Warn("index is begun anew", "err", err)
			x.damaged.Store(true)
			anew, lastAnew = true, time.Now()
			continue
		}
		retry, why := x.opts.Retry, ""
		if !x.opened() {
			retry, why = min(retry, openAgain), err.Error()
		}
		if why == "" || why != told {
			x.log.Warn("index is not kept up to date", "err", err)
		}
		told = why
		select {
		case <-ctx.Done():
			return nil
		case <-x.again:
			anew = true
		case <-time.After(retry):
		}
	}
}

// Rebuild makes the index anew, in the background.
func (x *Index) Rebuild() {
	x.mu.Lock()
	x.state.Behind = max(x.state.Chats, 1)
	x.mu.Unlock()
	select {
	case x.again <- struct{}{}:
	default:
	}
}

// Wait returns once everything that is in the logs by now is in the index, or
// with the cause of ctx's end. It waits for Run.
func (x *Index) Wait(ctx context.Context) error {
	done := make(chan struct{})
	x.mu.Lock()
	x.waiting = append(x.waiting, done)
	x.mu.Unlock()
	select {
	case x.asked <- struct{}{}:
	default:
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// arm notes that Run now knows of all that those who wait are waiting for.
func (x *Index) arm() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.armed = append(x.armed, x.waiting...)
	x.waiting = nil
}

// Status returns how far the index is.
func (x *Index) Status() Status {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.state
}

func (x *Index) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Err = err
}

// progress notes how much is to be read, and lets go on who waited for it.
func (x *Index) progress(behind, chats int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state = Status{Behind: behind, Chats: chats}
	if behind > 0 || len(x.again) > 0 {
		return
	}
	for _, done := range x.armed {
		close(done)
	}
	x.armed = nil
}

// use calls f with the store (fault unavailable while there is none). A store
// that turns out to be damaged is begun anew.
func (x *Index) use(f func(*store.Store) error) error {
	x.using.RLock()
	defer x.using.RUnlock()
	if x.db == nil {
		if err := x.Status().Err; err != nil {
			return err
		}
		return fault.New(fault.Unavailable, "The search index is not ready yet.").WithHint("Try again in a moment.")
	}
	err := f(x.db)
	if store.Damaged(err) {
		x.log.Warn("index is damaged", "err", err)
		x.damaged.Store(true)
		x.Rebuild()
	}
	return err
}

// open opens the store for use.
func (x *Index) open(ctx context.Context, anew bool) error {
	x.close()
	if anew {
		discard := store.Remove
		if x.damaged.Swap(false) {
			discard = store.PutAside
		}
		if err := discard(x.path); err != nil {
			return err
		}
	}
	db, err := store.Open(ctx, x.path, store.Options{Log: x.log})
	if err != nil {
		return err
	}
	x.using.Lock()
	defer x.using.Unlock()
	x.db = db
	return nil
}

func (x *Index) opened() bool {
	x.using.RLock()
	defer x.using.RUnlock()
	return x.db != nil
}

func (x *Index) close() {
	x.using.Lock()
	defer x.using.Unlock()
	if x.db == nil {
		return
	}
	if err := x.db.Close(); err != nil {
		x.log.Warn("index not closed cleanly", "err", err)
	}
	x.db = nil
}

// gone reports whether an event that the index has was taken out of its log, which
// the index learns a moment later.
func (x *Index) gone(chat wire.ChatID, at wire.Position) bool {
	log, err := x.logs.Log(chat)
	if err != nil {
		return fault.CodeOf(err) == fault.NotFound
	}
	if log.End().Epoch == at.Epoch {
		return false
	}
	held, err := log.Holds(at.Seq)
	return err == nil && !held
}

// Search returns what was found, as [store.Store.Search] does, and nothing that was
// taken out of its chat before the call.
func (x *Index) Search(ctx context.Context, q store.Search, limit int) (found []store.Found, next int64, err error) {
	q.Gone = x.gone
	err = x.use(func(db *store.Store) error {
		found, next, err = db.Search(ctx, q, limit)
		return err
	})
	return found, next, err
}

// Find looks for text in one chat, as [store.Store.Find] does, and finds nothing that
// was taken out of it before the call.
func (x *Index) Find(ctx context.Context, chat wire.ChatID, needle search.Needle, before uint64, limit int) (found []store.Match, next uint64, err error) {
	err = x.use(func(db *store.Store) error {
		found, next, err = db.Find(ctx, chat, needle, before, limit, x.gone)
		return err
	})
	return found, next, err
}

// Bytes returns what the index takes on the disk.
func (x *Index) Bytes() int64 { return store.Bytes(x.path) }

// Sessions returns which chat has each session of an agent.
func (x *Index) Sessions(ctx context.Context) (all map[string]wire.ChatID, err error) {
	err = x.use(func(db *store.Store) error {
		all, err = db.Sessions(ctx)
		return err
	})
	return all, err
}
