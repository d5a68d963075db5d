package proc

import (
	"bytes"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

const falsePath = "/usr/bin/false"

const zombie = 5 // SZOMB of sys/proc.h

func selfPath() (string, error) { return os.Executable() }

// adoptOrphans does nothing: orphans go to launchd here, and are known by their
// mark alone.
func adoptOrphans() error { return nil }

// nameSelf does nothing: a program can't rename itself here.
func nameSelf(string) {}

type status struct {
	Process

	parent int
	dead   bool
}

func look(pid int) (status, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return status{}, false
	}
	return statusOf(k), true
}

func statusOf(k *unix.KinfoProc) status {
	name, _, _ := bytes.Cut(k.Proc.P_comm[:], []byte{0})
	start := k.Proc.P_starttime
	return status{
		Process: Process{
			PID:     int(k.Proc.P_pid),
			Start:   uint64(start.Sec)*1e6 + uint64(start.Usec),
			Command: strings.ToValidUTF8(string(name), "?"),
		},
		parent: int(k.Eproc.Ppid),
		dead:   k.Proc.P_stat == zombie,
	}
}

// markOf finds the mark in argc, the path, the arguments and the environment,
// which the system gives as one block.
func markOf(pid int) mark {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return ""
	}
	return markIn(b)
}

func all() ([]int, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	pids := make([]int, 0, len(list))
	for i := range list {
		pids = append(pids, int(list[i].Proc.P_pid))
	}
	return pids, nil
}

func children(pid int) []int {
	return where(func(s status) bool { return s.parent == pid })
}

// strays returns the orphans of the child whose mark m is, or of all children
// where m is their common beginning.
func strays(m mark) []int {
	return where(func(s status) bool { return s.parent == 1 && m.covers(markOf(s.PID)) })
}

func where(ok func(status) bool) []int {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	var pids []int
	for i := range list {
		if s := statusOf(&list[i]); ok(s) {
			pids = append(pids, s.PID)
		}
	}
	return pids
}

func signalProcess(p Process, sig syscall.Signal) {
	if now, ok := look(p.PID); ok && now.Start == p.Start {
		_ = syscall.Kill(p.PID, sig) // gone, or not ours: the end is judged by looking again
	}
}
