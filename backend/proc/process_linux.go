package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

const falsePath = "/bin/false"

// selfPath stays right when the binary is replaced while the daemon runs.
func selfPath() (string, error) { return "/proc/self/exe", nil }

// adoptOrphans makes orphans below this process its children.
func adoptOrphans() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// nameSelf sets the name that ps and top show.
func nameSelf(name string) {
	_ = os.WriteFile("/proc/self/comm", []byte(name), 0) // cosmetic
}

// strays returns the orphans with a mark that m covers that did not come to the
// supervisor or guard; here they all do.
func strays(mark) []int { return nil }

// status is a line of /proc/<pid>/stat as far as it is used.
type status struct {
	Process

	parent int
	dead   bool // a zombie: ended, not reaped
}

// look returns what there is to know of a process, and false when there is
// none.
func look(pid int) (status, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return status{}, false
	}
	// The name is in parentheses and may hold some itself.
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return status{}, false
	}
	f := strings.Fields(string(b[end+1:])) // from field 3, the state
	if len(f) < 20 {
		return status{}, false
	}
	s := status{dead: f[0] == "Z" || f[0] == "X"}
	s.PID, s.Command = pid, strings.ToValidUTF8(string(b[open+1:end]), "?")
	s.parent, err = strconv.Atoi(f[1])
	if err != nil {
		return status{}, false
	}
	if s.Start, err = strconv.ParseUint(f[19], 10, 64); err != nil {
		return status{}, false
	}
	return s, true
}

// markOf returns the mark of a process; "" when it has none or is another
// user's.
func markOf(pid int) mark {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	return markIn(b)
}

// all returns the pids of the machine.
func all() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// children returns the children of a process, ended ones too. It is quick, so
// that a process that forks as fast as it can is met between two forks.
func children(pid int) []int {
	dir := "/proc/" + strconv.Itoa(pid) + "/task"
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var pids []int
	for _, task := range tasks {
		b, err := os.ReadFile(dir + "/" + task.Name() + "/children")
		if errors.Is(err, os.ErrNotExist) {
			if !hasChildrenFile() {
				return childrenByScan(pid)
			}
			continue // the thread ended
		}
		for f := range strings.FieldsSeq(string(b)) {
			if child, err := strconv.Atoi(f); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// hasChildrenFile is false on kernels built without CONFIG_PROC_CHILDREN.
func hasChildrenFile() bool {
	_, err := os.Stat("/proc/thread-self/children")
	return err == nil
}

func childrenByScan(parent int) []int {
	pids, err := all()
	if err != nil {
		return nil
	}
	var found []int
	for _, pid := range pids {
		if s, ok := look(pid); ok && s.parent == parent {
			found = append(found, pid)
		}
	}
	return found
}

// signalProcess sends a signal to exactly p, never to a later process with its
// pid.
func signalProcess(p Process, sig syscall.Signal) {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil && !errors.Is(err, syscall.ENOSYS) {
		return // gone
	}
	if err == nil {
		defer unix.Close(fd) //nolint:errcheck // nothing was written
	}
	if now, ok := look(p.PID); !ok || now.Start != p.Start {
		return
	}
	if err == nil {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0) // gone, or not ours: the end is judged by looking again
		return
	}
	_ = syscall.Kill(p.PID, sig)
}
