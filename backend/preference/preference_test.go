package preference_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/backend/fault"
	"signalbox/backend/preference"
	"signalbox/backend/wire"
)

const ann = wire.UserID("u_01ARZ3NDEKTSV4RRFFQ69G5FAV")

func open(t *testing.T, dir string) *preference.Store {
	t.Helper()
	s, err := preference.Open(dir, preference.Options{Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var defaults = wire.Settings{EnterSends: true}

func TestChange_staysAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	if got := s.Get(ann); got != defaults {
		t.Errorf("defaults = %+v", got)
	}
	want := wire.Settings{ContinueAtReset: true, Limits: wire.Limits{Minutes: 30, CostUSD: 2.5}}
	if got, err := s.Change(ann, func(p *wire.Settings) error { *p = want; return nil }); err != nil || got != want {
		t.Errorf("Change = %+v, %v", got, err)
	}
	refused := errors.New("no")
	if _, err := s.Change(ann, func(p *wire.Settings) error { p.EnterSends = true; return refused }); !errors.Is(err, refused) {
		t.Errorf("a change that is refused = %v", err)
	}
	for _, s := range []*preference.Store{s, open(t, dir)} {
		if got := s.Get(ann); got != want {
			t.Errorf("settings = %+v, want %+v", got, want)
		}
	}
}

// Fields of other versions are kept.
func TestChange_keepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	path := filepath.Join(dir, "people", string(ann)+".json")
	if err := os.WriteFile(path, []byte(`{"enterSends":false,"later":[1]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Change(ann, func(p *wire.Settings) error { p.ContinueAtReset = true; return nil }); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), `"later"`) || !strings.Contains(string(b), `"enterSends": false`) {
		t.Errorf("file = %s, %v", b, err)
	}
}

func TestGet_damagedFileIsKeptAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	path := filepath.Join(dir, "people", string(ann)+".json")
	if err := os.WriteFile(path, []byte(`{"enterSends":fa`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.Get(ann); got != defaults {
		t.Errorf("settings = %+v", got)
	}
	kept, err := filepath.Glob(path + ".damaged-*")
	if err != nil || len(kept) != 1 {
		t.Errorf("kept %v, %v", kept, err)
	}
}

func TestChange_refusesAPath(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	_, err := s.Change("../x", func(*wire.Settings) error { return nil })
	if fault.CodeOf(err) != fault.NotFound || s.Get("../x") != defaults {
		t.Errorf("Change = %v", err)
	}
}
