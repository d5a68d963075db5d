package proc

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// terminal is the controlling terminal of a child. Nothing reads what is
// written there, and nothing is ever typed.
type terminal struct {
	master *os.File
	// slave stays open so that reading goes on while nobody has the terminal
	// open.
	slave *os.File
}

func openTerminal() (*terminal, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	// pty.Open leaves the master blocking: Close would then not close it while
	// drain reads, and no hang-up would be sent.
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	err = errors.Join(err, master.Close())
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		return nil, errors.Join(err, slave.Close())
	}
	t := &terminal{master: os.NewFile(uintptr(fd), "pty"), slave: slave}
	// A size of nothing by nothing makes some programs divide by it.
	_ = pty.Setsize(slave, &pty.Winsize{Rows: 24, Cols: 80})
	return t, nil
}

// drain reads until the terminal is hung up, so that a writer never waits.
func (t *terminal) drain() {
	_, _ = io.Copy(io.Discard, t.master)
}

// hangUp closes the terminal; the session that it controls gets SIGHUP.
func (t *terminal) hangUp() {
	_ = t.master.Close() // nothing was written
	_ = t.slave.Close()
}
