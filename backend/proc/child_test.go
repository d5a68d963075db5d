package proc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"signalbox/backend/internal/id"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// quick are times for tests that must run the whole ladder.
var quick = proc.Grace{
	Interrupt: 100 * time.Millisecond,
	Terminate: 100 * time.Millisecond,
	Leftover:  100 * time.Millisecond,
	Kill:      5 * time.Second,
}

// play starts a role under a launcher of its own.
func play(t *testing.T, role ...string) *proc.Child {
	t.Helper()
	return start(t, launcher(t, quick), role...)
}

// launcher runs until the test and its children have ended.
func launcher(t *testing.T, grace proc.Grace) *proc.Launcher {
	t.Helper()
	l := proc.NewLauncher(proc.Options{Grace: grace, Instance: testMark(t), Log: logger(t)})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return l
}

func start(t *testing.T, l *proc.Launcher, role ...string) *proc.Child {
	t.Helper()
	c, err := l.Start(t.Context(), spec(t, role...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Stop()
		c.Wait()
		nobodyLeft(t)
	})
	return c
}

func spec(t *testing.T, role ...string) proc.Spec {
	t.Helper()
	return proc.Spec{
		Run:  wire.RunID(id.New("r_")),
		Argv: append([]string{os.Args[0]}, role...),
		Dir:  t.TempDir(),
		Env:  []string{"PATH=" + os.Getenv("PATH"), testMark(t)},
	}
}

func readLine(t *testing.T, c *proc.Child) string {
	t.Helper()
	line, err := c.Line()
	if err != nil {
		t.Fatalf("read line: %v (stderr %q)", err, stderrSoFar(c))
	}
	return string(line)
}

// stderrSoFar is for the message of a failure: the child has ended then.
func stderrSoFar(c *proc.Child) string {
	select {
	case <-c.Done():
		return c.Wait().Stderr
	case <-time.After(time.Minute):
		return "(it lives)"
	}
}

func atEnd(t *testing.T, c *proc.Child) {
	t.Helper()
	if line, err := c.Line(); !errors.Is(err, io.EOF) {
		t.Fatalf("line %q, error %v; want the end", line, err)
	}
}

func wantExit(t *testing.T, c *proc.Child, want proc.Exit) {
	t.Helper()
	select {
	case <-c.Done():
	case <-time.After(time.Minute):
		t.Fatal("the child does not end")
	}
	if diff := cmp.Diff(want, c.Wait(), cmpopts.IgnoreFields(proc.Exit{}, "Stderr")); diff != "" {
		t.Fatalf("exit (-want +got):\n%s", diff)
	}
}

func TestChild_speaksBothWaysAndExits(t *testing.T) {
	t.Parallel()
	c := play(t, "cat")
	for i := range 3 {
		fmt.Fprintf(c.Stdin(), "message %d\n", i)
		if got, want := readLine(t, c), fmt.Sprintf("message %d", i); got != want {
			t.Fatalf("line %q, want %q", got, want)
		}
	}
	if err := c.Stdin().Close(); err != nil {
		t.Fatal(err)
	}
	atEnd(t, c)
	wantExit(t, c, proc.Exit{})
	if err := c.Stdin().Close(); err != nil {
		t.Errorf("close stdin again: %v", err)
	}
}

func TestChild_tellsItsExit(t *testing.T) {
	t.Parallel()
	c := play(t, "exit", "42")
	atEnd(t, c)
	wantExit(t, c, proc.Exit{Code: 42})
}

func TestChild_getsExactlyItsEnvironment(t *testing.T) {
	t.Parallel()
	l := proc.NewLauncher(proc.Options{Grace: quick, Instance: "/home/somebody/data"})
	s := spec(t, "env")
	s.Env = append(s.Env, "ODD=\xff\xfe", "TWICE=1", "TWICE=2")
	c, err := l.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for {
		line, err := c.Line()
		if err != nil {
			break
		}
		name, value, _ := strings.Cut(string(line), "=")
		if _, ok := got[name]; ok {
			t.Errorf("%s is there twice", name)
		}
		got[name] = value
	}
	c.Wait()
	if m := got["SIGNALBOX_INSTANCE"]; m == "" || strings.Contains(m, "somebody") {
		t.Errorf("mark %q", m)
	}
	delete(got, "SIGNALBOX_INSTANCE")
	name, value, _ := strings.Cut(testMark(t), "=")
	want := map[string]string{
		"PATH": os.Getenv("PATH"), name: value, "ODD": "\xff\xfe", "TWICE": "2",
		"SIGNALBOX_RUN":       string(s.Run),
		"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "",
		"SSH_ASKPASS": got["SSH_ASKPASS"], "SSH_ASKPASS_REQUIRE": "force",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(got["SSH_ASKPASS"]); err != nil {
		t.Errorf("SSH_ASKPASS: %v", err)
	}
}
