package eventlog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// ErrClosed is the cause of errors from a store or a follower that was closed.
var ErrClosed = errors.New("eventlog: closed")

// errChanged means that somebody else cut the file.
var errChanged = errors.New("eventlog: the file is shorter than it was")

// Options configure a Store.
type Options struct {
	Log *slog.Logger // default discards
	// BootID names the time since the machine was started; default is the
	// system's. Logs that another boot left open get a new epoch.
	BootID string
	// MaxOpen is how many files are kept open; default 256. Files that wait
	// for a sync come on top.
	MaxOpen int
}

// Store is the logs of one data folder; it holds the folder's lock.
type Store struct {
	dir  string // the folder of the chats
	disk disk
	lock *flock.Flock
	boot string
	log  *slog.Logger
	sync *syncer
	pool files

	changes changes

	create sync.Mutex // held while a chat's folder is made

	mu     sync.Mutex
	logs   map[wire.ChatID]*slot
	closed bool
}

// slot holds a chat's log once it is loaded.
type slot struct {
	once sync.Once
	log  *Log
	err  error
}

// Open takes the lock of the data folder dir (fault code unavailable when
// another daemon has it) and looks at no log. It creates the folder.
func Open(dir string, opts Options) (*Store, error) {
	chats := filepath.Join(dir, "chats")
	if err := os.MkdirAll(chats, 0o700); err != nil {
		return nil, fault.Disk("create data folder", err)
	}
	// The lock's file is never removed: a daemon that waits for it would then
	// hold a lock that no other can see.
	lock := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fault.Disk("lock data folder", err)
	}
	if !ok {
		return nil, fault.New(fault.Unavailable, "Another Signalbox daemon uses the data folder %s.", dir).
			WithHint("Stop that daemon, or set SIGNALBOX_DATA to another folder.")
	}
	d, err := openRootDisk(chats)
	if err != nil {
		return nil, errors.Join(fault.Disk("open data folder", err), lock.Unlock())
	}
	return newStore(chats, d, lock, opts), nil
}

func newStore(chats string, d disk, lock *flock.Flock, opts Options) *Store {
	s := &Store{dir: chats, disk: d, lock: lock, boot: opts.BootID, log: opts.Log, logs: map[wire.ChatID]*slot{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.boot == "" {
		id, err := bootID()
		if err != nil || id == "" {
			// Every start then counts as a new boot, which is safe.
			id = "unknown since " + wire.Time{Time: time.Now()}.String()
			s.log.Warn("boot id unknown", "err", err)
		}
		s.boot = id
	}
	s.pool.max = opts.MaxOpen
	if s.pool.max <= 0 {
		s.pool.max = 256
	}
	s.sync = newSyncer(d)
	s.changes.wake = make(chan struct{}, 1)
	return s
}

// Run syncs what was appended, continuously, and puts idle logs to rest, until
// ctx ends; then it syncs and closes every log.
func (s *Store) Run(ctx context.Context) error {
	tick := time.NewTicker(restAfter)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return s.shut()
		case <-s.sync.wake:
			s.sync.run()
		case <-tick.C:
			s.pool.rest(time.Now().Add(-restAfter))
		}
	}
}

// Close closes what Run has not closed, and releases the lock of the folder.
func (s *Store) Close() error {
	err := s.shut()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock == nil {
		return err
	}
	err = errors.Join(err, s.disk.Close(), s.lock.Unlock())
	s.lock = nil
	return err
}

// shut closes every log. Later calls do nothing.
func (s *Store) shut() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for id, sl := range s.logs {
		sl.once.Do(func() { sl.err = errStopping() })
		if sl.log != nil {
			if err := sl.log.close(); err != nil {
				errs = append(errs, fmt.Errorf("close log of %s: %w", id, err))
			}
		}
	}
	return errors.Join(errs...)
}

func errStopping() error {
	return fault.New(fault.Unavailable, "Signalbox is stopping.").
		WithHint("Try again when it has started.").Because(ErrClosed)
}

