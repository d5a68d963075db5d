package runhub

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/internal/id"
	"signalbox/backend/permission"
	"signalbox/backend/wire"
)

const (
	// maxWaiting is how many requests of a run wait for people at once. One more
	// is refused, and the agent is told why: people could not look through them.
	maxWaiting = 64
	// titleLength is how much of a request's title lists show, in characters.
	titleLength = 200
)

// desk holds what a run's agent asks, until it is answered: by the mode, by a
// rule of the chat or by people. Who takes a request off the desk under its
// mutex logs the answer there, so that each request has one answer at most.
type desk struct {
	run *run

	mu      sync.Mutex
	mode    wire.Mode // what the run may do; a plan that is accepted changes it
	waiting []*request
	closed  bool
	// void are the rules of answers that do not count, where the disk that
	// refused those refused to take the rules back, too.
	void []string
}

// request is one that waits for people.
type request struct {
	id    string
	ask   agent.Ask
	scope *wire.Scope // what may be allowed for the chat
	since wire.Time
	// answer carries the one answer. Who takes the request off the desk sends
	// and closes; closed without an answer means that none will come.
	answer chan agent.Answer
}

func newDesk(r *run) *desk { return &desk{run: r, mode: r.selection.Mode} }

// ask gets the answer to ask and logs both. It returns an error when ctx or the
// run ends first.
func (d *desk) ask(ctx context.Context, ask agent.Ask) (agent.Answer, error) {
	req, answer, err := d.put(ask)
	if req == nil {
		return answer, err
	}
	select {
	case answer, ok := <-req.answer:
		if !ok {
			return agent.Answer{}, errSinkClosed
		}
		return answer, nil
	case <-ctx.Done():
		return d.withdraw(ctx, req)
	}
}

// put answers ask if no person is needed, and else returns the request that
// waits.
func (d *desk) put(ask agent.Ask) (*request, agent.Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, agent.Answer{}, errSinkClosed
	}
	decision := permission.Decide(d.mode, d.rules(), ask)
	if decision.Verdict == permission.Ask {
		if no := d.unaskable(ask); no != "" {
			decision = permission.Decision{Verdict: permission.Deny, Reason: no}
		}
	}
	req := &request{ask: ask, since: catalog.Now(), answer: make(chan agent.Answer, 1)}
	asked := req.event(decision.Verdict == permission.Ask)
	if decision.Verdict != permission.Ask {
		return nil, decision.Answer(), d.run.sink.settle(asked, req.automatic(decision))
	}
	if err := d.run.sink.emit(asked); err != nil {
		return nil, agent.Answer{}, err
	}
	d.waiting = append(d.waiting, req)
	d.showLocked()
	return req, agent.Answer{}, nil
}

// rules returns what people allowed for the chat.
func (d *desk) rules() []wire.Rule {
	m, err := d.run.hub.chats.Get(d.run.room.id)
	if err != nil {
		return nil // a chat that is gone allows nothing
	}
	return m.Rules
}

// unaskable returns why people are not asked, in words for the agent; "" if they
// are.
func (d *desk) unaskable(ask agent.Ask) string {
	if len(d.waiting) >= maxWaiting {
		return fmt.Sprintf("%d requests wait for an answer already. Ask again when some are answered.", maxWaiting)
	}
	if ask.Kind == wire.ApprovalQuestion {
		return checkQuestions(ask.Questions)
	}
	return ""
}

// withdraw takes the request off the desk because the agent no longer waits. An
// answer that was first still counts.
func (d *desk) withdraw(ctx context.Context, req *request) (agent.Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.takeLocked(req) {
		if answer, ok := <-req.answer; ok {
			return answer, nil
		}
		return agent.Answer{}, errSinkClosed
	}
	// A run that is stopped leaves the request open: its end says the rest.
	if d.run.stopping() {
		return agent.Answer{}, context.Cause(ctx)
	}
	gone := permission.Decision{Verdict: permission.Deny, Reason: "The agent no longer waits for an answer."}
	if err := d.run.sink.emit(req.automatic(gone)); err != nil {
		return agent.Answer{}, err
	}
	return agent.Answer{}, context.Cause(ctx)
}

