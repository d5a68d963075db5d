package runhub_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// asking is a request that waits, and what its agent gets.
type asking struct {
	id  string // of the approval or question
	got chan asked
}

type asked struct {
	answer agent.Answer
	err    error
}

// ask asks on behalf of the agent and waits until the request is logged.
func (w *world) ask(ctx context.Context, id wire.ChatID, c *call, a agent.Ask) asking {
	w.t.Helper()
	var before uint64
	if all := w.events(id); len(all) > 0 {
		before = all[len(all)-1].Seq
	}
	out := asking{got: make(chan asked, 1)}
	go func() {
		answer, err := c.host.Ask(ctx, a)
		out.got <- asked{answer, err}
	}()
	v := w.follow(id, wire.Person{ID: "u_nobody"}, nil)
	defer v.feed.Close()
	v.until(func() bool {
		for seq, line := range v.lines {
			if seq <= before {
				continue
			}
			switch _, ev, _ := wire.Decode(line); ev := ev.(type) {
			case wire.Approval:
				out.id = ev.ApprovalID
			case wire.Question:
				out.id = ev.QuestionID
			}
		}
		return out.id != ""
	})
	// The event is seen before the list of chats says so. Who answers waits for
	// both, also where nothing like it was asked.
	if err := w.answer(id, bob, runhub.Answer{ApprovalID: "ap_none", Option: wire.OptionOnce}); fault.CodeOf(err) != fault.NotFound {
		w.t.Fatalf("an answer to nothing: %v", err)
	}
	return out
}

func (w *world) answer(id wire.ChatID, by wire.Person, a runhub.Answer) error {
	return w.hub.Answer(w.t.Context(), id, by, a)
}

func command(title string) agent.Ask {
	return agent.Ask{ToolID: "t1", Kind: wire.ApprovalCommand, Tool: "Bash", Title: title, Cwd: "/work"}
}

var twoQuestions = agent.Ask{Kind: wire.ApprovalQuestion, Questions: []wire.QuestionItem{
	{Question: "Which?", Options: []wire.QuestionOption{{Label: "A"}, {Label: "B"}}},
	{Question: "What else?", MultiSelect: true, Options: []wire.QuestionOption{{Label: "C"}, {Label: "D"}}},
}}

