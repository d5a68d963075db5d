package eventlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// onTestDisk returns a log with one synced prompt on a disk of the test's.
func onTestDisk(t testing.TB) (*eventlog.Log, *testDisk, *eventlog.Store) {
	t.Helper()
	dir := t.TempDir()
	d, err := newTestDisk(dir, filepath.Join(t.TempDir(), "scratch"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := eventlog.OpenOn(dir, d, eventlog.Options{BootID: "boot-1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // the disk may be broken by now
	l, err := s.Create(newChat())
	if err != nil {
		t.Fatal(err)
	}
	add(t, l, prompt(t, "1"))
	if err := l.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l, d, s
}

func TestLog_fullDisk(t *testing.T) {
	t.Parallel()
	l, d, _ := onTestDisk(t)
	f := follow(t, l, at(1, 1))
	batch := []wire.Draft{text(t, "a"), text(t, strings.Repeat("b", 300)), text(t, "c")}
	for space := int64(0); space < 600; space += 35 { // also in the middle of each line
		d.space = space
		if _, err := l.Append(batch...); err == nil {
			t.Fatalf("append with %d bytes left worked", space)
		} else {
			wantCode(t, err, fault.Unavailable)
			if !strings.Contains(err.Error(), "full") {
				t.Errorf("error %v does not say that the disk is full", err)
			}
		}
		if evs := all(t, l); len(evs) != 1 {
			t.Fatalf("with %d bytes left a part of the batch stays: %v", space, evs)
		}
	}
	d.space = 100
	wantCode(t, l.Rewind(1, nil), fault.Unavailable)
	wantCode(t, l.Clear(), fault.Unavailable)
	_, err := l.Append(draft(t, wire.ToolUseEnd{Output: big("x", 40_000)}))
	wantCode(t, err, fault.Unavailable)

	d.space = -1
	if got := add(t, l, batch...); got != 4 {
		t.Errorf("first append with space ends at %d, want 4", got)
	}
	if _, evs := drain(t, f); !cmp.Equal(seqs(evs), span(2, 4)) {
		t.Errorf("the follower got %v", evs)
	}
	if files, _ := filepath.Glob(filepath.Join(d.dir, "*", "blobs", "*")); len(files) != 0 {
		t.Errorf("a body that did not fit left %v", files)
	}
}

// When not even the half line can be taken back, the next append does it.
func TestLog_fullDisk_truncateFails(t *testing.T) {
	t.Parallel()
	l, d, _ := onTestDisk(t)
	d.space = 30
	d.fail = func(op, name string) error {
		if op == "truncate" {
			return syscall.EIO
		}
		return nil
	}
	_, err := l.Append(text(t, "lost"))
	wantCode(t, err, fault.Unavailable)
	d.space = -1
	_, err = l.Append(text(t, "lost too"))
	wantCode(t, err, fault.Unavailable)
	d.fail = nil
	add(t, l, text(t, "2"))
	if diff := cmp.Diff([]event{{1, "user", "1"}, {2, "assistant_text", "2"}}, all(t, l)); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
}

func TestLog_readOnlyDisk(t *testing.T) {
	t.Parallel()
	dir, chat := t.TempDir(), newChat()
	writeLog(t, dir, chat, headerLine(chat, 1, 0)+textLine(1)+textLine(2)[:30])
	d, err := newTestDisk(dir, filepath.Join(t.TempDir(), "scratch"))
	if err != nil {
		t.Fatal(err)
	}
	d.fail = func(op, name string) error { return syscall.EROFS }
	s, err := eventlog.OpenOn(dir, d, eventlog.Options{BootID: "boot-1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	l, err := s.Log(chat)
	if err != nil {
		t.Fatal(err)
	}
	if got := all(t, l); len(got) != 1 {
		t.Errorf("events = %v, want the whole one", got)
	}
	if _, err := l.Page(nil, 0); err != nil {
		t.Error(err)
	}
	_, err = l.Append(text(t, "x"))
	wantCode(t, err, fault.Unavailable)
	if e, ok := errors.AsType[*fault.Error](err); !ok || e.Hint == "" || !strings.Contains(e.Message, "written") {
		t.Errorf("error %v does not say what to do", err)
	}
	_, err = s.Create(newChat())
	wantCode(t, err, fault.Unavailable)
	_, err = l.NewBlob()
	wantCode(t, err, fault.Unavailable)

	d.fail = nil
	if got := add(t, l, text(t, "x")); got != 3 {
		t.Errorf("first append ends at %d, want 3, after the repair", got)
	}
	if got := l.End(); got != *at(2, 3) {
		t.Errorf("End = %v, want 2:3", got)
	}
}

// Every step of a change may be the last of the process or of the machine.
func TestLog_changeEndsAtAnyStep(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(*eventlog.Log) error
		cut  bool // a cut comes first
		keep uint64
	}{
		{name: "rewind", do: func(l *eventlog.Log) error { return l.Rewind(3, nil) }},
		{name: "clear", do: func(l *eventlog.Log) error { return l.Clear() }},
		{name: "restore", do: (*eventlog.Log).Restore, cut: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			steps, old, changed := 0, 0, 0
			for done := false; !done; steps++ {
				l, d, s := onTestDisk(t)
				add(t, l, text(t, "2"), prompt(t, "3"), text(t, "4"))
				if tt.cut {
					if err := l.Rewind(3, nil); err != nil {
						t.Fatal(err)
					}
				}
				if err := l.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
				before := all(t, l)
				chat := chatOf(t, s)
				d.left = steps
				done = tt.do(l) == nil
				s.Kill()
				folder := reopen(t, filepath.Join(d.dir, string(chat)))
				l2, err := openStore(t, folder, eventlog.Options{}).Log(chat)
				if err != nil {
					t.Fatal(err)
				}
				if got := all(t, l2); cmp.Equal(before, got) {
					old++
				} else if last := got[len(got)-1]; last.Type == wire.TypeEpoch && strings.Contains(last.Text, tt.name) {
					changed++
				} else {
					t.Errorf("after %d steps the log is neither old nor new: %v", steps, got)
				}
			}
			if old < 3 || changed < 2 {
				t.Errorf("%d steps gave %d old logs and %d new ones", steps, old, changed)
			}
		})
	}
}

// childEnv tells the test binary which limit of the system to try, and where.
const childEnv = "EVENTLOG_TEST_CHILD"

// runChild runs this test again in a process of its own.
func runChild(t *testing.T, what string, change func(*exec.Cmd)) string {
	t.Helper()
	exe, err := os.Open("/proc/self/exe")
	if err != nil {
		self, err2 := os.Executable()
		if err2 != nil {
			t.Fatal(err, err2)
		}
		if exe, err = os.Open(self); err != nil {
			t.Fatal(err)
		}
	}
	defer exe.Close()
	cmd := exec.CommandContext(t.Context(), exe.Name(), "-test.run", "^TestChild$", "-test.v")
	cmd.Env = append(os.Environ(), childEnv+"="+what)
	if change != nil {
		change(cmd)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("child: %v\n%s", err, out)
	}
	return string(out)
}

// A limit of the system itself: a file can't grow, and then it can.
func TestLog_fileSizeLimit(t *testing.T) {
	t.Parallel()
	if out := runChild(t, "limit:"+t.TempDir(), nil); !strings.Contains(out, "child done") {
		t.Errorf("child:\n%s", out)
	}
}

// A folder that the system does not let us write to. Root may write anywhere, so
// then the child gives that up.
func TestLog_folderWithoutRights(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "eventlog") // its parents can be entered by all
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	chat := newChat()
	writeLog(t, dir, chat, headerLine(chat, 1, 0)+textLine(1))
	if err := os.WriteFile(filepath.Join(dir, "lock"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{
		"": 0o555, "lock": 0o666, "chats": 0o555, "chats/" + string(chat): 0o555, "chats/" + string(chat) + "/events.jsonl": 0o444,
	} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, name := range []string{"", "chats", "chats/" + string(chat)} {
			_ = os.Chmod(filepath.Join(dir, name), 0o755) // so that it can be removed
		}
	})
	out := runChild(t, "rights:"+dir, func(cmd *exec.Cmd) {
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			cmd.Dir = "/"
		}
	})
	if !strings.Contains(out, "child done") {
		t.Errorf("child:\n%s", out)
	}
}

// TestChild is what runChild runs; alone it does nothing.
func TestChild(t *testing.T) {
	what, dir, ok := strings.Cut(os.Getenv(childEnv), ":")
	if !ok {
		return
	}
	switch what {
	case "limit":
		childLimit(t, dir)
	case "rights":
		childRights(t, dir)
	}
	fmt.Println("child done")
}

func childLimit(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	l, err := openStore(t, dir, eventlog.Options{}).Create(newChat())
	if err != nil {
		t.Fatal(err)
	}
	add(t, l, prompt(t, "1"))
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	low := old
	low.Cur = 1000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		t.Fatal(err)
	}
	_, err = l.Append(text(t, strings.Repeat("x", 5000)))
	wantCode(t, err, fault.Unavailable)
	if evs := all(t, l); len(evs) != 1 {
		t.Errorf("events after a failed append: %v", evs)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if got := add(t, l, text(t, strings.Repeat("x", 5000))); got != 2 {
		t.Errorf("append with space ends at %d, want 2", got)
	}
	all(t, l)
}

func childRights(t *testing.T, dir string) {
	s := openStore(t, dir, eventlog.Options{})
	l, err := s.Log(chatOf(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if evs := all(t, l); len(evs) != 1 {
		t.Errorf("events = %v", evs)
	}
	_, err = l.Append(text(t, "x"))
	wantCode(t, err, fault.Unavailable)
	if !bytes.Contains([]byte(err.Error()), []byte("written")) {
		t.Errorf("error %v does not say why", err)
	}
	_, err = s.Create(newChat())
	wantCode(t, err, fault.Unavailable)
	wantCode(t, l.Clear(), fault.Unavailable)
}
