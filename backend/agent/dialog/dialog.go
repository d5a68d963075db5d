// Package dialog holds a conversation with one process of a vendor's CLI: it
// starts it, reads it line by line, writes to it, puts its requests for leave to
// the host, stops it when the run is stopped, and returns when the process and
// everything that it started are gone.
//
// What the lines mean is a [Translator]'s, one for each vendor; it decides and
// does no I/O. The loop owns all else: one goroutine of it decides, one reads
// lines, one writes them, and one waits for each answer to a request for leave
// or for an errand; all end with the run. Nothing here is kept between runs.
//
// What a CLI prints is not trusted: lines may have any length and hold anything,
// a translator that panics fails its run alone, and every wait has a limit.
//
// The package also finds a CLI on the machine and asks for its version
// ([Program]), and holds the words for the ways in which any CLI can fail.
package dialog

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// Translator turns what one process prints into what follows from it. It does
// no I/O and knows no clock: the same lines at the same times give the same
// steps. One goroutine uses it.
type Translator interface {
	// Begin returns what is written when the process was started.
	Begin(now time.Time) Step
	// Line translates one line of stdout, which is neither empty nor invalid
	// UTF-8. The line may be reused afterwards.
	Line(b []byte, now time.Time) Step
	// State tells what is waited for now. It changes only by the other calls.
	State() State
	// Interrupt returns what stops the turn in-band. A step that sends nothing
	// means that there is no way now: signals follow at once.
	Interrupt(now time.Time) Step
	// Finish closes what is open and returns the last events of the run and
	// its result. A run that failed has exactly one error among all its events.
	Finish(e Ending, now time.Time) ([]wire.Event, agent.Result)
}

// Step is what follows from a line, an answer or an errand.
type Step struct {
	Events []wire.Event
	Frames []wire.Frame
	Send   [][]byte // lines to write at once, with their line feed
	Asks   []Ask
	// Withdrawn are the ids of asks that need no answer any more.
	Withdrawn []string
	Errands   []Errand
	// Odd is set for a line that is not understood.
	Odd bool
}

// acts reports whether the step does more than tell.
func (s *Step) acts() bool {
	return len(s.Send)+len(s.Asks)+len(s.Withdrawn)+len(s.Errands) > 0
}

// Emit adds an event.
func (s *Step) Emit(ev wire.Event) { s.Events = append(s.Events, ev) }

// Ask is a request for leave.
type Ask struct {
	ID  string // to withdraw it by; unique among the open ones
	Ask agent.Ask
	// Answer returns what follows from the answer. It is called once, unless
	// the ask is withdrawn or the run stopped. A no always has a reason.
	Answer func(a agent.Answer, now time.Time) Step
}

// Errand is work apart that takes time: it may wait and read files until ctx
// ends. What it returns is called by the goroutine that uses the translator.
type Errand func(ctx context.Context) func(now time.Time) Step

// State is what a process is doing, as far as its translator knows.
type State struct {
	Stage Stage
	// Until, if set, is when the wait is given up; the run then fails with
	// Code, after the turn was stopped as a person would stop it.
	Until time.Time
	Code  string
}

// Stage is how far a conversation is.
type Stage int

// The stages.
const (
	Starting Stage = iota // no answer yet; the prompt is on its way
	Turning               // a turn is under way
	Beside                // no turn, but work beside it, which may begin one
	Waking                // the process should begin a turn by itself, or not
	Over                  // nothing more is expected: stdin may be closed
)

// Ending is how a process ended, as the loop saw it.
type Ending struct {
	Exit      proc.Exit
	Cancelled bool // the run's context ended while there was still work
	// Stopped is the code of the fault for which the loop stopped the process;
	// empty if it did not.
	Stopped string
}

// Process is what the loop needs of a [proc.Child].
type Process interface {
	Stdin() io.WriteCloser
	// Batch returns the next lines, at least one, valid until the next call.
	Batch() ([][]byte, error)
	Stop()
	Done() <-chan struct{}
	Wait() proc.Exit
}

// Talk is one conversation.
type Talk struct {
	Program Program
	Args    []string // without the program
	Request agent.Request
	Host    agent.Host
	Log     *slog.Logger
}

// Run starts the program and follows it to its end, with a translator that was
// not used yet. The result is as [agent.Provider] has it.
func (t Talk) Run(ctx context.Context, tr Translator) (agent.Result, error) {
	log := t.Log.With("run", string(t.Request.Run))
	argv := append([]string{t.Program.Path}, t.Args...)
	child, err := t.Request.Start(ctx, proc.Spec{Run: t.Request.Run, Argv: argv, Dir: t.Request.Cwd, Env: t.Program.Env})
	if err != nil {
		if ctx.Err() != nil {
			return agent.Result{Status: wire.StatusCancelled}, nil
		}
		log.Warn("agent not started", "err", err)
		return Fail(t.Host, t.startError(err))
	}
	return Follow(ctx, child, t.Host, tr, t.Program, log)
}

// Follow drives a process that was started. See [Talk.Run], which does both.
func Follow(ctx context.Context, child Process, host agent.Host, tr Translator, p Program, log *slog.Logger) (agent.Result, error) {
	return newLoop(child, host, tr, p, log).run(ctx)
}

// Fail ends a run before there was a process.
func Fail(host agent.Host, e wire.Error) (agent.Result, error) {
	if err := host.Emit(e); err != nil {
		return agent.Result{}, err
	}
	return agent.Result{Status: wire.StatusFailed, Code: e.Code}, nil
}

// startError puts a start that failed into words.
func (t Talk) startError(err error) wire.Error {
	e := wire.Error{Code: CodeStartFailed, Message: t.Program.Name + " did not start.", Hint: "Look into the daemon's log."}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		e.Message, e.Hint = f.Message, f.Hint
	}
	if st, statErr := os.Stat(t.Request.Cwd); statErr != nil || !st.IsDir() {
		e.Code = CodeFolderGone
		return e
	}
	switch s := t.Program.Find(); s.State {
	case agent.StateNotInstalled:
		e.Code, e.Message, e.Hint = CodeNotInstalled, s.Message, s.Hint
	case agent.StateBroken:
		e.Code, e.Message, e.Hint = CodeNotExecutable, s.Message, s.Hint
	}
	return e
}
