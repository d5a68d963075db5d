package claude

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// Run gives Claude Code one prompt. See [agent.Provider].
//
// A session that the CLI no longer has is told in a notice, and the prompt goes
// to a new one: an answer without the earlier conversation is worth more than
// none.
func (p *Provider) Run(ctx context.Context, req agent.Request, host agent.Host) (agent.Result, error) {
	res, lost, err := p.attempt(ctx, req, host)
	if err != nil || !lost {
		return res, err
	}
	err = host.Emit(wire.System{
		Level: wire.LevelWarn, Code: codeSessionLost,
		Text: "Claude Code no longer has this chat's session. It begins a new one and does not know what was said before.",
	})
	if err != nil {
		return agent.Result{}, err
	}
	req.Session = ""
	res, _, err = p.attempt(ctx, req, host)
	return res, err
}

// attempt runs the prompt in one process. lost says that the session to resume
// is not there; nothing was emitted then.
func (p *Provider) attempt(ctx context.Context, req agent.Request, host agent.Host) (res agent.Result, lost bool, err error) {
	argv, err := arguments(p.path, req)
	if err != nil {
		res, err = failed(host, wire.Error{
			Code: codeBadChoice, Message: "The prompt was not given to Claude Code: " + err.Error() + ".",
			Hint: "Choose another model or effort.",
		})
		return res, false, err
	}
	child, err := req.Start(ctx, proc.Spec{Run: req.Run, Argv: argv, Dir: req.Cwd, Env: p.env})
	if err != nil {
		if ctx.Err() != nil {
			return agent.Result{Status: wire.StatusCancelled}, false, nil
		}
		p.log.Warn("agent not started", "run", req.Run, "err", err)
		res, err = failed(host, p.startError(req.Cwd, err))
		return res, false, err
	}
	r := newLoop(req, host, child, p.log.With("run", string(req.Run)))
	return r.run(ctx)
}

// failed ends a run before there was a process.
func failed(host agent.Host, e wire.Error) (agent.Result, error) {
	if err := host.Emit(e); err != nil {
		return agent.Result{}, err
	}
	return agent.Result{Status: wire.StatusFailed, Code: e.Code}, nil
}

// startError puts a start that failed into words.
func (p *Provider) startError(cwd string, err error) wire.Error {
	e := wire.Error{Code: codeStartFailed, Message: "Claude Code did not start.", Hint: "Look into the daemon's log."}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		e.Message, e.Hint = f.Message, f.Hint
	}
	if st, statErr := os.Stat(cwd); statErr != nil || !st.IsDir() {
		e.Code = codeFolderGone
		return e
	}
	switch s := p.installed(); s.State {
	case agent.StateNotInstalled:
		e.Code, e.Message, e.Hint = codeNotInstalled, s.Message, s.Hint
	case agent.StateBroken:
		e.Code, e.Message, e.Hint = codeNotExecutable, s.Message, s.Hint
	}
	return e
}

// process is what the loop needs of a [proc.Child].
type process interface {
	Stdin() io.WriteCloser
	Line() ([]byte, error)
	Stop()
	Done() <-chan struct{}
	Wait() proc.Exit
}

// report logs what was not understood, once at the end of a run.
func (l *loop) report() {
	if l.t.garbage > 0 || len(l.t.unknown) > 0 {
		l.log.Warn("lines not understood", "garbage", l.t.garbage, "unknown", strings.Join(l.t.strange(), " "),
			"lines", l.t.lines)
	}
}

// odd logs a line that is not understood.
func (l *loop) odd(b []byte) {
	const limit = 4096
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug("line not understood", "bytes", len(b), "line", string(b[:min(len(b), limit)]))
	}
}

// leftError is what could not be ended.
func leftError(left []proc.Process) (wire.Error, error) {
	names := make([]string, 0, len(left))
	for _, p := range left {
		names = append(names, fmt.Sprintf("%s (%d)", p.Command, p.PID))
	}
	list := strings.Join(names, ", ")
	return wire.Error{
		Code: codeLeft, Message: "Processes of the run could not be ended: " + list + ".",
		Hint: "End them by hand; the chat stays closed until they are gone.",
	}, fmt.Errorf("processes left: %s", list)
}