// needs returns what the list of chats says that the chat waits for.
func (w *world) needs(id wire.ChatID) *wire.NeedsYou {
	w.t.Helper()
	s, err := w.chats.Summary(id, ann.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return s.NeedsYou
}

func TestAnswer_aPersonAllowsOrDenies(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	yes := w.ask(t.Context(), id, c, command("make"))
	if n := w.needs(id); n == nil || n.Kind != wire.ApprovalCommand || n.Title != "make" || n.Count != 1 {
		t.Errorf("the list says %+v", n)
	}
	if err := w.answer(id, bob, runhub.Answer{ApprovalID: yes.id, Option: wire.OptionOnce}); err != nil {
		t.Fatal(err)
	}
	if got := <-yes.got; got.err != nil || !got.answer.Allow {
		t.Errorf("allowed: %+v", got)
	}
	if n := w.needs(id); n != nil {
		t.Errorf("answered, and the list says %+v", n)
	}
	no := w.ask(t.Context(), id, c, command("make"))
	if err := w.answer(id, bob, runhub.Answer{ApprovalID: no.id, Option: wire.OptionDeny, Text: "Use ninja."}); err != nil {
		t.Fatal(err)
	}
	if got := <-no.got; got.err != nil || got.answer.Allow || !strings.Contains(got.answer.Reason, "Use ninja.") || !strings.Contains(got.answer.Reason, "Bob") {
		t.Errorf("denied: %+v", got)
	}
	c.ok()
	w.settled(id)
	var answers []wire.ApprovalAnswered
	for _, e := range w.events(id) {
		if a, ok := e.ev.(wire.ApprovalAnswered); ok {
			answers = append(answers, a)
		}
	}
	want := []wire.ApprovalAnswered{
		{ApprovalID: yes.id, Option: wire.OptionOnce, By: &bob},
		{ApprovalID: no.id, Option: wire.OptionDeny, By: &bob, Text: "Use ninja."},
	}
	if diff := cmp.Diff(want, answers); diff != "" {
		t.Errorf("answers in the log (-want +got):\n%s", diff)
	}
}

func TestAnswer_questions(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	q := w.ask(t.Context(), id, c, twoQuestions)
	if n := w.needs(id); n == nil || n.Kind != wire.ApprovalQuestion || n.Title != "Which?" {
		t.Errorf("the list says %+v", n)
	}
	for name, a := range map[string]runhub.Answer{
		"a question that was not asked":    {Answers: map[string][]string{"Who?": {"A"}}},
		"two answers to one":               {Answers: map[string][]string{"Which?": {"A", "B"}}},
		"nothing":                          {Answers: map[string][]string{"Which?": {" "}}},
		"no answers":                       {},
		"answers and declined":             {Answers: map[string][]string{"Which?": {"A"}}, Declined: true},
		"an option":                        {Option: wire.OptionOnce, Declined: true},
		"a NUL":                            {Answers: map[string][]string{"Which?": {"a\x00"}}},
		"a text that no agent should read": {Answers: map[string][]string{"Which?": {strings.Repeat("x", 33<<10)}}},
	} {
		a.QuestionID = q.id
		if code := fault.CodeOf(w.answer(id, bob, a)); code != fault.Invalid && code != fault.TooLarge {
			t.Errorf("%s: code %q", name, code)
		}
	}
	given := map[string][]string{"What else?": {"C", "my own"}}
	if err := w.answer(id, bob, runhub.Answer{QuestionID: q.id, Answers: given}); err != nil {
		t.Fatal(err)
	}
	if got := <-q.got; got.err != nil || !got.answer.Allow || !cmp.Equal(got.answer.Answers, given) {
		t.Errorf("answered: %+v", got)
	}
	declined := w.ask(t.Context(), id, c, twoQuestions)
	if err := w.answer(id, ann, runhub.Answer{QuestionID: declined.id, Declined: true}); err != nil {
		t.Fatal(err)
	}
	if got := <-declined.got; got.err != nil || got.answer.Allow || !strings.Contains(got.answer.Reason, "Ann") {
		t.Errorf("declined: %+v", got)
	}
	c.ok()
	w.settled(id)
	last := w.events(id)[len(w.events(id))-2].ev.(wire.QuestionAnswered)
	if !last.Declined || last.By == nil || *last.By != ann {
		t.Errorf("logged %+v", last)
	}
}

// Of many who answer at once exactly one counts, and the others hear who that was.
func TestAnswer_theFirstCounts(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	req := w.ask(t.Context(), id, c, command("make"))
	const people = 20
	errs := make([]error, people)
	var wg sync.WaitGroup
	for i := range people {
		wg.Go(func() {
			by := wire.Person{ID: wire.UserID(fmt.Sprintf("u_%026d", i+10)), Name: fmt.Sprint("P", i)}
			option := []wire.ApprovalOption{wire.OptionOnce, wire.OptionDeny}[i%2]
			errs[i] = w.answer(id, by, runhub.Answer{ApprovalID: req.id, Option: option})
		})
	}
	wg.Wait()
	winner := -1
	for i, err := range errs {
		if err == nil {
			if winner >= 0 {
				t.Fatalf("P%d and P%d both won", winner, i)
			}
			winner = i
		}
	}
	if winner < 0 {
		t.Fatal("nobody won")
	}
	name := fmt.Sprintf("P%d was first", winner)
	for i, err := range errs {
		if i != winner && (fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), name)) {
			t.Errorf("P%d hears %v", i, err)
		}
	}
	if got := <-req.got; got.err != nil || got.answer.Allow != (winner%2 == 0) {
		t.Errorf("the agent gets %+v, P%d won", got, winner)
	}
	if n := count(w.events(id), isType(wire.TypeApprovalAnswered)); n != 1 {
		t.Errorf("%d answers in the log", n)
	}
	// The winner's answer, sent again because its ack was lost, is still that one.
	by := wire.Person{ID: wire.UserID(fmt.Sprintf("u_%026d", winner+10)), Name: "x"}
	option := []wire.ApprovalOption{wire.OptionOnce, wire.OptionDeny}[winner%2]
	if err := w.answer(id, by, runhub.Answer{ApprovalID: req.id, Option: option}); err != nil {
		t.Errorf("the same answer again: %v", err)
	}
	c.ok()
	w.settled(id)
}

