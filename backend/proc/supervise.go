package proc

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Descriptors of a supervisor and, of the first, of a guard.
const (
	controlFD = 3 + iota
	stdinFD
	stdoutFD
	stderrFD
)

const (
	roleVar  = "SIGNALBOX_ROLE"
	graceVar = "SIGNALBOX_GRACE"

	roleGuard      = "guard"
	roleSupervisor = "supervisor"
)

// Supervise is the hidden command "supervise": what a [Launcher] starts of its
// own binary. It takes over the whole process (signals, children, descriptors)
// and ends it; it returns the exit code only when it was started by hand.
func Supervise() int {
	switch os.Getenv(roleVar) {
	case roleGuard:
		leave(runGuard())
	case roleSupervisor:
		leave(runSupervisor())
	}
	fmt.Fprintln(os.Stderr, "supervise is started by the daemon and is no use by hand.")
	return 2
}

// leave ends the process. Not by os.Exit: that waits a second under the race
// detector, and each run waits for its supervisor.
func leave(err error) {
	if err == nil {
		syscall.Exit(0)
	}
	fmt.Fprintln(os.Stderr, os.Getenv(roleVar)+": "+err.Error())
	syscall.Exit(1)
}

// control opens the channel that was inherited. No child may inherit it in turn:
// it is the lifeline.
func control() (*net.UnixConn, error) {
	return unixConn(os.NewFile(controlFD, "control"))
}

// unixConn makes a connection of f, which is closed.
func unixConn(f *os.File) (*net.UnixConn, error) {
	defer f.Close() //nolint:errcheck // FileConn has a copy
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	return c.(*net.UnixConn), nil //nolint:errcheck,forcetypeassert // socketpair makes no other
}

// catchSignals keeps this process alive: what is sent to a whole control group
// or terminal is for the daemon and the child. The signals are caught and not
// ignored, since a child would inherit that.
func catchSignals(terminate chan<- os.Signal) {
	rest := make(chan os.Signal, 1)
	signal.Notify(rest, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTSTP)
	signal.Notify(terminate, syscall.SIGTERM)
}

// closeInherited closes the descriptors from first on that were open when this
// program began, whoever left them to it: the daemon's sockets must not outlive
// it. What Go opened itself is marked close-on-exec.
func closeInherited(first int) {
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // then they stay open, as with any program
	}
	for _, entry := range list {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd < first {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = syscall.Close(fd)
		}
	}
}
