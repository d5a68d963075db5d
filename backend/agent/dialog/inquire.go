package dialog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"signalbox/backend/agent"
)

const (
	// inquiryLimit is how long a program may take to answer questions about itself.
	inquiryLimit = 10 * time.Second
	// maxInquiry bounds what is read of the answers.
	maxInquiry = 4 << 20
)

// Question is a program that is asked about itself, without a turn.
type Question struct {
	Args  []string
	Lines [][]byte // written to it at once, with their line feeds
	// Take is given each line that it prints and reports whether that was enough.
	Take func(line []byte) bool
}

// Inquire starts the program at path and asks it. It ends it when enough was said.
func (p Program) Inquire(ctx context.Context, path string, q Question) (err error) {
	ctx, cancel := context.WithTimeout(ctx, inquiryLimit)
	defer cancel()
	cmd := p.command(ctx, path, q.Args...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("ask %s: %w", p.Name, err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("ask %s: %w", p.Name, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("ask %s: %w", p.Name, err)
	}
	defer func() {
		cancel()          // which ends it, unless it has ended
		_ = cmd.Wait()    // it was ended from here: how says nothing
		_ = stdin.Close() // closed by Wait already
	}()
	if _, err := stdin.Write(bytes.Join(q.Lines, nil)); err != nil {
		return fmt.Errorf("ask %s: %w", p.Name, err)
	}
	lines := bufio.NewReader(io.LimitReader(stdout, maxInquiry))
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 && q.Take(bytes.TrimSpace(line)) {
			return nil
		}
		if err != nil {
			return errors.Join(fmt.Errorf("ask %s: it did not answer: %w", p.Name, err), context.Cause(ctx))
		}
	}
}

// Output runs the program at path for what it prints, at most 4 KiB.
func (p Program) Output(ctx context.Context, path string, args ...string) (string, error) {
	cmd := p.command(ctx, path, args...)
	var out, errput limited
	cmd.Stdout, cmd.Stderr = &out, &errput
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", errors.New("it did not answer in time")
		}
		if said := LastLine(string(errput)); said != "" {
			return "", errors.New(said)
		}
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// command is the program in a process group of its own, all of which ends with ctx.
func (p Program) command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = p.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a child of it may hold a pipe open
	return cmd
}

// WithSignIn adds to a status whether a sign-in was found. sure says that one that was
// not found is not there.
func (p Program) WithSignIn(s agent.Status, found, sure bool) agent.Status {
	if found {
		s.SignIn = agent.SignInFound
		return s
	}
	s.SignIn, s.Message, s.Hint = agent.SignInMissing, "No sign-in was found.", p.SignIn
	if sure {
		s.State, s.Message = agent.StateNotSignedIn, p.Name+" is not signed in."
	}
	return s
}