// A request does not depend on any browser: those who watch may all leave.
func TestAsk_outlivesThoseWhoWatch(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	v := w.follow(id, ann, nil)
	req := w.ask(t.Context(), id, c, command("make"))
	v.until(func() bool { return len(v.lines) == 3 })
	v.feed.Close()
	again := w.follow(id, bob, nil)
	defer again.feed.Close()
	again.until(func() bool { return len(again.lines) == 3 })
	if err := w.answer(id, bob, runhub.Answer{ApprovalID: req.id, Option: wire.OptionOnce}); err != nil {
		t.Fatal(err)
	}
	if got := <-req.got; !got.answer.Allow {
		t.Errorf("got %+v", got)
	}
	c.ok()
	w.settled(id)
}

// T8: what waited when the daemon was killed has expired; an answer says so.
func TestAnswer_afterARestartItHasExpired(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	approval := w.ask(t.Context(), id, c, command("make"))
	question := w.ask(t.Context(), id, c, twoQuestions)
	p2 := newPuppet("claude")
	after := w.crash(runhub.Options{}, p2)
	if got := after.types(id); got != "user run_started approval question complete" {
		t.Errorf("log = %s", got)
	}
	if n := after.needs(id); n != nil {
		t.Errorf("the list says %+v", n)
	}
	for _, a := range []runhub.Answer{
		{ApprovalID: approval.id, Option: wire.OptionOnce}, {QuestionID: question.id, Declined: true},
	} {
		if err := after.answer(id, ann, a); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "ended before") {
			t.Errorf("answer = %v", err)
		}
	}
	if got := after.types(id); strings.Contains(got, "answered") {
		t.Errorf("log = %s", got)
	}
	// The next run is not answered by what was meant for the last.
	after.prompt(id, "b", "again")
	c2 := <-p2.calls
	next := after.ask(t.Context(), id, c2, command("make"))
	if err := after.answer(id, ann, runhub.Answer{ApprovalID: approval.id, Option: wire.OptionOnce}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("answer to the old one = %v", err)
	}
	if err := after.answer(id, ann, runhub.Answer{ApprovalID: next.id, Option: wire.OptionDeny}); err != nil {
		t.Error(err)
	}
	<-next.got
	c2.ok()
	after.settled(id)
	if err := w.answer(id, ann, runhub.Answer{ApprovalID: approval.id, Option: wire.OptionDeny}); err != nil {
		t.Error(err)
	}
	<-approval.got
	c.ok()
	w.settled(id)
	<-question.got
}

// A run that is stopped while it waits ends, and what waited has expired.
func TestAsk_endsWhenTheRunIsStopped(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	req := w.ask(c.ctx, id, c, command("make"))
	if err := w.hub.Cancel(t.Context(), id, bob, ""); err != nil {
		t.Fatal(err)
	}
	if got := <-req.got; got.err == nil {
		t.Errorf("the agent got %+v", got)
	}
	w.settled(id)
	if got := w.types(id); got != "user run_started approval complete" {
		t.Errorf("log = %s", got)
	}
	if n := w.needs(id); n != nil {
		t.Errorf("the list says %+v", n)
	}
	if err := w.answer(id, ann, runhub.Answer{ApprovalID: req.id, Option: wire.OptionOnce}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("answer = %v", err)
	}
}

