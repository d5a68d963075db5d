package proc

import (
	"syscall"
	"time"
)

// tree is what a ladder ends.
type tree interface {
	// interrupt sends SIGINT to the child, as a terminal would.
	interrupt()
	// signal sends sig to every process, parents first, and wakes those that
	// are stopped so that they can obey.
	signal(sig syscall.Signal)
	empty() bool
	left() []Process
}

// ladder ends a tree, each step harder than the one before.
type ladder struct {
	tree  tree
	grace Grace
	// wake says that the tree may have changed. One slot; a lost wake-up is made
	// up for by looking again every now and then. Nil never wakes.
	wake <-chan struct{}
}

const (
	lookAgain  = 20 * time.Millisecond
	killAgain  = time.Millisecond
	killPasses = 50
)

// stop asks the child to end, and returns when it has, when there is no time for
// that any more (lost), or when it did not obey.
func (l ladder) stop(child, lost <-chan struct{}) {
	l.tree.interrupt()
	t := time.NewTimer(l.grace.Interrupt)
	defer t.Stop()
	select {
	case <-child:
	case <-lost:
	case <-t.C:
	}
}

// end ends every process by SIGTERM, then by SIGKILL, and returns what is left.
// It waits for Terminate while the child lives, for Leftover once it is gone or
// lost is closed. Closed channels are fine, nil ones never happen.
func (l ladder) end(child, lost <-chan struct{}) []Process {
	if l.tree.empty() {
		return nil
	}
	l.tree.signal(syscall.SIGTERM)
	if !l.obeyed(child, lost) {
		l.kill()
	}
	if l.tree.empty() {
		return nil
	}
	return l.tree.left()
}

// obeyed waits for the tree to be empty, and says whether it is.
func (l ladder) obeyed(child, lost <-chan struct{}) bool {
	end := time.NewTimer(l.grace.Terminate)
	defer end.Stop()
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	deadline := time.Now().Add(l.grace.Terminate)
	hurry := func() {
		if d := min(time.Until(deadline), l.grace.Leftover); d < time.Until(deadline) {
			end.Reset(d)
		}
		child, lost = nil, nil
	}
	for !l.tree.empty() {
		select {
		case <-child:
			hurry()
		case <-lost:
			hurry()
		case <-l.wake:
		case <-again.C:
		case <-end.C:
			return l.tree.empty()
		}
	}
	return true
}

// kill sends SIGKILL again and again, since a process that forks may do so
// between being seen and being killed.
func (l ladder) kill() {
	end := time.NewTimer(l.grace.Kill)
	defer end.Stop()
	wait := killAgain
	for pass := 1; ; pass++ {
		l.tree.signal(syscall.SIGKILL)
		if l.tree.empty() {
			return
		}
		if pass > killPasses {
			wait = lookAgain
		}
		again := time.NewTimer(wait)
		select {
		case <-l.wake:
		case <-again.C:
		case <-end.C:
			again.Stop()
			return
		}
		again.Stop()
	}
}

// closed is for a child that has ended before.
var closed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
