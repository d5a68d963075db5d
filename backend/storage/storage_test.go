package storage_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/internal/id"
	"signalbox/backend/storage"
	"signalbox/backend/wire"
)

// What a chat takes is counted without following links out of its folder.
func TestMeasure(t *testing.T) {
	t.Parallel()
	logs, err := eventlog.Open(t.TempDir(), eventlog.Options{BootID: "boot"})
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close() //nolint:errcheck // a test's
	chat := wire.ChatID(id.New("c_"))
	if _, err := logs.Create(chat); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(logs.Dir(chat), "work")
	outside := filepath.Join(t.TempDir(), "large")
	for path, size := range map[string]int{filepath.Join(work, "a"): 10, filepath.Join(work, "deep", "b"): 5, outside: 1000} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"file": outside, "folder": filepath.Dir(outside), "loop": "."} {
		if err := os.Symlink(to, filepath.Join(work, name)); err != nil {
			t.Fatal(err)
		}
	}
	u, err := storage.NewMeter(logs).Measure(t.Context(), chat)
	if err != nil {
		t.Fatal(err)
	}
	want := storage.Use{Log: u.Log, Work: 15}
	if diff := cmp.Diff(want, u); diff != "" || u.Log == 0 || u.Total() != u.Log+15 {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := storage.NewMeter(logs).Measure(t.Context(), wire.ChatID(id.New("c_"))); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a chat that is not there: %v", err)
	}
}