// An agent whose run ends while its own request waits gets no answer.
func TestAsk_endsWithTheRun(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	req := w.ask(t.Context(), id, c, command("make")) // a context that outlives the run
	c.ok()
	w.settled(id)
	if got := <-req.got; got.err == nil {
		t.Errorf("the agent got %+v", got)
	}
	if err := w.answer(id, ann, runhub.Answer{ApprovalID: req.id, Option: wire.OptionOnce}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("answer = %v", err)
	}
}

// What the agent takes back while the run goes on is answered in the log, so
// that no card waits for ever.
func TestAsk_takenBack(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	ctx, withdraw := context.WithCancelCause(t.Context())
	req := w.ask(ctx, id, c, command("make"))
	withdraw(errTest)
	if got := <-req.got; !errors.Is(got.err, errTest) {
		t.Errorf("the agent got %+v", got)
	}
	if n := w.needs(id); n != nil {
		t.Errorf("the list says %+v", n)
	}
	err := w.answer(id, ann, runhub.Answer{ApprovalID: req.id, Option: wire.OptionOnce})
	if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "no longer waits") {
		t.Errorf("answer = %v", err)
	}
	c.ok()
	w.settled(id)
	if got := w.types(id); got != "user run_started approval approval_answered complete" {
		t.Errorf("log = %s", got)
	}
}

// What is allowed for the chat is not asked again, in this run, in the next or
// after a restart, until it is revoked; those that wait for the same go on.
func TestAnswer_forTheChat(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	w.prompt(id, "a", "hello")
	c := <-p.calls
	first := w.ask(t.Context(), id, c, command("make"))
	second := w.ask(t.Context(), id, c, command("make"))
	other := w.ask(t.Context(), id, c, command("make install"))
	if n := w.needs(id); n == nil || n.Count != 3 {
		t.Errorf("the list says %+v", n)
	}
	if err := w.answer(id, bob, runhub.Answer{ApprovalID: first.id, Option: wire.OptionChat}); err != nil {
		t.Fatal(err)
	}
	for _, req := range []asking{first, second} {
		if got := <-req.got; got.err != nil || !got.answer.Allow {
			t.Errorf("got %+v", got)
		}
	}
	if n := w.needs(id); n == nil || n.Title != "make install" || n.Count != 1 {
		t.Errorf("the list says %+v", n)
	}
	if err := w.answer(id, bob, runhub.Answer{ApprovalID: other.id, Option: wire.OptionDeny}); err != nil {
		t.Fatal(err)
	}
	<-other.got
	if got, err := c.host.Ask(t.Context(), command("make")); err != nil || !got.Allow || !strings.Contains(got.Reason, "Bob") {
		t.Errorf("asked again: %+v, %v", got, err)
	}
	c.ok()
	w.settled(id)

	w.stop()
	p = newPuppet("claude")
	w = startIn(t, w.dir, runhub.Options{}, p)
	w.prompt(id, "b", "again")
	c = <-p.calls
	if got, err := c.host.Ask(t.Context(), command("make")); err != nil || !got.Allow {
		t.Errorf("after a restart: %+v, %v", got, err)
	}
	m, err := w.chats.Get(id)
	if err != nil || len(m.Rules) != 1 || m.Rules[0].By != bob || m.Rules[0].Scope.Command != "make" {
		t.Fatalf("rules: %+v, %v", m.Rules, err)
	}
	if err := w.hub.Revoke(id, m.Rules[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := w.hub.Revoke(id, m.Rules[0].ID); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("revoked twice: %v", err)
	}
	req := w.ask(t.Context(), id, c, command("make"))
	if err := w.answer(id, ann, runhub.Answer{ApprovalID: req.id, Option: wire.OptionDeny}); err != nil {
		t.Error(err)
	}
	<-req.got
	c.ok()
	w.settled(id)
}

// A plan that is accepted puts the run and the chat into Code mode.
func TestAnswer_acceptedPlan(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	if _, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{Text: "a", Selection: wire.Selection{Mode: wire.ModePlan}}); err != nil {
		t.Fatal(err)
	}
	c := <-p.calls
	edit := agent.Ask{Kind: wire.ApprovalEdit, Title: "a.go", Cwd: c.req.Cwd, Paths: []string{filepath.Join(c.req.Cwd, "a.go")}}
	plan := agent.Ask{Kind: wire.ApprovalPlan, Title: "The plan", Detail: "1. Do it"}
	if got, err := c.host.Ask(t.Context(), edit); err != nil || got.Allow {
		t.Errorf("an edit before the plan: %+v, %v", got, err)
	}
	keep := w.ask(t.Context(), id, c, plan)
	if err := w.answer(id, bob, runhub.Answer{ApprovalID: keep.id, Option: wire.OptionDeny, Text: "Shorter."}); err != nil {
		t.Fatal(err)
	}
	if got := <-keep.got; got.answer.Allow {
		t.Errorf("kept planning: %+v", got)
	}
	if m, err := w.chats.Get(id); err != nil || m.Selected.Mode != wire.ModePlan {
		t.Errorf("mode %q, %v", m.Selected.Mode, err)
	}
	again := w.ask(t.Context(), id, c, plan)
	if err := w.answer(id, bob, runhub.Answer{ApprovalID: again.id, Option: wire.OptionChat}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a plan for the whole chat: %v", err)
	}
	if err := w.answer(id, bob, runhub.Answer{ApprovalID: again.id, Option: wire.OptionOnce}); err != nil {
		t.Fatal(err)
	}
	if got := <-again.got; !got.answer.Allow {
		t.Errorf("accepted: %+v", got)
	}
	if got, err := c.host.Ask(t.Context(), edit); err != nil || !got.Allow {
		t.Errorf("an edit after the plan: %+v, %v", got, err)
	}
	if m, err := w.chats.Get(id); err != nil || m.Selected.Mode != wire.ModeCode {
		t.Errorf("mode %q, %v", m.Selected.Mode, err)
	}
	c.ok()
	w.settled(id)
}

