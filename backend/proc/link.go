package proc

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// link is the daemon's side of a guard. One goroutine reads what the guard
// tells and waits for its end.
type link struct {
	conn *net.UnixConn
	cmd  *exec.Cmd
	log  *slog.Logger
	said *tail         // what guard and supervisors say on stderr: why they broke down
	gone chan struct{} // closed when the guard has ended and is reaped
	wait time.Duration // how long the guard may take to end

	mu sync.Mutex

	dead  bool                  // nothing can be handed over any more
	asked bool                  // to end
	force *time.Timer           // kills a guard that was asked and does not end
	ends  map[uint64]chan ended // by child; one slot each, closed without a word when the guard is lost
}

func startGuard(l *Launcher) (*link, error) {
	conn, theirs, err := channel()
	if err != nil {
		return nil, err
	}
	defer theirs.Close() //nolint:errcheck // handed over
	g := &link{
		conn: conn,
		log:  l.log,
		said: &tail{},
		gone: make(chan struct{}),
		wait: 2*l.grace.short() + 2*slack,
		ends: map[uint64]chan ended{},
	}
	g.cmd = &exec.Cmd{
		Path:        l.exe,
		Args:        []string{l.name, "supervise"},
		Env:         superviseEnv(roleGuard, l.mark, &l.grace),
		Dir:         "/",
		Stderr:      g.said,
		ExtraFiles:  []*os.File{theirs},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
		WaitDelay:   time.Second, // a supervisor may outlive a guard and hold stderr
	}
	if err := g.cmd.Start(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	go g.listen()
	return g, nil
}

// listen ends when the guard does.
func (g *link) listen() {
	in := json.NewDecoder(g.conn)
	for {
		var e ended
		if err := in.Decode(&e); err != nil {
			break
		}
		g.mu.Lock()
		if c := g.ends[e.ID]; c != nil {
			c <- e
			delete(g.ends, e.ID)
		}
		g.mu.Unlock()
	}
	g.mu.Lock()
	g.dead = true
	for id, c := range g.ends {
		close(c)
		delete(g.ends, id)
	}
	asked := g.asked
	g.mu.Unlock()

	if !asked {
		_ = g.cmd.Process.Kill() // it hung up and is of no use; most likely it is dead
	}
	err := g.cmd.Wait()
	g.mu.Lock()
	if g.force != nil {
		g.force.Stop()
	}
	g.mu.Unlock()
	_ = g.conn.Close() // read to its end
	if said := g.said.String(); !asked || err != nil || said != "" {
		g.log.Warn("guard ended", "asked", asked, "err", err, "stderr", said)
	}
	close(g.gone)
}

var errNoGuard = errors.New("the guard is gone")

// handOver has the supervisor of child id started with files. The channel gets one value when
// the supervisor has ended and what it may have left is ended too; it is closed
// without one when the guard is lost.
func (g *link) handOver(id uint64, files [handedOver]*os.File) (<-chan ended, error) {
	var fds []int
	for _, f := range files {
		fds = append(fds, int(f.Fd())) // Fd makes it blocking, as the child expects
	}
	c := make(chan ended, 1)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.dead || g.asked {
		return nil, errNoGuard
	}
	message := binary.BigEndian.AppendUint64(nil, id)
	if err := g.conn.SetWriteDeadline(time.Now().Add(g.wait)); err != nil {
		return nil, err
	}
	if _, _, err := g.conn.WriteMsgUnix(message, syscall.UnixRights(fds...), nil); err != nil {
		if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
			err = errNoGuard
		}
		return nil, err
	}
	g.ends[id] = c
	return c, nil
}

// usable is false once the guard is gone or told to go.
func (g *link) usable() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.dead && !g.asked
}

// end lets the guard go: it waits for its supervisors, then ends. It returns at
// once.
func (g *link) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.asked {
		return
	}
	g.asked = true
	_ = g.conn.CloseWrite()                                               // gone already is fine
	g.force = time.AfterFunc(g.wait, func() { _ = g.cmd.Process.Kill() }) // gone already is fine
}