// takeLocked takes the request off the desk; false if it lies there no more.
func (d *desk) takeLocked(req *request) bool {
	i := slices.Index(d.waiting, req)
	if i < 0 {
		return false
	}
	d.waiting = slices.Delete(d.waiting, i, i+1)
	d.showLocked()
	return true
}

// settleLocked logs the answer, takes the request off the desk and wakes the
// agent. With an error nothing has happened.
func (d *desk) settleLocked(req *request, ev wire.Event, answer agent.Answer) error {
	if err := d.run.sink.settle(ev); err != nil {
		return err
	}
	d.takeLocked(req)
	req.answer <- answer
	close(req.answer)
	return nil
}

// reconsiderLocked answers those that wait and that the mode or a rule now
// answers.
func (d *desk) reconsiderLocked() error {
	rules := d.rules()
	for _, req := range slices.Clone(d.waiting) {
		decision := permission.Decide(d.mode, rules, req.ask)
		if decision.Verdict == permission.Ask {
			continue
		}
		if err := d.settleLocked(req, req.automatic(decision), decision.Answer()); err != nil {
			return err
		}
	}
	return nil
}

// close lets nothing more be asked or answered.
func (d *desk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, req := range d.waiting {
		close(req.answer)
	}
	d.waiting = nil
	d.showLocked()
}

// showLocked tells the list of chats what waits.
func (d *desk) showLocked() {
	var needs *wire.NeedsYou
	if len(d.waiting) > 0 {
		first := d.waiting[0]
		needs = &wire.NeedsYou{Kind: first.ask.Kind, Title: first.title(), Since: first.since, Count: len(d.waiting)}
	}
	d.run.hub.chats.SetNeeds(d.run.room.id, needs)
}

// event names the request and returns what is logged of it.
func (q *request) event(people bool) wire.Event {
	ask := q.ask
	if ask.Kind == wire.ApprovalQuestion {
		q.id = id.New("qu_")
		questions := []wire.QuestionItem{}
		if people { // what is refused may be of any size
			questions = slices.Clone(ask.Questions)
		}
		for i, item := range questions {
			questions[i].Options = append([]wire.QuestionOption{}, item.Options...) // a list, also if empty
		}
		return wire.Question{
			QuestionID: q.id, ToolID: ask.ToolID, ParentToolID: ask.ParentToolID, Questions: questions,
		}
	}
	q.id = id.New("ap_")
	approval := wire.Approval{
		ApprovalID: q.id, ToolID: ask.ToolID, ParentToolID: ask.ParentToolID,
		Kind: ask.Kind, Tool: ask.Tool, Title: ask.Title, Detail: ask.Detail, Cwd: ask.Cwd, Paths: ask.Paths,
		Outside: permission.Outside(ask.Cwd, ask.Paths),
		Options: []wire.ApprovalOption{wire.OptionOnce, wire.OptionDeny},
	}
	if people {
		if q.scope = permission.ScopeOf(ask); q.scope != nil {
			approval.Scope = q.scope
			approval.Options = []wire.ApprovalOption{wire.OptionOnce, wire.OptionChat, wire.OptionDeny}
		}
	}
	return approval
}

// automatic is the answer that no person gave.
func (q *request) automatic(d permission.Decision) wire.Event {
	if q.ask.Kind == wire.ApprovalQuestion {
		return wire.QuestionAnswered{QuestionID: q.id, Declined: true, Reason: d.Reason}
	}
	answered := wire.ApprovalAnswered{ApprovalID: q.id, Option: wire.OptionDeny, Auto: true, Reason: d.Reason}
	if d.Verdict == permission.Allow {
		answered.Option = wire.OptionOnce
	}
	return answered
}

// title is one line about the request.
func (q *request) title() string {
	title := q.ask.Title
	if q.ask.Kind == wire.ApprovalQuestion && len(q.ask.Questions) > 0 {
		title = q.ask.Questions[0].Question
	}
	runes := []rune(title)
	if len(runes) > titleLength {
		return string(runes[:titleLength-1]) + "…"
	}
	return title
}