// A hundred requests at once are neither lost nor more than people could look
// through: what is too much is refused, and the agent knows why.
func TestAsk_aHundredAtOnce(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	const asks = 100
	got := make(chan asked, asks)
	for i := range asks {
		go func() {
			answer, err := c.host.Ask(t.Context(), command(fmt.Sprint("make ", i)))
			got <- asked{answer, err}
		}()
	}
	refused := 0
	for range asks - 64 {
		if a := <-got; a.err == nil && !a.answer.Allow && strings.Contains(a.answer.Reason, "64 requests wait") {
			refused++
		}
	}
	if n := w.needs(id); refused != asks-64 || n == nil || n.Count != 64 {
		t.Fatalf("%d refused, the list says %+v", refused, n)
	}
	open := map[string]bool{}
	for _, e := range w.events(id) {
		switch ev := e.ev.(type) {
		case wire.Approval:
			open[ev.ApprovalID] = true
		case wire.ApprovalAnswered:
			delete(open, ev.ApprovalID)
		}
	}
	for req := range open {
		if err := w.answer(id, ann, runhub.Answer{ApprovalID: req, Option: wire.OptionOnce}); err != nil {
			t.Error(err)
		}
	}
	for range 64 {
		if a := <-got; a.err != nil || !a.answer.Allow {
			t.Errorf("got %+v", a)
		}
	}
	c.ok()
	w.settled(id)
}

