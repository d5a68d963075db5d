package eventlog_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// running runs the store until the test ends.
func running(t *testing.T, s *eventlog.Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// record makes a disk tell each step.
func record(d *testDisk) (steps func() []string) {
	var mu sync.Mutex
	var ops []string
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = func(op, name string) error {
		mu.Lock()
		defer mu.Unlock()
		_, base, _ := strings.Cut(name, "/")
		if strings.HasPrefix(base, "blobs/") {
			base = "body"
		}
		ops = append(ops, strings.TrimSpace(op+" "+base))
		return nil
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		got := ops
		ops = nil
		return got
	}
}

func TestLog_Sync_steps(t *testing.T) {
	t.Parallel()
	l, d, s := onTestDisk(t)
	steps := record(d)
	want := func(name, want string) {
		t.Helper()
		if got := strings.Join(steps(), ", "); got != want {
			t.Errorf("%s: steps %q, want %q", name, got, want)
		}
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	want("nothing to sync", "")
	add(t, l, text(t, "2"))
	want("append", "write events.jsonl")
	add(t, l, text(t, "3"), text(t, "4"), text(t, "5"))
	want("append of a batch", "write events.jsonl")
	if err := l.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	want("one file", "datasync events.jsonl")
	add(t, l, draft(t, wire.ToolUseEnd{Output: big("x", 40_000)}))
	steps()
	if err := l.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	want("a body comes before the log", "open body, sync body, syncdir blobs, syncdir, datasync events.jsonl")

	logs := []*eventlog.Log{l}
	for range 4 {
		l, err := s.Create(newChat())
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, l)
	}
	for _, l := range logs {
		add(t, l, text(t, "x"))
	}
	steps()
	for _, l := range logs {
		if err := l.Sync(t.Context()); err != nil {
			t.Error(err)
		}
	}
	want("a handful", "syncall")
}

// The marker is durable before the first event can be seen.
func TestLog_Append_marksFirst(t *testing.T) {
	t.Parallel()
	_, d, s := onTestDisk(t)
	l, err := s.Create(newChat())
	if err != nil {
		t.Fatal(err)
	}
	steps := record(d)
	add(t, l, text(t, "1"))
	const want = "create open, open open, write open, truncate open, sync open, syncdir, syncdir, write events.jsonl"
	if got := strings.Join(steps(), ", "); got != want {
		t.Errorf("steps %q, want %q", got, want)
	}
}

func TestStore_Run_syncsByItself(t *testing.T) {
	t.Parallel()
	l, d, s := onTestDisk(t)
	synced := make(chan struct{}, 100)
	d.fail = func(op, name string) error {
		if op == "datasync" {
			synced <- struct{}{}
		}
		return nil
	}
	running(t, s)
	for range 3 {
		add(t, l, text(t, "x"))
		<-synced
	}
}

func TestLog_Sync_manyWaitersShareOne(t *testing.T) {
	t.Parallel()
	l, d, s := onTestDisk(t)
	running(t, s)
	steps := record(d)
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			if _, err := l.Append(text(t, "x")); err != nil {
				t.Error(err)
			}
			if err := l.Sync(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	syncs := 0
	for _, op := range steps() {
		if strings.HasPrefix(op, "datasync") {
			syncs++
		}
	}
	if syncs > 201 || syncs == 0 {
		t.Errorf("%d syncs for 200 waiters", syncs)
	}
	t.Logf("%d syncs for 200 waiters", syncs)
}

// A sync that fails is told, and the log is not trusted until it is written anew.
func TestLog_Sync_error(t *testing.T) {
	t.Parallel()
	l, d, _ := onTestDisk(t)
	f := follow(t, l, at(1, 1))
	add(t, l, text(t, "2"))
	d.fail = func(op, name string) error {
		if op == "datasync" || op == "sync" {
			return syscall.EIO
		}
		return nil
	}
	for range 2 {
		err := l.Sync(t.Context())
		wantCode(t, err, fault.Unavailable)
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("Sync = %v, want the disk's error", err)
		}
	}
	add(t, l, text(t, "3")) // readers go on
	if _, evs := drain(t, f); len(evs) != 2 {
		t.Errorf("the follower got %v", evs)
	}
	d.fail = nil
	steps := record(d)
	if err := l.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(steps(), ", ")
	if !strings.Contains(got, "sync events.jsonl.new, rename events.jsonl.new, syncdir") {
		t.Errorf("steps %q: the log was not written anew", got)
	}
	add(t, l, text(t, "4"))
	if _, evs := drain(t, f); len(evs) != 1 || evs[0].Seq != 4 {
		t.Errorf("after that the follower got %v", evs)
	}
	if evs := all(t, l); len(evs) != 4 || l.End().Epoch != 1 {
		t.Errorf("events = %v, epoch %d", evs, l.End().Epoch)
	}
}

func TestLog_Sync_groupError(t *testing.T) {
	t.Parallel()
	bad, d, s := onTestDisk(t)
	logs := []*eventlog.Log{bad}
	for range 5 {
		l, err := s.Create(newChat())
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, l)
	}
	for _, l := range logs {
		add(t, l, text(t, "x"))
	}
	name := filepath.Base(s.Dir(chatOf(t, s)))
	d.fail = func(op, file string) error {
		if op == "syncall" || op == "datasync" && strings.HasPrefix(file, name) {
			return syscall.EIO
		}
		return nil
	}
	// All wait for one sync, and only the one log is in doubt.
	errs := make([]error, len(logs))
	var wg sync.WaitGroup
	for i, l := range logs {
		wg.Go(func() { errs[i] = l.Sync(t.Context()) })
	}
	wg.Wait()
	for i, err := range errs[1:] {
		if err != nil {
			t.Errorf("log %d: %v", i+1, err)
		}
	}
	d.fail = nil
	if err := bad.Sync(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLog_Sync_givesUpWithItsContext(t *testing.T) {
	t.Parallel()
	l, d, s := onTestDisk(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	var once sync.Once
	d.fail = func(op, name string) error {
		if op == "datasync" {
			once.Do(func() { close(entered); <-leave })
		}
		return nil
	}
	running(t, s)
	add(t, l, text(t, "x"))
	<-entered // Run is in the sync
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if err := l.Sync(ctx); !errors.Is(err, stop) {
		t.Errorf("Sync = %v, want the cause", err)
	}
	close(leave)
	if err := l.Sync(t.Context()); err != nil {
		t.Error(err)
	}
}
