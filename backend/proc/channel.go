package proc

import (
	"errors"
	"net"
	"os"
)

// channel returns the two ends of a control channel: the daemon's, and one to
// hand to another process.
func channel() (*net.UnixConn, *os.File, error) {
	fds, err := socketpair()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "control")
	ours, err := unixConn(os.NewFile(uintptr(fds[0]), "control"))
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return ours, theirs, nil
}

// pipes are a child's standard streams and control channel; theirs are handed
// over.
type pipes struct {
	control *net.UnixConn
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	theirs  [handedOver]*os.File
}

func openPipes() (p *pipes, err error) {
	p = &pipes{}
	defer func() {
		if err != nil {
			p.close()
			p.closeTheirs()
		}
	}()
	if p.control, p.theirs[0], err = channel(); err != nil {
		return nil, err
	}
	if p.theirs[1], p.stdin, err = os.Pipe(); err != nil {
		return nil, err
	}
	if p.stdout, p.theirs[2], err = os.Pipe(); err != nil {
		return nil, err
	}
	if p.stderr, p.theirs[3], err = os.Pipe(); err != nil {
		return nil, err
	}
	return p, nil
}

// close closes the daemon's ends. There is nothing to flush, so no error to
// tell.
func (p *pipes) close() {
	if p.control != nil {
		_ = p.control.Close()
	}
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			_ = f.Close()
		}
	}
}

func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		if f != nil {
			_ = f.Close()
		}
	}
}
