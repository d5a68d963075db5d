package proc

import (
	"os"
	"syscall"
)

// marked is the tree of processes whose mark is one of a kind, with everything
// below them. It is for processes that are nobody's here any more.
type marked struct {
	match func(mark) bool
	// known are all that were ever found: one that has lost its marked parent is
	// found no other way.
	known map[Process]mark
}

func newMarked(m mark) *marked {
	return &marked{match: m.covers, known: map[Process]mark{}}
}

func (t *marked) interrupt() {}

// signal spares guards and supervisors from SIGTERM, and only wakes them: they
// are ending their trees already, and know better what is below them.
func (t *marked) signal(sig syscall.Signal) {
	for _, p := range t.left() {
		if sig == syscall.SIGKILL || !t.known[p].ours() {
			signalProcess(p, sig)
		}
		if sig != syscall.SIGKILL {
			signalProcess(p, syscall.SIGCONT)
		}
	}
}

func (t *marked) empty() bool { return len(t.left()) == 0 }

// left looks at every process of the machine. Without leave to look there is
// nothing.
func (t *marked) left() []Process {
	pids, err := all()
	if err != nil {
		return nil
	}
	spare := ancestors(os.Getpid())
	table := map[int]status{}
	var roots []int
	for _, pid := range pids {
		s, ok := look(pid)
		if !ok || s.dead || spare[pid] {
			continue
		}
		table[pid] = s
		if _, ok := t.known[s.Process]; ok {
			roots = append(roots, pid)
		} else if m := markOf(pid); m != "" && t.match(m) {
			t.known[s.Process] = m
			roots = append(roots, pid)
		}
	}
	var left []Process
	for _, s := range below(table, roots) {
		if _, ok := t.known[s.Process]; !ok {
			t.known[s.Process] = ""
		}
		left = append(left, s.Process)
	}
	return left
}

// below returns roots and their descendants, parents first.
func below(table map[int]status, roots []int) []status {
	children := map[int][]int{}
	for pid, s := range table {
		children[s.parent] = append(children[s.parent], pid)
	}
	var found []status
	seen := map[int]bool{}
	for queue := roots; len(queue) > 0; queue = queue[1:] {
		pid := queue[0]
		if seen[pid] {
			continue
		}
		seen[pid] = true
		found = append(found, table[pid])
		queue = append(queue, children[pid]...)
	}
	return found
}

// ancestors returns a process and all that are above it.
func ancestors(pid int) map[int]bool {
	found := map[int]bool{}
	for pid > 0 && !found[pid] {
		found[pid] = true
		s, ok := look(pid)
		if !ok {
			break
		}
		pid = s.parent
	}
	return found
}
