package proc

import (
	"errors"
	"syscall"
)

// Find returns the process that has the pid now; false when there is none.
func Find(pid int) (Process, bool) {
	s, ok := look(pid)
	return s.Process, ok && !s.dead
}

// Alive reports whether exactly this process lives: not a later one with its
// pid, nor one that has ended and waits to be reaped. Where that cannot be told,
// it does.
func (p Process) Alive() bool {
	if errors.Is(syscall.Kill(p.PID, 0), syscall.ESRCH) {
		return false
	}
	now, ok := look(p.PID)
	return !ok || now.Start == p.Start && !now.dead
}