// Create makes a chat's folder and its empty log (epoch 1). It refuses a chat
// that has a log (fault conflict).
func (s *Store) Create(chat wire.ChatID) (*Log, error) {
	s.create.Lock()
	defer s.create.Unlock()
	if err := s.makeFolder(chat); err != nil {
		return nil, err
	}
	h := header{Chat: chat, Epoch: 1, Created: now()}
	if err := s.writeNew(chat, h, nil); err != nil {
		return nil, fault.Disk("create log", err)
	}
	return s.Log(chat)
}

// makeFolder makes the folder of a chat that has no log yet.
func (s *Store) makeFolder(chat wire.ChatID) error {
	if err := checkChat(chat); err != nil {
		return err
	}
	if err := s.disk.Mkdir(string(chat)); err != nil && !errors.Is(err, fs.ErrExist) {
		return fault.Disk("create chat's folder", err)
	}
	_, err := s.disk.Stat(logName(chat))
	if err == nil {
		return fault.New(fault.Conflict, "The chat exists already.")
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fault.Disk("create log", err)
	}
	return nil
}

// Log returns the one Log of the chat, opened when first needed (fault not_found).
func (s *Store) Log(chat wire.ChatID) (*Log, error) {
	if err := checkChat(chat); err != nil {
		return nil, err
	}
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil, errStopping()
		}
		sl, joined := s.logs[chat]
		if !joined {
			sl = &slot{}
			s.logs[chat] = sl
		}
		s.mu.Unlock()

		sl.once.Do(func() { sl.log, sl.err = load(s, chat) })
		if sl.err == nil {
			return sl.log, nil
		}
		s.mu.Lock()
		if s.logs[chat] == sl {
			delete(s.logs, chat)
		}
		s.mu.Unlock()
		if !joined {
			return nil, sl.err
		}
		// The error is that of an earlier call, and may be out of date.
	}
}

// Exists reports whether the chat has a log; where that cannot be told, true.
func (s *Store) Exists(chat wire.ChatID) bool {
	_, err := s.disk.Stat(logName(chat))
	return !errors.Is(err, fs.ErrNotExist)
}

// Release closes the chat's log and forgets it, for one who is about to remove
// the chat's folder.
func (s *Store) Release(chat wire.ChatID) error {
	s.mu.Lock()
	sl := s.logs[chat]
	delete(s.logs, chat)
	s.mu.Unlock()
	if sl == nil {
		return nil
	}
	sl.once.Do(func() { sl.err = errStopping() })
	if sl.log == nil {
		return nil
	}
	return sl.log.close()
}

// Chats lists the chats that have a folder, by id.
func (s *Store) Chats() ([]wire.ChatID, error) {
	entries, err := s.disk.ReadDir(".")
	if err != nil {
		return nil, fault.Disk("list chats", err)
	}
	var chats []wire.ChatID
	for _, e := range entries {
		if id, err := wire.ParseChatID(e.Name()); err == nil && e.IsDir() {
			chats = append(chats, id)
		}
	}
	return chats, nil
}

// Dir returns the chat's folder, which may not exist.
func (s *Store) Dir(chat wire.ChatID) string { return filepath.Join(s.dir, string(chat)) }

func checkChat(chat wire.ChatID) error {
	if _, err := wire.ParseChatID(string(chat)); err != nil {
		return fault.New(fault.NotFound, "There is no such chat.").Because(err)
	}
	return nil
}

// The names of a chat's files, below the folder of chats.
func logName(c wire.ChatID) string     { return string(c) + "/events.jsonl" }
func nextName(c wire.ChatID) string    { return string(c) + "/events.jsonl.new" }
func badName(c wire.ChatID) string     { return string(c) + "/events.bad" }
func markerName(c wire.ChatID) string  { return string(c) + "/open" }
func blobsName(c wire.ChatID) string   { return string(c) + "/blobs" }
func rewoundName(c wire.ChatID) string { return string(c) + "/rewound" }

func now() wire.Time { return wire.Time{Time: time.Now()} }