// Questions that people could not be shown are refused with a reason.
func TestAsk_oddQuestions(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	long := strings.Repeat("x", 9<<10)
	for name, qs := range map[string][]wire.QuestionItem{
		"none":             nil,
		"too many":         make([]wire.QuestionItem, 17),
		"an empty one":     {{Question: " "}},
		"the same twice":   {{Question: "a"}, {Question: "a"}},
		"too many options": {{Question: "a", Options: make([]wire.QuestionOption, 33)}},
		"a long text":      {{Question: long}},
		"a long label":     {{Question: "a", Options: []wire.QuestionOption{{Label: long}}}},
	} {
		got, err := c.host.Ask(t.Context(), agent.Ask{Kind: wire.ApprovalQuestion, Questions: qs})
		if err != nil || got.Allow || got.Reason == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	// One without options is answered in words.
	free := w.ask(t.Context(), id, c, agent.Ask{Kind: wire.ApprovalQuestion, Questions: []wire.QuestionItem{{Question: "a"}}})
	if q := w.last(id).(wire.Question); q.Questions[0].Options == nil {
		t.Error("no list of options is logged")
	}
	if err := w.answer(id, ann, runhub.Answer{QuestionID: free.id, Answers: map[string][]string{"a": {"words"}}}); err != nil {
		t.Error(err)
	}
	if got := <-free.got; !got.answer.Allow {
		t.Errorf("got %+v", got)
	}
	c.ok()
	w.settled(id)
}

func TestAnswer_refusesWhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	req := w.ask(t.Context(), id, c, agent.Ask{Kind: wire.ApprovalTool, Title: "x", Cwd: "/work"}) // no scope
	for _, tt := range []struct {
		name string
		chat wire.ChatID
		a    runhub.Answer
		want fault.Code
	}{
		{"nothing", id, runhub.Answer{}, fault.Invalid},
		{"both", id, runhub.Answer{ApprovalID: req.id, QuestionID: "q", Option: wire.OptionOnce}, fault.Invalid},
		{"no option", id, runhub.Answer{ApprovalID: req.id}, fault.Invalid},
		{"an option that is none", id, runhub.Answer{ApprovalID: req.id, Option: "always"}, fault.Invalid},
		{"what is not offered", id, runhub.Answer{ApprovalID: req.id, Option: wire.OptionChat}, fault.Invalid},
		{"a text with yes", id, runhub.Answer{ApprovalID: req.id, Option: wire.OptionOnce, Text: "x"}, fault.Invalid},
		{"answers", id, runhub.Answer{ApprovalID: req.id, Option: wire.OptionOnce, Declined: true}, fault.Invalid},
		{"an approval as a question", id, runhub.Answer{QuestionID: req.id, Declined: true}, fault.NotFound},
		{"what never was", id, runhub.Answer{ApprovalID: "ap_x", Option: wire.OptionOnce}, fault.NotFound},
		{"no chat", "c_01ARZ3NDEKTSV4RRFFQ69G5FAV", runhub.Answer{ApprovalID: req.id, Option: wire.OptionOnce}, fault.NotFound},
	} {
		if err := w.answer(tt.chat, ann, tt.a); fault.CodeOf(err) != tt.want {
			t.Errorf("%s: %v, want code %q", tt.name, err, tt.want)
		}
	}
	if n := w.needs(id); n == nil {
		t.Error("one of them counted")
	}
	if err := w.answer(id, ann, runhub.Answer{ApprovalID: req.id, Option: wire.OptionOnce}); err != nil {
		t.Error(err)
	}
	<-req.got
	c.ok()
	w.settled(id)
}

// Rules are bounded.
func TestAnswer_tooManyRules(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	if _, err := w.chats.Update(id, func(m *catalog.Meta) error {
		m.Rules = make([]wire.Rule, 200)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	req := w.ask(t.Context(), id, c, command("make"))
	if err := w.answer(id, ann, runhub.Answer{ApprovalID: req.id, Option: wire.OptionChat}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("one rule too many: %v", err)
	}
	if err := w.answer(id, ann, runhub.Answer{ApprovalID: req.id, Option: wire.OptionOnce}); err != nil {
		t.Error(err)
	}
	<-req.got
	c.ok()
	w.settled(id)
}
