package proc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"signalbox/backend/proc"
)

// everyWay makes a tree with a descendant in each of the ways by which one may
// get out of sight: its own group, its own session, orphaned, without our marks
// in its environment, stopped, with our stdout open. All ignore INT, TERM and HUP.
var everyWay = []string{"spawn", "group", "pgid", "session", "double", "bare", "stopped", "holding"}

// descendants reads the pids of a tree until it is ready.
func descendants(t *testing.T, next func() (string, error)) []int {
	t.Helper()
	var pids []int
	for {
		line, err := next()
		if err != nil {
			t.Fatalf("read line: %v", err)
		}
		if line == "ready" {
			return pids
		}
		if _, pid, ok := strings.Cut(line, "pid "); ok {
			pids = append(pids, number(pid))
		}
	}
}

func lines(c *proc.Child) func() (string, error) {
	return func() (string, error) {
		line, err := c.Line()
		return string(line), err
	}
}

func allGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d lives", pid)
		}
	}
}

// T9: nobody is left when Wait returns, however the child ends and wherever its
// descendants are.
func TestChild_leavesNobody(t *testing.T) {
	t.Parallel()
	killed := proc.Exit{Code: -1, Signal: "killed"}
	tests := []struct {
		name string
		args []string // after everyWay
		end  func(*proc.Child)
		want proc.Exit
	}{
		{"exits by itself", []string{"exit"}, func(*proc.Child) {}, proc.Exit{}},
		{"stdin closed", []string{"stdin"}, func(c *proc.Child) { c.Stdin().Close() }, proc.Exit{}},
		{"stopped", nil, (*proc.Child).Stop, proc.Exit{Code: -1, Signal: "interrupt"}},
		{"stopped and deaf", []string{"stubborn"}, (*proc.Child).Stop, killed},
		{"stopped twice", []string{"stubborn"}, func(c *proc.Child) { c.Stop(); c.Stop() }, killed},
		{"asleep when stopped", []string{"stubborn"}, func(c *proc.Child) { kill(c.Process().PID, syscall.SIGSTOP); c.Stop() }, killed},
		{"killed", nil, func(c *proc.Child) { kill(c.Process().PID, syscall.SIGKILL) }, killed},
		{"supervisor terminated", nil, func(c *proc.Child) { kill(c.Supervisor().PID, syscall.SIGTERM) }, proc.Exit{Code: -1, Signal: "interrupt"}},
		{"supervisor killed", nil, func(c *proc.Child) { kill(c.Supervisor().PID, syscall.SIGKILL) }, proc.Exit{Code: -1, Lost: true}},
		{"supervisor asleep when stopped", nil, func(c *proc.Child) { kill(c.Supervisor().PID, syscall.SIGSTOP); c.Stop() }, proc.Exit{Code: -1, Lost: true}},
		{"guard killed", nil, func(c *proc.Child) { killGuard(c); c.Stop() }, proc.Exit{Code: -1, Signal: "interrupt"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := append(append([]string{}, everyWay...), tt.args...)
			if len(tt.args) > 0 && tt.args[0] == "stubborn" {
				args = append([]string{"spawn", "stubborn"}, everyWay[1:]...)
			}
			grace := quick
			if tt.want.Signal == "interrupt" {
				grace.Interrupt = time.Minute // on a busy machine it dies of that no sooner
			}
			c := start(t, launcher(t, grace), args...)
			var pids []int
			if len(tt.args) > 0 && tt.args[0] != "stubborn" {
				for range len(everyWay) - 1 {
					pids = append(pids, number(strings.TrimPrefix(readLine(t, c), "pid ")))
				}
			} else {
				pids = descendants(t, lines(c))
			}
			if len(pids) != len(everyWay)-1 {
				t.Fatalf("%d descendants, want %d", len(pids), len(everyWay)-1)
			}
			tt.end(c)
			wantExit(t, c, tt.want)
			allGone(t, append(pids, c.Process().PID, c.Supervisor().PID))
			atEnd(t, c)
		})
	}
}

// With guard and supervisor killed what carries the mark is found all the same.
func TestChild_leavesNobodyWithoutGuardAndSupervisor(t *testing.T) {
	t.Parallel()
	c := play(t, "spawn", "group", "session", "double", "stopped")
	pids := descendants(t, lines(c))
	killGuard(c)
	kill(c.Supervisor().PID, syscall.SIGKILL)
	wantExit(t, c, proc.Exit{Code: -1, Lost: true})
	allGone(t, append(pids, c.Process().PID))
}

