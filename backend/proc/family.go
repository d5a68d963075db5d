package proc

import (
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
)

// family is the processes below this one. It reaps every child of this process,
// so nothing here may use os/exec beside it.
type family struct {
	wake chan struct{} // one slot: something ended

	// mu is held while reaping, signalling and starting: what is not reaped
	// keeps its pid.
	mu sync.Mutex

	kept map[int]func(syscall.WaitStatus) // children that were started here; called when one ended
	none bool                             // there is no child at all
	all  bool                             // kept children are to be ended with the rest
}

func newFamily() *family {
	return &family{wake: make(chan struct{}, 1), kept: map[int]func(syscall.WaitStatus){}, none: true}
}

// reapUntil reaps until stop is closed.
func (f *family) reapUntil(stop <-chan struct{}) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCHLD)
	defer signal.Stop(c)
	for {
		f.reap()
		select {
		case <-c:
		case <-stop:
			return
		}
	}
}

func (f *family) reap() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid == 0 {
			f.none = err == syscall.ECHILD
			break
		}
		if ended := f.kept[pid]; ended != nil {
			delete(f.kept, pid)
			ended(ws)
		}
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// start starts a process and keeps it. ended is called with the lock held.
func (f *family) start(path string, argv []string, attr *syscall.ProcAttr, ended func(syscall.WaitStatus)) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	pid, err := syscall.ForkExec(path, argv, attr)
	if err != nil {
		return 0, err
	}
	f.kept[pid] = ended
	f.none = false
	return pid, nil
}

// takeAll makes kept children part of what is to be ended.
func (f *family) takeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = true
}

// wakeKept lets kept children go on that were stopped.
func (f *family) wakeKept() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for pid := range f.kept {
		_ = syscall.Kill(pid, syscall.SIGCONT) // it may have ended
	}
}

func (f *family) childless() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.none
}

// adopted are the children that are to be ended. Only what is returned here may
// be signalled by its pid alone: it is ours to reap, so the pid is its own.
func (f *family) adopted() []int {
	if f.none {
		return nil
	}
	pids := children(os.Getpid())
	if f.all {
		return pids
	}
	return slices.DeleteFunc(pids, func(pid int) bool { return f.kept[pid] != nil })
}

// branch is the part of a family that a ladder ends: the adopted and all below
// them, and strays with the mark.
type branch struct {
	*family

	mark  mark
	group int // the child's, which leads it; 0 has none
}

func (b branch) interrupt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.group > 0 && b.kept[b.group] != nil { // not reaped, so the number is its own
		_ = syscall.Kill(-b.group, syscall.SIGINT)
		_ = syscall.Kill(-b.group, syscall.SIGCONT)
	}
}

func (b branch) signal(sig syscall.Signal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	pids := b.adopted()
	for _, pid := range pids {
		_ = syscall.Kill(pid, sig) // it may have ended; the end is judged by looking again
	}
	below := b.below(pids)
	for _, p := range below {
		signalProcess(p.Process, sig)
	}
	if sig == syscall.SIGKILL {
		return // reaches stopped ones too
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	for _, p := range below {
		signalProcess(p.Process, syscall.SIGCONT)
	}
}

func (b branch) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.none:
	case b.all:
		return false
	default:
		for range 2 { // the list may lack one while another ends
			if len(b.adopted()) > 0 {
				return false
			}
		}
	}
	return len(strays(b.mark)) == 0
}

func (b branch) left() []Process {
	b.mu.Lock()
	defer b.mu.Unlock()
	pids := b.adopted()
	var left []Process
	for _, pid := range pids {
		if s, ok := look(pid); ok && !s.dead {
			left = append(left, s.Process)
		}
	}
	for _, s := range b.below(pids) {
		if !s.dead {
			left = append(left, s.Process)
		}
	}
	return left
}

// below are the descendants of the adopted, and strays with theirs.
func (b branch) below(adopted []int) []status {
	var found []status
	lost := strays(b.mark)
	for _, pid := range lost {
		if s, ok := look(pid); ok {
			found = append(found, s)
		}
	}
	return append(found, descendants(slices.Concat(adopted, lost))...)
}

// descendants returns the children of pids, theirs, and so on.
func descendants(pids []int) []status {
	seen := map[int]bool{}
	for _, pid := range pids {
		seen[pid] = true
	}
	var found []status
	for queue := slices.Clone(pids); len(queue) > 0; queue = queue[1:] {
		for _, pid := range children(queue[0]) {
			if seen[pid] {
				continue
			}
			seen[pid] = true
			if s, ok := look(pid); ok {
				found = append(found, s)
			}
			queue = append(queue, pid)
		}
	}
	return found
}
