package proc

import (
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeTree is processes that end some time after a signal.
type fakeTree struct {
	start time.Time
	child chan struct{}
	wake  chan struct{}

	mu    sync.Mutex
	procs []*fakeProc
	log   []string // repeated signals once
}

type fakeProc struct {
	child bool
	obeys map[syscall.Signal]time.Duration
	ended bool
}

func (f *fakeTree) send(sig syscall.Signal, to func(*fakeProc) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.log); n == 0 || !strings.HasSuffix(f.log[n-1], sig.String()) {
		f.log = append(f.log, time.Since(f.start).String()+" "+sig.String())
	}
	for _, p := range f.procs {
		if d, ok := p.obeys[sig]; ok && to(p) {
			time.AfterFunc(d, func() { f.end(p) })
		}
	}
}

func (f *fakeTree) end(p *fakeProc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	if p.child {
		close(f.child)
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *fakeTree) interrupt() {
	f.send(syscall.SIGINT, func(p *fakeProc) bool { return p.child })
}

func (f *fakeTree) signal(sig syscall.Signal) { f.send(sig, func(*fakeProc) bool { return true }) }

func (f *fakeTree) empty() bool { return len(f.left()) == 0 }

func (f *fakeTree) left() []Process {
	f.mu.Lock()
	defer f.mu.Unlock()
	var left []Process
	for i, p := range f.procs {
		if !p.ended {
			left = append(left, Process{PID: i})
		}
	}
	return left
}

func TestLadder(t *testing.T) {
	const (
		obey   = time.Second
		soon   = 100 * time.Millisecond
		atOnce = 100 * time.Microsecond
	)
	on := func(sigs ...syscall.Signal) map[syscall.Signal]time.Duration {
		m := map[syscall.Signal]time.Duration{}
		for _, s := range sigs {
			m[s] = obey
		}
		return m
	}
	now := map[syscall.Signal]time.Duration{syscall.SIGKILL: atOnce}
	tests := []struct {
		name   string
		procs  []*fakeProc
		exits  bool          // the child has exited by itself
		lostAt time.Duration // after the stop; zero is never
		want   []string
		took   time.Duration
		left   int
	}{
		{
			"child obeys the first signal",
			[]*fakeProc{{child: true, obeys: on(syscall.SIGINT)}},
			false, 0,
			[]string{"0s interrupt"},
			obey, 0,
		},
		{
			"child obeys the second signal",
			[]*fakeProc{{child: true, obeys: on(syscall.SIGTERM)}, {obeys: on(syscall.SIGTERM)}},
			false, 0,
			[]string{"0s interrupt", "3s terminated"},
			3*time.Second + obey, 0,
		},
		{
			"child obeys nothing",
			[]*fakeProc{{child: true, obeys: now}, {obeys: now}},
			false, 0,
			[]string{"0s interrupt", "3s terminated", "6s killed"},
			6*time.Second + atOnce, 0,
		},
		{
			"child obeys, what it left does not",
			[]*fakeProc{{child: true, obeys: on(syscall.SIGINT)}, {obeys: now}},
			false, 0,
			[]string{"0s interrupt", "1s terminated", "2s killed"},
			2*time.Second + atOnce, 0,
		},
		{
			"child obeys the second signal, what it left does not",
			[]*fakeProc{{child: true, obeys: on(syscall.SIGTERM)}, {obeys: now}},
			false, 0,
			[]string{"0s interrupt", "3s terminated", "5s killed"},
			5*time.Second + atOnce, 0,
		},
		{
			"nothing can end it",
			[]*fakeProc{{child: true}, {}},
			false, 0,
			[]string{"0s interrupt", "3s terminated", "6s killed"},
			8 * time.Second, 2,
		},
		{
			"child exited and left something",
			[]*fakeProc{{child: true}, {obeys: on(syscall.SIGTERM)}, {obeys: now}},
			true, 0,
			[]string{"0s terminated", "1s killed"},
			time.Second + atOnce, 0,
		},
		{
			"child exited and left nothing",
			[]*fakeProc{{child: true}},
			true, 0,
			nil,
			0, 0,
		},
		{
			"daemon dies after the first signal",
			[]*fakeProc{{child: true, obeys: now}},
			false, soon,
			[]string{"0s interrupt", "100ms terminated", "1.1s killed"},
			soon + time.Second + atOnce, 0,
		},
		{
			"daemon dies after the second signal",
			[]*fakeProc{{child: true, obeys: now}},
			false, 3*time.Second + soon,
			[]string{"0s interrupt", "3s terminated", "4.1s killed"},
			4*time.Second + soon + atOnce, 0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tree := &fakeTree{start: time.Now(), child: make(chan struct{}), wake: make(chan struct{}, 1), procs: tt.procs}
				lost := make(chan struct{})
				if tt.lostAt > 0 {
					time.AfterFunc(tt.lostAt, func() { close(lost) })
				}
				l := ladder{tree: tree, grace: Grace{}.withDefaults(), wake: tree.wake}
				if tt.exits {
					tree.end(tt.procs[0])
				} else {
					l.stop(tree.child, lost)
				}
				left := l.end(tree.child, lost)
				if took := time.Since(tree.start); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if diff := cmp.Diff(tt.want, tree.log); diff != "" {
					t.Errorf("signals (-want +got):\n%s", diff)
				}
				if len(left) != tt.left {
					t.Errorf("left %v, want %d", left, tt.left)
				}
				time.Sleep(time.Minute) // the fake's own timers
			})
		})
	}
}