func TestLauncher_startsAgainAfterTheGuardWasKilled(t *testing.T) {
	t.Parallel()
	l := launcher(t, quick)
	first := start(t, l, "cat")
	killGuard(first)
	second := start(t, l, "exit", "5")
	wantExit(t, second, proc.Exit{Code: 5})
	// The first has no guard, the third another: the end of one is not taken for
	// that of the other.
	third := start(t, l, "cat")
	kill(third.Supervisor().PID, syscall.SIGKILL)
	wantExit(t, third, proc.Exit{Code: -1, Lost: true})
	fmt.Fprintln(first.Stdin(), "still here")
	if got := readLine(t, first); got != "still here" {
		t.Errorf("line %q", got)
	}
	first.Stdin().Close()
	wantExit(t, first, proc.Exit{})
}

// A process that forks as fast as it can is caught between two forks.
func TestChild_catchesAChainOfForks(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"stop", "kill supervisor"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			c := play(t, "spawn", "chain", "stubborn")
			descendants(t, lines(c))
			if end == "stop" {
				c.Stop()
			} else {
				kill(c.Supervisor().PID, syscall.SIGKILL)
			}
			if left := c.Wait().Left; len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			nobodyLeft(t)
		})
	}
}

// The end of Run is the end of every child, at once.
func TestLauncher_Run_leavesNobody(t *testing.T) {
	t.Parallel()
	l := proc.NewLauncher(proc.Options{Grace: quick, Log: logger(t)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	c := start(t, l, everyWay...)
	pids := descendants(t, lines(c))
	guard := parent(c.Supervisor().PID)
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	allGone(t, append(pids, c.Process().PID, c.Supervisor().PID, guard))
	if _, err := l.Start(t.Context(), spec(t, "cat")); err == nil {
		t.Error("a child was started after the end")
	}
	if err := l.Run(t.Context()); err == nil {
		t.Error("Run runs a second time")
	}
}

// The signal is what the child gets first, and it has the time it is promised.
func TestChild_Stop_asksFirst(t *testing.T) {
	t.Parallel()
	for sig, interrupt := range map[string]time.Duration{"INT": time.Minute, "TERM": 200 * time.Millisecond} {
		t.Run(sig, func(t *testing.T) {
			t.Parallel()
			grace := proc.Grace{Interrupt: interrupt, Terminate: time.Minute, Leftover: time.Second, Kill: time.Second}
			c := start(t, launcher(t, grace), "signal", sig)
			if got := readLine(t, c); got != "ready" {
				t.Fatalf("line %q", got)
			}
			c.Stop()
			wantExit(t, c, proc.Exit{Code: 7})
		})
	}
}

func TestChild_hasATerminalThatHangsUp(t *testing.T) {
	t.Parallel()
	l := proc.NewLauncher(proc.Options{Grace: proc.Grace{Leftover: 10 * time.Second}, Log: logger(t)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	said := filepath.Join(t.TempDir(), "said")
	c := start(t, l, "tty", said)
	if got, want := readLine(t, c), "leader true nonblock false"; got != want {
		t.Errorf("the child sees %q, want %q", got, want)
	}
	readLine(t, c)
	cancel() // lets go of every child
	<-ended
	if b, err := os.ReadFile(said); err != nil || string(b) != "hung up" {
		t.Errorf("no hang-up was seen: %q, %v", b, err)
	}
}

// The standard streams and the terminal, and nothing of the daemon's: a lifeline
// that is inherited is none.
func TestChild_inheritsFourDescriptors(t *testing.T) {
	t.Parallel()
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	must(unix.FcntlInt(f.Fd(), unix.F_SETFD, 0)) // as one that the daemon itself was given
	c := play(t, "fds")
	for _, want := range []string{"0", "1", "2", "3"} {
		if got := readLine(t, c); got != want {
			t.Errorf("descriptor %s, want %s", got, want)
		}
	}
	atEnd(t, c)
}

// The end comes also when somebody outside of the tree holds stdout open.
func TestChild_stdoutHeldByAStranger(t *testing.T) {
	t.Parallel()
	c := play(t, "spawn", "stdin")
	held, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", c.Process().PID), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if _, err := held.WriteString("from a stranger\n"); err != nil {
		t.Fatal(err)
	}
	c.Stdin().Close()
	if got := readLine(t, c); got != "from a stranger" {
		t.Errorf("line %q", got)
	}
	atEnd(t, c)
	wantExit(t, c, proc.Exit{})
}

func kill(pid int, sig syscall.Signal) { must(0, syscall.Kill(pid, sig)) }

func killGuard(c *proc.Child) {
	guard := parent(c.Supervisor().PID)
	kill(guard, syscall.SIGKILL)
}

func parent(pid int) int {
	b := must(os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"))
	_, rest, _ := strings.Cut(string(b), ") ")
	return number(strings.Fields(rest)[1])
}
