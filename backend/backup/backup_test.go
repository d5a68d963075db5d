package backup_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"signalbox/backend/backup"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/internal/id"
	"signalbox/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func openLogs(t *testing.T, dir string) *eventlog.Store {
	t.Helper()
	s, err := eventlog.Open(dir, eventlog.Options{BootID: "boot"})
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func say(t *testing.T, l *eventlog.Log, text string) {
	t.Helper()
	d, err := wire.NewDraft("r_1", wire.User{Text: text, ClientID: text[:1]})
	must(t, err)
	_, err = l.Append(d)
	must(t, err)
}

// folder makes a data folder with a chat that has all that a chat can have, and
// files that are no part of a backup.
func folder(t *testing.T) (dir string, logs *eventlog.Store, chat wire.ChatID) {
	t.Helper()
	dir = t.TempDir()
	logs, chat = openLogs(t, dir), wire.ChatID(id.New("c_"))
	l, err := logs.Create(chat)
	must(t, err)
	say(t, l, "one")
	say(t, l, strings.Repeat("long ", 10_000)) // lies beside the log
	say(t, l, "three")
	must(t, l.Rewind(3, nil))
	at := logs.Dir(chat)
	write(t, filepath.Join(dir, "users.json"), `{"users":[]}`)
	meta, err := json.Marshal(map[string]string{"title": "x " + dir + "/chats/", "cwd": filepath.Join(at, "work"), "other": "/elsewhere"})
	must(t, err)
	write(t, filepath.Join(at, "meta.json"), string(meta))
	write(t, filepath.Join(at, "queue.json"), `{"items":[]}`)
	write(t, filepath.Join(at, "work", "a b", ".env"), "work")
	write(t, filepath.Join(at, "work", "index.db"), "an agent's own")
	must(t, os.Symlink("/etc/passwd", filepath.Join(at, "work", "link")))
	must(t, os.Mkdir(filepath.Join(at, "work", "empty"), 0o700))
	for _, name := range []string{"index.db", "index.db-wal", "index.db.damaged", ".probe-1"} {
		write(t, filepath.Join(dir, name), "not saved")
	}
	write(t, filepath.Join(at, "running.json"), "not saved")
	write(t, filepath.Join(at, ".meta.json123"), "not saved")
	write(t, filepath.Join(at, "blobs", "new-abc"), "not saved")
	return dir, logs, chat
}

func save(t *testing.T, dir string, logs *eventlog.Store, opts backup.Options) ([]byte, backup.Summary) {
	t.Helper()
	var b bytes.Buffer
	sum, err := backup.Write(t.Context(), &b, dir, logs, opts)
	must(t, err)
	return b.Bytes(), sum
}

// tree returns the files of a folder with what they hold.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			all[name] = "folder"
		case e.Type()&os.ModeSymlink != 0:
			to, err := os.Readlink(path)
			all[name] = "-> " + to
			return err
		default:
			b, err := os.ReadFile(path)
			all[name] = string(b)
			return err
		}
		return nil
	}))
	return all
}

// What is restored is what was saved, but for what belongs to a process or can be
// made again.
func TestBackup_restoresWhatWasSaved(t *testing.T) {
	t.Parallel()
	dir, logs, chat := folder(t)
	saved, sum := save(t, dir, logs, backup.Options{Version: "1"})
	if sum.Chats != 1 || len(sum.Changed) > 0 {
		t.Errorf("saved %+v", sum)
	}
	to := filepath.Join(t.TempDir(), "deep", "data")
	got, err := backup.Restore(t.Context(), bytes.NewReader(saved), to)
	must(t, err)
	if diff := cmp.Diff(sum, got); diff != "" {
		t.Errorf("restored something else (-saved +restored):\n%s", diff)
	}
	want := tree(t, dir)
	for name, text := range want {
		base := filepath.Base(name)
		if text == "not saved" || base == "lock" || base == "open" {
			delete(want, name)
		}
	}
	// Where a chat works moves with it.
	meta := filepath.Join("chats", string(chat), "meta.json")
	want[meta] = strings.Replace(want[meta], `"`+dir, `"`+to, 1)
	if diff := cmp.Diff(want, tree(t, to)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	l, err := openLogs(t, to).Log(chat)
	must(t, err)
	if end := l.End(); end != (wire.Position{Epoch: 2, Seq: 4}) {
		t.Errorf("the restored log ends at %v", end)
	}
	if err := l.Restore(); err != nil {
		t.Errorf("what was rewound cannot be brought back: %v", err)
	}

	if _, err := backup.Restore(t.Context(), bytes.NewReader(saved), dir); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("restored over data: %v", err)
	}
	small, _ := save(t, dir, logs, backup.Options{SkipWork: true})
	bare := t.TempDir()
	if _, err := backup.Restore(t.Context(), bytes.NewReader(small), bare); err != nil {
		t.Error(err)
	}
	for name := range tree(t, bare) {
		if strings.Contains(name, "/work/") {
			t.Errorf("%s was to be left out", name)
		}
	}
}

