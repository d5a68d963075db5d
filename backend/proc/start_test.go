package proc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"signalbox/backend/fault"
	"signalbox/backend/proc"
)

// Each start that can't be has its own words, and leaves nothing behind.
func TestLauncher_Start_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, body string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(body), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "#!/bin/sh\n", 0o644)
	lost := write("lost", "#!/no/such/interpreter\n", 0o755)
	junk := write("junk", "\x00\x01\x02\x03", 0o755)
	tests := []struct {
		name string
		spec func(*proc.Spec)
		code fault.Code
		says string
	}{
		{"no program", func(s *proc.Spec) { s.Argv = nil }, fault.Invalid, "no program"},
		{"empty program", func(s *proc.Spec) { s.Argv = []string{""} }, fault.Invalid, "no program"},
		{"NUL in an argument", func(s *proc.Spec) { s.Argv = append(s.Argv, "a\x00b") }, fault.Invalid, "NUL"},
		{"NUL in the environment", func(s *proc.Spec) { s.Env = append(s.Env, "A=\x00") }, fault.Invalid, "NUL"},
		{"variable without a value", func(s *proc.Spec) { s.Env = append(s.Env, "A") }, fault.Invalid, "variable"},
		{"relative folder", func(s *proc.Spec) { s.Dir = "here" }, fault.Invalid, "absolute"},
		{"no folder", func(s *proc.Spec) { s.Dir = "" }, fault.Invalid, "absolute"},
		{"missing folder", func(s *proc.Spec) { s.Dir = filepath.Join(dir, "gone") }, fault.NotFound, "gone is not there"},
		{"missing folder and program", func(s *proc.Spec) { s.Dir, s.Argv[0] = filepath.Join(dir, "gone"), "/no" }, fault.NotFound, "gone is not there"},
		{"folder that is a file", func(s *proc.Spec) { s.Dir = plain }, fault.NotFound, "not a folder"},
		{"program not on the PATH", func(s *proc.Spec) { s.Argv[0] = "no-such-program" }, fault.Unavailable, "no-such-program is not installed"},
		{"program on no PATH", func(s *proc.Spec) { s.Argv[0], s.Env = "sh", nil }, fault.Unavailable, "sh is not installed"},
		{"missing program", func(s *proc.Spec) { s.Argv[0] = filepath.Join(dir, "no") }, fault.NotFound, "no is not there"},
		{"missing relative program", func(s *proc.Spec) { s.Argv[0] = "./no" }, fault.NotFound, "no is not there"},
		{"program that is a folder", func(s *proc.Spec) { s.Argv[0] = dir }, fault.NotFound, "is a folder"},
		{"not executable", func(s *proc.Spec) { s.Argv[0] = plain }, fault.Unavailable, "may not be run"},
		{"not executable on the PATH", func(s *proc.Spec) { s.Argv[0], s.Env = "plain", []string{"PATH=" + dir} }, fault.Unavailable, "may not be run"},
		{"missing interpreter", func(s *proc.Spec) { s.Argv[0] = lost }, fault.Unavailable, "interpreter"},
		{"not a program", func(s *proc.Spec) { s.Argv[0] = junk }, fault.Unavailable, "can run"},
		{"arguments too long", func(s *proc.Spec) { s.Argv = append(s.Argv, strings.Repeat("x", 2<<20)) }, fault.TooLarge, "arguments"},
	}
	l := launcher(t, quick)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := spec(t, "cat")
			tt.spec(&s)
			c, err := l.Start(t.Context(), s)
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || c != nil || f.Code != tt.code || !strings.Contains(f.Message, tt.says) {
				t.Fatalf("error %v, want %s with %q", err, tt.code, tt.says)
			}
			if f.Code == fault.Unavailable && f.Hint == "" {
				t.Errorf("no hint in %v", err)
			}
		})
	}
}

func TestLauncher_Start_findsPrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink(must(filepath.Abs(os.Args[0])), filepath.Join(dir, "tool")); err != nil {
		t.Fatal(err)
	}
	l := launcher(t, quick)
	for name, change := range map[string]func(*proc.Spec){
		"on the PATH":       func(s *proc.Spec) { s.Argv[0], s.Env[0] = "tool", "PATH=:./x:/no/such:"+dir },
		"by its path":       func(s *proc.Spec) { s.Argv[0] = filepath.Join(dir, "tool") },
		"below the folder":  func(s *proc.Spec) { s.Argv[0], s.Dir = "./tool", dir },
		"last PATH is used": func(s *proc.Spec) { s.Argv[0] = "tool"; s.Env = append(s.Env, "PATH="+dir) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(t, "exit", "9")
			change(&s)
			c, err := l.Start(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			wantExit(t, c, proc.Exit{Code: 9})
		})
	}
}

func TestLauncher_Start_withABrokenSupervisor(t *testing.T) {
	t.Parallel()
	for _, exe := range []string{"/bin/false", "/no/such/file"} {
		l := proc.NewLauncher(proc.Options{Exe: exe, Grace: quick})
		if _, err := l.Start(t.Context(), spec(t, "cat")); fault.CodeOf(err) != fault.Internal {
			t.Errorf("%s: error %v", exe, err)
		}
	}
}

// A start that is given up, at whatever moment, leaves nothing.
func TestLauncher_Start_givenUp(t *testing.T) {
	t.Parallel()
	l := launcher(t, quick)
	for i := range 30 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
		c, err := l.Start(ctx, spec(t, "hold"))
		switch {
		case err == nil:
			c.Stop()
			c.Wait()
		case fault.CodeOf(err) != fault.Canceled:
			t.Errorf("after %d ms: %v", i, err)
		}
		cancel()
	}
	nobodyLeft(t)
}

// The end of ctx after the start means nothing.
func TestLauncher_Start_ctxBoundsTheStartAlone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, err := launcher(t, quick).Start(ctx, spec(t, "cat"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	fmt.Fprintln(c.Stdin(), "still here")
	if got := readLine(t, c); got != "still here" {
		t.Errorf("line %q", got)
	}
	c.Stdin().Close()
	wantExit(t, c, proc.Exit{})
}

// Fifty at once, and no descriptor is left open. Not parallel: it counts those
// of the whole process.
func TestLauncher_fiftyChildren(t *testing.T) {
	before := openFiles(t)
	func() {
		l := proc.NewLauncher(proc.Options{Grace: quick, Log: logger(t)})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				c, err := l.Start(t.Context(), spec(t, "cat"))
				if err != nil {
					t.Error(err)
					return
				}
				fmt.Fprintf(c.Stdin(), "child %d\n", i)
				if line, err := c.Line(); err != nil || string(line) != fmt.Sprintf("child %d", i) {
					t.Errorf("child %d: line %q, %v", i, line, err)
				}
				if i%2 == 0 {
					c.Stop()
				}
				c.Stdin().Close()
				c.Wait()
			})
		}
		wg.Wait()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	nobodyLeft(t)
	if after := openFiles(t); after > before {
		t.Errorf("%d descriptors are open, %d were before", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
