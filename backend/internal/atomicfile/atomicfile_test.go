package atomicfile_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"signalbox/backend/fault"
	"signalbox/backend/internal/atomicfile"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, old, data string
		perm            os.FileMode
	}{
		{name: "new file", data: "a", perm: 0o600},
		{name: "longer by shorter", old: "a long content", data: "b", perm: 0o600},
		{name: "with nothing", old: "a", perm: 0o600},
		{name: "permissions are as asked, not as before", old: "a", data: "b", perm: 0o640},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "f.json")
			if tt.old != "" {
				if err := os.WriteFile(path, []byte(tt.old), 0o604); err != nil {
					t.Fatal(err)
				}
			}
			if err := atomicfile.Write(path, []byte(tt.data), tt.perm); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != tt.data {
				t.Errorf("file = %q, %v; want %q", got, err, tt.data)
			}
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != tt.perm {
				t.Errorf("mode = %v, %v; want %v", info.Mode(), err, tt.perm)
			}
			if left := names(t, filepath.Dir(path)); len(left) != 1 {
				t.Errorf("folder holds %q, want the file alone", left)
			}
		})
	}
}

// Only a plain file is read, and nothing is waited for.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := atomicfile.Write(plain, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := atomicfile.Read(plain); err != nil || string(b) != "a" {
		t.Errorf("Read = %q, %v", b, err)
	}
	if _, err := atomicfile.Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v, want ErrNotExist", err)
	}
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink(plain, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, pipe, link} {
		if b, err := atomicfile.Read(path); !errors.Is(err, fault.ErrNotPlain) {
			t.Errorf("Read(%s) = %q, %v; want ErrNotPlain", path, b, err)
		}
	}
}

func TestWrite_failureKeepsTheOldFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// A folder that is not empty cannot be replaced by a file.
	path := filepath.Join(dir, "f")
	if err := os.MkdirAll(filepath.Join(path, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("x"), 0o600); err == nil {
		t.Fatal("Write over a folder succeeded")
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("folder holds %q, want no temporary file", got)
	}
	err := atomicfile.Write(filepath.Join(dir, "none", "f"), nil, 0o600)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Write into a missing folder = %v, want ErrNotExist", err)
	}
	if fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("Write into a missing folder = %v, which tells people nothing", err)
	}
}

func TestWrite_readersSeeOneWholeContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	var writers sync.WaitGroup
	for _, c := range []byte("abcd") {
		writers.Go(func() {
			for range 10 {
				if err := atomicfile.Write(path, bytes.Repeat([]byte{c}, 10_000), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for {
		got, err := os.ReadFile(path)
		if err == nil && (len(got) != 10_000 || bytes.Count(got, got[:1]) != len(got)) {
			t.Fatalf("read a mix of %d bytes", len(got))
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{".f.json123", ".f.json", ".f.json12a", "f.json", ".g.json1"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := atomicfile.Sweep(filepath.Join(dir, "f.json")); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 4 {
		t.Errorf("folder holds %q, want all but the temporary file", got)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second finds nothing
		if err := atomicfile.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Stat = %v, want ErrNotExist", err)
		}
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