// A backup that is taken while chats grow, are rewound and forked restores to logs
// that are whole.
func TestBackup_isConsistentWhileRunning(t *testing.T) {
	t.Parallel()
	dir, logs, chat := folder(t)
	l, err := logs.Log(chat)
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	busy.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			say(t, l, fmt.Sprintf("%d %s", i, strings.Repeat("grows ", i%3*8000)))
			if i%50 == 49 {
				if err := l.Rewind(l.End().Seq-10, nil); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for range 5 {
		saved, _ := save(t, dir, logs, backup.Options{})
		to := t.TempDir()
		if _, err := backup.Restore(t.Context(), bytes.NewReader(saved), to); err != nil {
			t.Fatal(err)
		}
		restored, err := openLogs(t, to).Log(chat)
		must(t, err)
		for line, err := range restored.Events(0) {
			must(t, err)
			env, ev, err := wire.Decode(line)
			must(t, err)
			if s, ok := ev.(wire.System); ok {
				t.Fatalf("event %d is %q", env.Seq, s.Code)
			}
			for _, ref := range env.Refs {
				f, err := restored.OpenBlob(ref.SHA256)
				must(t, err)
				must(t, f.Close())
			}
		}
	}
	stop()
	busy.Wait()
}

// files is tree, but for the metadata that names the folder itself.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := tree(t, dir)
	for name, text := range all {
		all[name] = strings.ReplaceAll(text, dir, "")
	}
	return all
}

// A backup that breaks off, or in which a bit is another, restores nothing.
func TestRestore_refusesDamage(t *testing.T) {
	t.Parallel()
	dir, logs, _ := folder(t)
	saved, _ := save(t, dir, logs, backup.Options{})
	whole := t.TempDir()
	if _, err := backup.Restore(t.Context(), bytes.NewReader(saved), whole); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(saved); n += 1 + len(saved)/40 {
		to := t.TempDir()
		if _, err := backup.Restore(t.Context(), bytes.NewReader(saved[:n]), to); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
		if left := tree(t, to); len(left) > 1 {
			t.Fatalf("cut to %d bytes it left %v", n, left)
		}
		flipped := bytes.Clone(saved)
		flipped[n] ^= 0x10
		if _, err := backup.Restore(t.Context(), bytes.NewReader(flipped), to); err != nil {
			continue
		}
		// Some bits of what is compressed mean nothing.
		if diff := cmp.Diff(files(t, whole), files(t, to)); diff != "" {
			t.Errorf("byte %d of %d is another, and nobody noticed:\n%s", n, len(saved), diff)
		}
	}
}

// pack makes a backup of entries that no daemon wrote.
func pack(t testing.TB, format int, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	add := func(h tar.Header, text string) {
		h.Size = int64(len(text))
		if h.Typeflag != tar.TypeReg {
			h.Size = 0
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(tar.Header{Typeflag: tar.TypeReg, Name: "signalbox-backup.json"}, fmt.Sprintf(`{"format":%d}`, format))
	for _, h := range entries {
		add(h, "x")
	}
	files, err := json.Marshal(map[string]any{"files": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	add(tar.Header{Typeflag: tar.TypeReg, Name: "manifest.json"}, string(files))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// No entry is written outside of the folder, through a link, or over another.
func TestRestore_refusesHostileEntries(t *testing.T) {
	t.Parallel()
	chat := "chats/" + id.New("c_")
	reg := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name} }
	link := func(name, to string) tar.Header {
		return tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to}
	}
	for name, entries := range map[string][]tar.Header{
		"out of the folder":       {reg("../evil")},
		"absolute":                {reg("/tmp/evil")},
		"out by the middle":       {reg(chat + "/../../../evil")},
		"not clean":               {reg("chats//" + chat)},
		"no chat":                 {reg("chats/evil/meta.json")},
		"an odd name":             {reg("a\nb")},
		"the lock":                {reg("lock")},
		"the mark":                {reg("restoring")},
		"hidden":                  {reg(".bashrc")},
		"a link outside of work":  {link(chat+"/events.jsonl", "/etc/passwd")},
		"a hard link":             {{Typeflag: tar.TypeLink, Name: chat + "/work/x", Linkname: "/etc/passwd"}},
		"a device":                {{Typeflag: tar.TypeChar, Name: chat + "/work/x"}},
		"twice":                   {reg("users.json"), reg("users.json")},
		"through a link":          {link(chat+"/work/d", "/tmp"), reg(chat + "/work/d/evil")},
		"not in the list":         {reg("users.json")},
		"a file that is a folder": {reg(chat + "/work"), reg(chat + "/work/x")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := t.TempDir()
			_, err := backup.Restore(t.Context(), bytes.NewReader(pack(t, 1, entries...)), filepath.Join(to, "data"))
			if err == nil {
				t.Error("restored")
			}
			if left := tree(t, to); len(left) > 1 {
				t.Errorf("left %v", left)
			}
		})
	}
	if _, err := backup.Restore(t.Context(), bytes.NewReader(pack(t, 2)), t.TempDir()); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("of a later format: %v", err)
	}
	if _, err := backup.Restore(t.Context(), strings.NewReader("hello"), t.TempDir()); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("no backup: %v", err)
	}
}

func FuzzRestore(f *testing.F) {
	f.Add(pack(f, 1, tar.Header{Typeflag: tar.TypeReg, Name: "users.json"}))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		to := filepath.Join(dir, "data")
		_, err := backup.Restore(t.Context(), bytes.NewReader(b), to)
		entries, err2 := os.ReadDir(dir)
		if err2 != nil || len(entries) > 1 || err != nil && len(entries) > 0 {
			t.Errorf("left %v, %v, after %v", entries, err2, err)
		}
	})
}
