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
	if err := neverTyped(int(slave.Fd())); err != nil {
		t.hangUp()
		return nil, err
	}
	return t, nil
}

// neverTyped makes a read of the terminal return its end at once. Who asks for a
// password there, such as ssh and sudo, is told so instead of waiting unseen.
func neverTyped(fd int) error {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	t.Lflag &^= unix.ICANON | unix.ECHO
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 0, 0
	return unix.IoctlSetTermios(fd, setTermios, t)
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
