package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
)

// supervisor is one child's. Its goroutines end with the process.
type supervisor struct {
	family *family
	branch branch
	term   *terminal

	child chan struct{} // closed when the child has ended
	stop  chan struct{} // closed when told to stop
	lost  chan struct{} // closed when the daemon is gone, or let go

	mu  sync.Mutex
	out *json.Encoder
}

func runSupervisor() error {
	for fd := stdinFD; fd <= stderrFD; fd++ {
		syscall.CloseOnExec(fd)
	}
	nameSelf("signalbox-run")
	conn, err := control()
	if err != nil {
		return fmt.Errorf("open control channel: %w", err)
	}
	terminate := make(chan os.Signal, 1)
	catchSignals(terminate)
	in := json.NewDecoder(conn)
	var first order
	if err := in.Decode(&first); err != nil || first.Launch == nil {
		if errors.Is(err, io.EOF) {
			return nil // the daemon was quicker gone
		}
		return fmt.Errorf("read launch: %w", err)
	}
	s := &supervisor{
		family: newFamily(),
		child:  make(chan struct{}),
		stop:   make(chan struct{}),
		lost:   make(chan struct{}),
		out:    json.NewEncoder(conn),
	}
	if f := s.launch(*first.Launch); f != nil {
		s.tell(report{Failed: f})
		return nil
	}
	go s.family.reapUntil(nil)
	go s.term.drain()
	go s.obey(in, terminate)
	grace, private := first.Launch.Grace, string(first.Launch.Private)
	first = order{}      // arguments and environment may be megabytes
	debug.FreeOSMemory() // it waits from here on
	left := s.run(grace)
	if private != "" {
		// The daemon does it, too, and the next one again: nobody hears of an error here.
		_ = os.RemoveAll(private)
	}
	s.tell(report{Gone: &gone{Left: left}})
	return nil
}

// launch starts the child.
func (s *supervisor) launch(l launch) *failure {
	if err := adoptOrphans(); err != nil {
		f := failureOf(stageSupervisor, err)
		return &f
	}
	var err error
	if s.term, err = openTerminal(); err != nil {
		f := failureOf(stageTerminal, err)
		return &f
	}
	s.family.all = true
	pid, err := s.family.start(string(l.Path), texts(l.Argv), &syscall.ProcAttr{
		Dir:   string(l.Dir),
		Env:   texts(l.Env),
		Files: []uintptr{stdinFD, stdoutFD, stderrFD, s.term.slave.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3},
	}, s.ended)
	if err != nil {
		f := failureOf(stageExec, err)
		return &f
	}
	s.branch = branch{family: s.family, mark: mark(l.Mark), group: pid}
	// The daemon must see the ends that the child and what it started have left.
	for fd := stdinFD; fd <= stderrFD; fd++ {
		_ = syscall.Close(fd)
	}
	self, _ := look(os.Getpid())
	child, _ := look(pid)
	s.tell(report{Started: &started{Supervisor: self.Process, Child: child.Process}})
	return nil
}

func (s *supervisor) ended(ws syscall.WaitStatus) {
	e := exited{Code: ws.ExitStatus()}
	if ws.Signaled() {
		e.Signal = ws.Signal().String()
	}
	s.tell(report{Exited: &e})
	close(s.child)
}

// obey takes orders until the daemon is gone.
func (s *supervisor) obey(in *json.Decoder, terminate <-chan os.Signal) {
	stop := sync.OnceFunc(func() { close(s.stop) })
	go func() {
		<-terminate
		stop()
	}()
	for {
		var o order
		if err := in.Decode(&o); err != nil {
			close(s.lost)
			return
		}
		if o.Stop {
			stop()
		}
	}
}

// run waits for the end of the child, or ends it, and then ends what it left.
func (s *supervisor) run(grace Grace) []Process {
	l := ladder{tree: s.branch, grace: grace, wake: s.family.wake}
	select {
	case <-s.child:
	case <-s.lost:
	case <-s.stop:
		s.tell(report{Ending: true})
		l.stop(s.child, s.lost)
	}
	s.tell(report{Ending: true})
	select {
	case <-s.lost:
		s.term.hangUp()
	default:
	}
	return l.end(s.child, s.lost)
}

// tell reports to the daemon. When that is gone there is nobody to tell.
func (s *supervisor) tell(r report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.out.Encode(r)
}

func texts(list [][]byte) []string {
	all := make([]string, len(list))
	for i, b := range list {
		all[i] = string(b)
	}
	return all
}

func bytesOf(list []string) [][]byte {
	all := make([][]byte, len(list))
	for i, s := range list {
		all[i] = []byte(s)
	}
	return all
}
