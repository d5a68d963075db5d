// Package preference keeps what each person chose for themselves, for every browser
// of theirs.
//
// It owns people/<user>.json in the data folder, replaced whole with every change.
// What nobody chose has a default. A Store has no goroutines; all its methods may
// be called from many at once.
package preference

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"signalbox/backend/fault"
	"signalbox/backend/internal/atomicfile"
	"signalbox/backend/wire"
)

// Options configure a Store.
type Options struct {
	Log *slog.Logger // default discards
}

// Store keeps people's settings. Use [Open].
type Store struct {
	dir string
	log *slog.Logger

	mu    sync.Mutex
	known map[wire.UserID]settings // those that were asked for
}

// settings are what a person's file holds.
type settings struct {
	wire.Settings

	unknown map[string]json.RawMessage // fields of other versions
}

// Open returns the store of the data folder.
func Open(data string, opts Options) (*Store, error) {
	s := &Store{dir: filepath.Join(data, "people"), log: opts.Log, known: map[wire.UserID]settings{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := os.Mkdir(s.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fault.Disk("make folder of settings", err)
	}
	return s, nil
}

// Get returns what the person chose, with defaults for the rest. Settings that
// cannot be read are the defaults.
func (s *Store) Get(who wire.UserID) wire.Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.getLocked(who)
	if err != nil {
		s.log.Error("settings not read", "user", who, "err", err)
	}
	return p.Settings
}

// Change changes what the person chose, durable when it returns. An error of change
// leaves all as it was and is returned.
func (s *Store) Change(who wire.UserID, change func(*wire.Settings) error) (wire.Settings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.getLocked(who)
	if err != nil {
		return wire.Settings{}, err
	}
	if err := change(&p.Settings); err != nil {
		return wire.Settings{}, err
	}
	b, err := p.encode()
	if err != nil {
		return wire.Settings{}, err
	}
	if err := atomicfile.Write(s.path(who), b, 0o600); err != nil {
		return wire.Settings{}, fmt.Errorf("save settings: %w", err)
	}
	s.known[who] = p
	return p.Settings, nil
}

func (s *Store) getLocked(who wire.UserID) (settings, error) {
	if p, ok := s.known[who]; ok {
		return p, nil
	}
	fresh := settings{Settings: wire.Settings{EnterSends: true}}
	if _, err := wire.ParseUserID(string(who)); err != nil {
		return fresh, fault.New(fault.NotFound, "There is no such account.").Because(err)
	}
	p := fresh
	if err := atomicfile.Sweep(s.path(who)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Warn("temporary files not removed", "user", who, "err", err)
	}
	b, err := atomicfile.Read(s.path(who))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fresh, fmt.Errorf("read settings: %w", err)
	default:
		if err := p.decode(b); err != nil {
			kept := fmt.Sprintf("%s.damaged-%s", s.path(who), time.Now().UTC().Format("20060102T150405.000"))
			s.log.Error("settings are damaged and begin anew", "user", who, "file", kept, "err", err)
			if err := os.Rename(s.path(who), kept); err != nil {
				return fresh, fault.Disk("keep damaged settings", err)
			}
			p = fresh
		}
	}
	s.known[who] = p
	return p, nil
}

func (p *settings) decode(b []byte) error {
	if err := json.Unmarshal(b, &p.Settings); err != nil {
		return err
	}
	return json.Unmarshal(b, &p.unknown)
}

func (p *settings) encode() ([]byte, error) {
	known, err := json.Marshal(p.Settings)
	if err != nil {
		return nil, fmt.Errorf("encode settings: %w", err)
	}
	all := map[string]json.RawMessage{}
	maps.Copy(all, p.unknown)
	if err := json.Unmarshal(known, &all); err != nil {
		return nil, fmt.Errorf("encode settings: %w", err)
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode settings: %w", err)
	}
	return append(b, '\n'), nil
}

func (s *Store) path(who wire.UserID) string { return filepath.Join(s.dir, string(who)+".json") }
