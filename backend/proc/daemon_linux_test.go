package proc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"signalbox/backend/proc"
)

func init() { roles["daemon"] = daemon }

// daemon plays a daemon with one child, whose lines it passes on. Its first
// argument is its instance, the rest the child's.
func daemon(args []string) {
	l := proc.NewLauncher(proc.Options{Grace: quick, Instance: args[0]})
	go l.Run(context.Background()) //nolint:errcheck // never returns
	c := must(l.Start(context.Background(), proc.Spec{
		Argv: append([]string{self()}, args[1:]...),
		Dir:  "/",
		Env:  os.Environ(),

		Private: os.Getenv(privateVar),
	}))
	guard := parent(c.Supervisor().PID)
	fmt.Println("supervisor", c.Supervisor().PID)
	fmt.Println("guard", guard)
	for {
		line, err := c.Line()
		if err != nil {
			break
		}
		fmt.Printf("%s\n", line)
	}
	select {}
}

// privateVar names the child's private folder to the played daemon.
const privateVar = "TEST_PRIVATE"

type playedDaemon struct {
	cmd               *exec.Cmd
	supervisor, guard int
	pids              []int // of the child's descendants
}

func startDaemon(t *testing.T, instance string, child ...string) *playedDaemon {
	t.Helper()
	return startDaemonWith(t, "", instance, child...)
}

func startDaemonWith(t *testing.T, private, instance string, child ...string) *playedDaemon {
	t.Helper()
	cmd := exec.Command(self(), append([]string{"daemon", instance}, child...)...)
	cmd.Env = []string{testMark(t), "PATH=" + os.Getenv("PATH"), privateVar + "=" + private}
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d := &playedDaemon{cmd: cmd}
	t.Cleanup(func() {
		d.kill()
		nobodyLeft(t)
	})
	in := bufio.NewScanner(out)
	next := func() (string, error) {
		if !in.Scan() {
			return "", fmt.Errorf("the daemon ended: %v", in.Err())
		}
		return in.Text(), nil
	}
	d.pids = descendants(t, func() (string, error) {
		line, err := next()
		if pid, ok := strings.CutPrefix(line, "supervisor "); ok {
			d.supervisor = number(pid)
		}
		if pid, ok := strings.CutPrefix(line, "guard "); ok {
			d.guard = number(pid)
		}
		return line, err
	})
	return d
}

func (d *playedDaemon) kill() {
	_ = d.cmd.Process.Kill() // perhaps killed before
	_ = d.cmd.Wait()         // "signal: killed"
}

// gone waits until nothing of the daemon is there.
func (d *playedDaemon) gone(t *testing.T) {
	t.Helper()
	for _, pid := range append(d.pids, d.supervisor, d.guard) {
		eventually(t, func() string {
			if alive(pid) {
				return fmt.Sprintf("process %d lives", pid)
			}
			return ""
		})
	}
	nobodyLeft(t)
}

// Whoever of ours is killed, somebody ends the tree.
func TestDaemon_killedLeavesNobody(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		kill func(d *playedDaemon)
	}{
		{"daemon", func(d *playedDaemon) { d.kill() }},
		{"daemon, then supervisor", func(d *playedDaemon) { d.kill(); _ = syscall.Kill(d.supervisor, syscall.SIGKILL) }},
		{"supervisor, then daemon", func(d *playedDaemon) { kill(d.supervisor, syscall.SIGKILL); d.kill() }},
		{"guard, then daemon", func(d *playedDaemon) { kill(d.guard, syscall.SIGKILL); d.kill() }},
		{"supervisor asleep, then daemon", func(d *playedDaemon) { kill(d.supervisor, syscall.SIGSTOP); d.kill() }},
		{"daemon terminated with its group", func(d *playedDaemon) {
			kill(d.guard, syscall.SIGTERM)
			kill(d.guard, syscall.SIGINT)
			kill(d.supervisor, syscall.SIGHUP)
			d.kill()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := startDaemon(t, testMark(t), everyWay...)
			tt.kill(d)
			d.gone(t)
		})
	}
}

// What only a child may read does not outlive it, though its daemon is dead.
func TestDaemon_killedLeavesNothingPrivate(t *testing.T) {
	t.Parallel()
	private := filepath.Join(t.TempDir(), "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(private, "mcp.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := startDaemonWith(t, private, testMark(t), "spawn", "group")
	d.kill()
	d.gone(t)
	if _, err := os.Stat(private); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the private folder is still there: %v", err)
	}
}

// When daemon, guard and supervisor are all killed, the next daemon ends what
// they left, and nothing of another instance.
func TestLauncher_Sweep_endsWhatEarlierDaemonsLeft(t *testing.T) {
	t.Parallel()
	mine, other := testMark(t)+"mine", testMark(t)+"other"
	dead := startDaemon(t, mine, "spawn", "group", "session", "double", "stopped")
	living := startDaemon(t, other, "spawn", "session")

	kill(dead.guard, syscall.SIGSTOP) // so that nobody acts in between
	kill(dead.supervisor, syscall.SIGSTOP)
	dead.kill()
	kill(dead.supervisor, syscall.SIGKILL)
	kill(dead.guard, syscall.SIGKILL)

	l := proc.NewLauncher(proc.Options{Grace: quick, Instance: mine, Log: logger(t)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	own := start(t, l, "cat")

	found, err := l.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	swept := map[int]bool{}
	for _, p := range found {
		swept[p.PID] = true
		if p.Start == 0 || p.Command == "" {
			t.Errorf("found %+v", p)
		}
	}
	for _, pid := range dead.pids {
		if !swept[pid] {
			t.Errorf("process %d was not found", pid)
		}
	}
	allGone(t, dead.pids)
	for _, pid := range append(living.pids, living.supervisor, living.guard, own.Process().PID) {
		if !alive(pid) || swept[pid] {
			t.Errorf("process %d was swept", pid)
		}
	}
	if found, err := l.Sweep(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("second sweep found %v, %v", found, err)
	}
	own.Stdin().Close()
	wantExit(t, own, proc.Exit{})
	living.kill()
	living.gone(t)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestLauncher_Sweep_withoutAnInstanceTouchesNothing(t *testing.T) {
	t.Parallel()
	c := start(t, proc.NewLauncher(proc.Options{Grace: quick}), "cat")
	found, err := proc.NewLauncher(proc.Options{}).Sweep(t.Context())
	if err != nil || len(found) > 0 {
		t.Fatalf("found %v, %v", found, err)
	}
	c.Stdin().Close()
	wantExit(t, c, proc.Exit{})
}
