package fake

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
)

// defaultVersion is that of the CLI whose captures there are.
const defaultVersion = "2.1.332 (Claude Code)"

// grandchild is the first argument of the process that a script starts.
const grandchild = "--fakeagent-grandchild"

// Main plays the script of the environment and returns the exit code.
func Main() int {
	s, err := load()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	switch {
	case len(os.Args) == 3 && os.Args[1] == grandchild:
		linger(os.Args[2])
	case slices.Contains(os.Args[1:], "--version"):
		if s.Version == "" {
			s.Version = defaultVersion
		}
		fmt.Println(s.Version)
		return 0
	}
	code, err := s.play()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if s.IgnoreEOF {
		hang()
	}
	if s.Exit != nil {
		code = *s.Exit
	}
	if code < 0 {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		hang()
	}
	return code
}

func (s *Script) play() (int, error) {
	if s.IgnoreSignals {
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
	}
	rec := &recorder{}
	if s.Record != "" {
		f, err := os.OpenFile(s.Record, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, err
		}
		rec.f = f
	}
	rec.add(Record{Argv: os.Args})
	rec.add(Record{Env: os.Environ()})
	if s.Grandchild != "" {
		if err := s.startGrandchild(); err != nil {
			return 0, err
		}
	}
	if err := s.flood(); err != nil || s.ExitEarly {
		return 0, err
	}
	p := &player{s: s, out: newOutput(s)}
	for _, line := range s.Before {
		if err := p.out.line([]byte(line)); err != nil {
			return 0, err
		}
	}
	if !s.Deaf {
		p.in = readInput(rec)
	}
	code, err := p.script()
	switch {
	case errors.Is(err, errInterrupted):
		if err := p.aborted(); err != nil {
			return 0, err
		}
		if err := p.await("nothing"); !errors.Is(err, errEOF) {
			return 0, err
		}
		return 1, nil
	case errors.Is(err, errEOF):
		if p.failed {
			code = 1
		}
		return code, nil
	case errors.Is(err, syscall.EPIPE):
		return 1, nil // nobody reads any more
	}
	return code, err
}

// script holds the conversation and returns the exit code.
func (p *player) script() (int, error) {
	if p.s.Silent {
		if err := p.await("nothing"); err != nil && !errors.Is(err, errEOF) {
			return 0, err
		}
		hang()
	}
	base := p.s.Capture
	if p.s.ResumeCapture != "" && slices.Contains(os.Args, "--resume") {
		base = p.s.ResumeCapture
	}
	switch {
	case base != "" && IsRPC(base):
		return p.replay(base)
	case base != "":
		return p.capture(base)
	}
	if err := p.await("user"); err != nil {
		return 0, err
	}
	var err error
	switch {
	case p.s.Lines > 0:
		err = p.stream(p.s.Lines)
	case p.s.LineBytes > 0:
		err = p.long(p.s.LineBytes)
	case p.s.Text != "":
		err = p.answer(p.s.Text)
	default:
		err = p.answer("Hello from the fake agent.")
	}
	if err != nil {
		return 0, err
	}
	return 0, p.await("nothing")
}

// replay plays a capture of JSON-RPC.
func (p *player) replay(base string) (int, error) {
	if b, err := os.ReadFile(base + ".stderr"); err == nil {
		if _, err := os.Stderr.Write(b); err != nil {
			return 0, err
		}
	}
	r := &Replay{
		Base: base, Resumed: p.s.ResumeCapture, Say: p.out.line,
		Refuse: p.s.Refuse, IgnoreInterrupt: p.s.IgnoreInterrupt, Timed: p.s.Timed, Home: os.Getenv("KIMI_CODE_HOME"),
		Next: func() ([]byte, bool) {
			m, ok := p.in.next()
			return m.line, ok
		},
	}
	if p.in == nil {
		r.Next = func() ([]byte, bool) { hang(); return nil, false } // deaf: it waits for what it will not hear
	}
	return r.Play()
}

// flood writes the script's stderr.
func (s *Script) flood() error {
	const line = "a line of noise on stderr, as log lines are\n"
	for n := 0; n < s.StderrBytes; n += len(line) {
		if _, err := os.Stderr.WriteString(line); err != nil {
			return err
		}
	}
	_, err := os.Stderr.WriteString(s.Stderr)
	return err
}

func (s *Script) startGrandchild() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	ready, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	cmd := exec.Command(exe, grandchild, s.PIDFile)
	cmd.Stdout = os.Stdout // held open, as a server's would be
	cmd.ExtraFiles = []*os.File{ours}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: s.Grandchild == "session"}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := ours.Close(); err != nil {
		return err
	}
	_, _ = ready.Read(make([]byte, 1)) // closed by it when it ignores signals
	return nil
}

// linger is the grandchild: it ignores what it can and stays.
func linger(pidFile string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	if pidFile != "" {
		if err := os.WriteFile(pidFile, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			die(err)
		}
	}
	if err := os.NewFile(3, "ready").Close(); err != nil {
		die(err)
	}
	hang()
}

func die(err error) {
	fmt.Fprintln(os.Stderr, "fakeagent:", err)
	exit(2)
}
