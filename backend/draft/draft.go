// Package draft keeps what people began to write in a chat and have not sent, so
// that it is there in each of their browsers, also after the daemon ended.
//
// It owns chats/<id>/drafts/<user>.json, one small file for each, replaced whole
// with every change, so that a draft is gone with its chat and never part of a
// fork. A Store has no goroutines; all its methods may be called from many at once.
package draft

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"signalbox/backend/chat"
	"signalbox/backend/fault"
	"signalbox/backend/internal/atomicfile"
	"signalbox/backend/wire"
)

// Options configure a Store.
type Options struct {
	Log *slog.Logger // default discards
}

// Store keeps drafts. Use [New].
type Store struct {
	dir func(wire.ChatID) string
	log *slog.Logger

	// writing orders the changes of one draft; others share a lock by chance.
	writing [64]sync.Mutex

	mu       sync.Mutex
	watchers map[*Watcher]struct{}
}

// New returns a store of the drafts in the folders of chats.
func New(dir func(wire.ChatID) string, opts Options) *Store {
	s := &Store{dir: dir, log: opts.Log, watchers: map[*Watcher]struct{}{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Get returns the person's draft in the chat, which the caller knows to exist; an
// empty one with rev 0 where they never began any.
func (s *Store) Get(in wire.ChatID, who wire.UserID) (wire.SavedDraft, error) {
	path, err := s.path(in, who)
	if err != nil {
		return wire.SavedDraft{}, err
	}
	b, err := atomicfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return wire.SavedDraft{}, nil
	}
	if err != nil {
		return wire.SavedDraft{}, fmt.Errorf("read draft: %w", err)
	}
	var d wire.SavedDraft
	if err := json.Unmarshal(b, &d); err != nil {
		// What somebody typed is not worth stopping them over: it is kept
		// aside, and they begin anew.
		kept := fmt.Sprintf("%s.damaged-%s", path, time.Now().UTC().Format("20060102T150405.000"))
		s.log.Error("draft is damaged", "chat", in, "user", who, "file", kept, "err", err)
		return wire.SavedDraft{}, fault.Disk("keep damaged draft", os.Rename(path, kept))
	}
	return d, nil
}

// Put replaces the person's draft, durable when it returns, and tells their other
// browsers. d.Rev is that of the draft which it is based on: where that is no
// longer the last one it is a fault conflict, which names the last.
//
// Faults: invalid, too_large, conflict, unavailable.
func (s *Store) Put(in wire.ChatID, who wire.UserID, d wire.SavedDraft) (wire.SavedDraft, error) {
	if err := check(d.Text); err != nil {
		return wire.SavedDraft{}, err
	}
	path, err := s.path(in, who)
	if err != nil {
		return wire.SavedDraft{}, err
	}
	lock := s.lock(in, who)
	lock.Lock()
	defer lock.Unlock()
	last, err := s.Get(in, who)
	if err != nil {
		return wire.SavedDraft{}, err
	}
	if d.Rev != last.Rev {
		return wire.SavedDraft{}, fault.New(fault.Conflict, "The draft was changed in another browser; it is now at %d.", last.Rev).
			WithHint("Load it, and put both together.")
	}
	d.Rev++
	d.At = wire.Time{Time: time.Now().UTC().Truncate(time.Millisecond)}
	b, err := json.Marshal(d)
	if err != nil {
		return wire.SavedDraft{}, fmt.Errorf("encode draft: %w", err)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return wire.SavedDraft{}, fault.Disk("make folder of drafts", err)
	}
	if err := errors.Join(atomicfile.Sweep(path), atomicfile.Write(path, append(b, '\n'), 0o600)); err != nil {
		return wire.SavedDraft{}, fmt.Errorf("save draft: %w", err)
	}
	s.tell(in, who)
	return d, nil
}

// check returns why text cannot be kept. Unlike a prompt a draft may be empty.
func check(text string) error {
	switch {
	case len(text) > chat.MaxText:
		return fault.New(fault.TooLarge, "The draft has %d bytes; at most %d (1 MB) are kept.", len(text), chat.MaxText).
			WithHint("Put the long part into a file and name it in the prompt.")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return fault.New(fault.Invalid, "The draft holds characters that no prompt can have.")
	}
	return nil
}

// path returns where the draft lies. The ids become parts of it.
func (s *Store) path(in wire.ChatID, who wire.UserID) (string, error) {
	if _, err := wire.ParseChatID(string(in)); err != nil {
		return "", fault.New(fault.NotFound, "There is no such chat.").Because(err)
	}
	if _, err := wire.ParseUserID(string(who)); err != nil {
		return "", fault.New(fault.NotFound, "There is no such account.").Because(err)
	}
	return filepath.Join(s.dir(in), "drafts", string(who)+".json"), nil
}

func (s *Store) lock(in wire.ChatID, who wire.UserID) *sync.Mutex {
	h := fnv.New32a()
	_, _ = h.Write([]byte(in + "/" + wire.ChatID(who))) // never fails
	return &s.writing[h.Sum32()%uint32(len(s.writing))]
}
