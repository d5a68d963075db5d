package proc

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

// handedOver is how many descriptors the daemon gives for a child: the
// supervisor's end of the control channel, stdin, stdout and stderr.
const handedOver = 4

// guard starts supervisors for one daemon and is where the orphans of a killed
// supervisor arrive. Its goroutines end with the process.
type guard struct {
	exe    string
	mark   mark
	grace  Grace
	family *family

	mu  sync.Mutex
	out *json.Encoder
}

func runGuard() error {
	nameSelf("signalbox-guard")
	closeInherited(controlFD + 1)
	conn, err := control()
	if err != nil {
		return fmt.Errorf("open control channel: %w", err)
	}
	catchSignals(make(chan os.Signal, 1))
	if err := adoptOrphans(); err != nil {
		return fmt.Errorf("adopt orphans: %w", err)
	}
	exe, err := selfPath()
	if err != nil {
		return fmt.Errorf("find own binary: %w", err)
	}
	g := &guard{exe: exe, mark: mark(os.Getenv(markVar)), out: json.NewEncoder(conn)}
	if err := json.Unmarshal([]byte(os.Getenv(graceVar)), &g.grace); err != nil {
		return fmt.Errorf("read %s: %w", graceVar, err)
	}
	g.family = newFamily()
	go g.family.reapUntil(nil)
	debug.FreeOSMemory() // it waits from here on
	err = g.serve(conn)
	g.end()
	return err
}

// serve starts a supervisor for each message, until the daemon is gone.
func (g *guard) serve(conn *net.UnixConn) error {
	// One message is 8 bytes and comes whole with its descriptors.
	id, oob := make([]byte, 8), make([]byte, syscall.CmsgSpace(handedOver*4))
	for {
		n, oobn, _, _, err := conn.ReadMsgUnix(id, oob)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), n == 0 && err == nil:
			return nil
		case err != nil:
			return fmt.Errorf("read from daemon: %w", err)
		}
		files, err := descriptors(oob[:oobn])
		if err == nil && (n != len(id) || len(files) != handedOver) {
			err = fmt.Errorf("%d bytes with %d descriptors", n, len(files))
		}
		number := binary.BigEndian.Uint64(id)
		if err == nil {
			err = g.start(number, files)
		}
		for _, fd := range files {
			_ = syscall.Close(fd)
		}
		if err != nil {
			f := failureOf(stageSupervisor, err)
			g.tell(ended{ID: number, Failed: &f})
		}
	}
}

func descriptors(oob []byte) ([]int, error) {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var files []int
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			return nil, err
		}
		files = append(files, fds...)
	}
	return files, nil
}

func (g *guard) start(id uint64, files []int) error {
	attr := &syscall.ProcAttr{
		Dir:   "/",
		Env:   superviseEnv(roleSupervisor, g.mark, nil),
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	}
	for _, fd := range files {
		attr.Files = append(attr.Files, uintptr(fd))
	}
	_, err := g.family.start(g.exe, os.Args, attr, func(syscall.WaitStatus) {
		go g.clean(id)
	})
	return err
}

// clean ends what the supervisor of a child left behind, should it have been
// killed, and tells.
func (g *guard) clean(id uint64) {
	l := ladder{tree: branch{family: g.family, mark: g.mark.child(id)}, grace: g.grace}
	g.tell(ended{ID: id, Left: l.end(closed, closed)})
}

// end runs when the daemon is gone: the supervisors know that too and get the
// time that they need; then all that lives is killed, they as well.
func (g *guard) end() {
	g.family.wakeKept()
	deadline := time.NewTimer(g.grace.short() + slack)
	for !g.family.childless() {
		select {
		case <-g.family.wake:
		case <-deadline.C:
			g.family.takeAll()
			ladder{tree: branch{family: g.family, mark: g.mark}, grace: g.grace, wake: g.family.wake}.kill()
			return
		}
	}
}

func (g *guard) tell(e ended) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = g.out.Encode(e) // the daemon is gone: then nobody asks
}

// superviseEnv is the environment of guards and supervisors. They are many and
// do little: one thread of Go code and a small heap are enough.
func superviseEnv(role string, m mark, grace *Grace) []string {
	env := []string{
		roleVar + "=" + role,
		markVar + "=" + string(m),
		"GOMAXPROCS=1",
		"GOGC=50",
	}
	if grace != nil {
		b, _ := json.Marshal(grace) //nolint:errcheck // four numbers
		env = append(env, graceVar+"="+string(b))
	}
	return env
}
