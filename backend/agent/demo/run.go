package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/proc"
	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

// interruptPatience is how long an interrupt may take before signals follow.
const interruptPatience = 5 * time.Second

// Run plays one prompt.
func (p *Provider) Run(ctx context.Context, req agent.Request, host agent.Host) (agent.Result, error) {
	session, err := p.goOn(req, host)
	if err != nil {
		return agent.Result{}, err
	}
	child, err := req.Start(ctx, proc.Spec{
		Run:  req.Run,
		Argv: append(append([]string(nil), p.command...), "-pace", p.pace.String()),
		Dir:  req.Cwd,
		Env:  p.env,
	})
	if err != nil {
		return notStarted(ctx, host, err)
	}
	r := &run{child: child, host: host, stdin: child.Stdin(), open: map[string]openTool{}}
	asking, withdraw := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		// The words of a mode are for a model; the script would play them.
		text := prompt.Words(req.Selection.Mode, req.Text)
		r.tell(order{Type: orderStart, Text: text, Session: session})
	})
	wg.Go(func() {
		r.watch(ctx, p.patience)
		withdraw(errOver)
	})
	readErr := r.read(asking)
	r.closeStdin()
	exit := child.Wait()
	wg.Wait()
	return r.finish(ctx, exit, readErr)
}

// goOn returns the session to go on with. As no session ever changes, a copy of
// one is the session itself, and its end at a turn is the one of that turn. What
// is no session of ours is told, and a new one begins: the script needs no
// memory.
func (p *Provider) goOn(req agent.Request, host agent.Host) (string, error) {
	session := req.Session
	if req.Fork && req.Turn != "" {
		session = req.Turn
	}
	if session == "" || sessionID.MatchString(session) {
		return session, nil
	}
	req.Fresh = ""
	return "", host.Emit(dialog.Lost(p.Info().Name, req))
}

// errOver is why an ask is withdrawn when the agent has ended.
var errOver = errors.New("the agent has ended")

// run is the daemon's side of one run.
type run struct {
	child *proc.Child
	host  agent.Host

	stdin  io.WriteCloser
	closed sync.Once

	writing sync.Mutex // held for one whole line

	// What follows is the reading goroutine's.
	open    map[string]openTool
	session string
	failed  *wire.Error
	end     *report
}

// openTool is a tool call that has not ended.
type openTool struct {
	name  string
	since time.Time
}

// tell writes one line. An agent that no longer reads has ended or is ended:
// what that means is told by its exit.
func (r *run) tell(o order) {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // an order is plain data
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	if _, err := r.stdin.Write(append(b, '\n')); err != nil {
		return
	}
}

// watch returns when the agent is gone. When ctx ends it stops the agent: by
// word, then by signals.
func (r *run) watch(ctx context.Context, patience time.Duration) {
	select {
	case <-r.child.Done():
		return
	case <-ctx.Done():
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { r.tell(order{Type: orderInterrupt}) }) // waits where the agent reads nothing
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-r.child.Done():
	case <-timer.C:
		r.child.Stop()
		<-r.child.Done()
	}
}

// read translates the agent's lines until its output ends. It returns an error
// only if the host refused an event or the output could not be read.
func (r *run) read(ctx context.Context) error {
	for {
		line, err := r.child.Line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = r.take(ctx, line)
		}
		if err != nil {
			r.child.Stop()
			r.drain()
			return err
		}
	}
}

// drain reads what is left, so that a stopping agent does not wait for us.
func (r *run) drain() {
	for {
		if _, err := r.child.Line(); err != nil {
			return
		}
	}
}

// take translates one line. After the end nothing counts.
func (r *run) take(ctx context.Context, line []byte) error {
	if r.end != nil {
		return nil
	}
	var rep report
	if err := json.Unmarshal(line, &rep); err != nil {
		return r.host.Emit(wire.System{
			Level: wire.LevelWarn, Code: "agent_output",
			Text: fmt.Sprintf("The demo agent wrote a line that is not JSON: %.80q", line),
		})
	}
	switch rep.Type {
	case reportAsk:
		r.ask(ctx, rep)
		return nil
	case reportEnd:
		r.end = &rep
		r.closeStdin()
		return nil
	case reportError:
		r.failed = &wire.Error{Code: rep.Code, Message: rep.Message, Hint: rep.Hint, Retryable: rep.Retryable}
		return nil
	case reportSession:
		r.session = rep.Session
	case reportToolStart:
		r.open[rep.Tool] = openTool{name: rep.Name, since: time.Now()}
	case reportToolEnd:
		delete(r.open, rep.Tool)
	}
	if ev := event(rep); ev != nil {
		return r.host.Emit(ev)
	}
	return nil
}

// event returns the event that a report stands for, nil if there is none.
func event(rep report) wire.Event {
	switch rep.Type {
	case reportSession:
		// A session that goes on has a new id and leaves the old one as it was.
		return wire.Session{Agent: ID, SessionID: rep.Session, Model: "script", Resumed: rep.Resumed, Forked: rep.Resumed}
	case reportText:
		return wire.AssistantText{Item: rep.Item, Delta: rep.Delta}
	case reportThinking:
		return wire.Thinking{Item: rep.Item, Delta: rep.Delta}
	case reportToolStart:
		return wire.ToolUseStart{ToolID: rep.Tool, Name: rep.Name, Input: rep.Input}
	case reportToolOutput:
		return wire.ToolOutput{ToolID: rep.Tool, Delta: rep.Delta}
	case reportToolEnd:
		return wire.ToolUseEnd{
			ToolID: rep.Tool, Name: rep.Name, OK: rep.OK, Output: rep.Output,
			Detail: rep.Detail, ExitCode: rep.ExitCode, MS: rep.MS,
		}
	case reportTodo:
		return wire.Todo{Items: rep.Items}
	default:
		return nil
	}
}

// ask gets the answer to an ask and passes it on; the agent waits for it and
// says nothing meanwhile. ctx ends with the run or the agent.
func (r *run) ask(ctx context.Context, rep report) {
	ans, err := r.host.Ask(ctx, agent.Ask{
		ToolID: rep.Tool, Kind: rep.Kind, Tool: rep.Name, Input: rep.Input,
		Title: rep.Title, Detail: rep.About, Cwd: rep.Cwd, Paths: rep.Paths, ReadOnly: rep.ReadOnly,
		Questions: rep.Questions,
	})
	if err != nil {
		ans = agent.Answer{Reason: "The question was withdrawn."}
	}
	r.tell(order{Type: orderAnswer, ID: rep.ID, Allow: ans.Allow, Reason: ans.Reason, Answers: ans.Answers})
}

// closeStdin lets the agent end. It also frees a tell that waits. What was not
// delivered is told by the exit, so an error here says nothing more.
func (r *run) closeStdin() { r.closed.Do(func() { _ = r.stdin.Close() }) }
