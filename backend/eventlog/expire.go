package eventlog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

const (
	keepRewound = 7 * 24 * time.Hour
	// keepLoose is how long a body may lie without an event that refers to it:
	// one that was just written has none yet.
	keepLoose = 24 * time.Hour
)

// Expire deletes rewound tails older than 7 days, the bodies that only they
// referred to, and what unfinished writes left behind. Between two chats it ends with
// ctx.
func (s *Store) Expire(ctx context.Context, now time.Time) error {
	chats, err := s.Chats()
	if err != nil {
		return err
	}
	var errs []error
	for _, chat := range chats {
		if ctx.Err() != nil {
			return errors.Join(append(errs, context.Cause(ctx))...)
		}
		entries, err := s.disk.ReadDir(rewoundName(chat))
		temps, err2 := s.expireTemps(chat, now)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			err2 = errors.Join(err2, err)
		}
		if len(entries) > 0 || temps {
			err2 = errors.Join(err2, s.expireChat(chat, now))
		}
		if err2 != nil {
			errs = append(errs, fault.Disk("delete what is no longer kept", err2))
		}
	}
	return errors.Join(errs...)
}

// expireTemps removes bodies of which only a part was written.
func (s *Store) expireTemps(chat wire.ChatID, now time.Time) (any bool, err error) {
	entries, err := s.disk.ReadDir(blobsName(chat))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		if st, err := e.Info(); err == nil && now.Sub(st.ModTime()) > keepLoose {
			any = true
			if err := s.disk.Remove(blobsName(chat) + "/" + e.Name()); err != nil {
				return any, err
			}
		}
	}
	return any, nil
}

func (s *Store) expireChat(chat wire.ChatID, now time.Time) error {
	l, err := s.Log(chat)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	epochs, err := l.tails()
	if err != nil {
		return err
	}
	removed := false
	for _, e := range epochs {
		if at, err := l.tailTime(e); err != nil || now.Sub(at) <= keepRewound {
			continue
		}
		removed = true
		if err := s.disk.Remove(l.tailName(e)); err != nil {
			return err
		}
	}
	if !removed {
		return nil
	}
	return l.sweepLocked(now)
}

// tailTime returns when a tail was taken out.
func (l *Log) tailTime(epoch uint64) (time.Time, error) {
	if t, err := l.openTail(epoch); err == nil {
		t.close()
		return t.At.Time, nil
	}
	st, err := l.store.disk.Stat(l.tailName(epoch))
	if err != nil {
		return time.Time{}, err
	}
	return st.ModTime(), nil
}

// draftsName is the folder of what people began to write in the chat.
const draftsName = "drafts"

// namedBeside adds the hashes that the chat's other files name: what waits to be
// sent, and what somebody began to write, refer to bodies, too. Where one cannot be
// read, nothing is known.
func (l *Log) namedBeside(refs map[string]bool) error {
	for _, dir := range []string{string(l.chat), string(l.chat) + "/" + draftsName} {
		entries, err := l.store.disk.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".json") || !e.Type().IsRegular() {
				continue
			}
			b, err := l.store.readAll(dir + "/" + e.Name())
			if err != nil {
				return err
			}
			for _, word := range hashes.FindAll(b, -1) {
				refs[string(word)] = true
			}
		}
	}
	return nil
}

var hashes = regexp.MustCompile(`[0-9a-f]{64}`)

func (s *Store) readAll(name string) ([]byte, error) {
	f, err := s.disk.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, st.Size())
	return b, readFull(f, b, 0)
}

// sweepLocked removes the bodies that neither the log, nor a kept tail, nor
// another file of the chat names.
func (l *Log) sweepLocked(now time.Time) error {
	s, err := l.own()
	if err != nil {
		return err
	}
	defer s.file.Close() //nolint:errcheck // only read
	pieces := []piece{{s.file, s.start, s.size}}
	epochs, err := l.tails()
	if err != nil {
		return err
	}
	for _, e := range epochs {
		t, err := l.openTail(e)
		if err != nil {
			return err // what it refers to is not known
		}
		defer t.close()
		pieces = append(pieces, t.piece)
	}
	refs, err := collect(pieces, &header{})
	if err != nil {
		return err
	}
	if err := l.namedBeside(refs); err != nil {
		return err
	}
	dir := blobsName(l.chat)
	entries, err := l.store.disk.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		st, err := e.Info()
		if err != nil || !isHash(e.Name()) || refs[e.Name()] || now.Sub(st.ModTime()) <= keepLoose {
			continue
		}
		if err := l.store.disk.Remove(dir + "/" + e.Name()); err != nil {
			return err
		}
	}
	return nil
}
