package runhub

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/chat"
	"signalbox/backend/fault"
	"signalbox/backend/internal/id"
	"signalbox/backend/wire"
)

// Answer is what a person answers: either to an approval or to a question.
type Answer struct {
	ApprovalID string
	Option     wire.ApprovalOption
	// Text goes with the option deny: what is wanted instead. The agent is told.
	Text string

	QuestionID string
	Answers    map[string][]string
	Declined   bool
}

// The limits of an answer.
const (
	maxAnswer  = 32 << 10 // bytes of a text
	maxChoices = 64       // of one question
)

func (a *Answer) check() error {
	if (a.ApprovalID == "") == (a.QuestionID == "") {
		return fault.New(fault.Invalid, "An answer names an approvalId or a questionId, one of them.")
	}
	if a.ApprovalID != "" {
		switch a.Option {
		case wire.OptionOnce, wire.OptionChat, wire.OptionDeny:
		default:
			return fault.New(fault.Invalid, "%.40q is no answer to an approval.", a.Option).
				WithHint("Choose one of the options that the approval lists.")
		}
		if a.Text != "" && a.Option != wire.OptionDeny {
			return fault.New(fault.Invalid, "A text goes with the option deny alone.")
		}
		if len(a.Answers) > 0 || a.Declined {
			return fault.New(fault.Invalid, "Answers belong to a question, not to an approval.")
		}
		return checkAnswerText(a.Text)
	}
	if a.Option != "" || a.Text != "" {
		return fault.New(fault.Invalid, "An option and a text belong to an approval, not to a question.")
	}
	if a.Declined == (len(a.Answers) > 0) {
		return fault.New(fault.Invalid, "A question is either answered or declined.").
			WithHint("Send answers, or declined: true.")
	}
	return nil
}

func checkAnswerText(s string) error {
	switch {
	case len(s) > maxAnswer:
		return fault.New(fault.TooLarge, "The answer has %d bytes; at most %d are taken.", len(s), maxAnswer)
	case !utf8.ValidString(s) || strings.ContainsRune(s, 0):
		return fault.New(fault.Invalid, "The answer holds characters that no agent can be given.")
	}
	return nil
}

// Answer answers what the chat's run waits for, on behalf of a person. The first
// answer counts; the same answer again by the same person is taken as that one.
//
// Faults: invalid; not_found for a request that never was; conflict, with who
// was first, or because the run ended before anybody answered; unavailable when
// the answer could not be written down, and then it does not count.
func (h *Hub) Answer(_ context.Context, chat wire.ChatID, by wire.Person, a Answer) error {
	if err := a.check(); err != nil {
		return err
	}
	if _, err := h.chats.Get(chat); err != nil {
		return err
	}
	room, err := h.room(chat)
	if err != nil {
		return err
	}
	if d := room.desk(); d != nil {
		if found, err := d.answer(by, a); found {
			return err
		}
	}
	return room.answered(by, a)
}

// desk returns that of the live run, nil if there is none.
func (r *room) desk() *desk {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil {
		return nil
	}
	return r.run.desk
}

// answer answers a request that waits; false if it does not lie here.
func (d *desk) answer(by wire.Person, a Answer) (found bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.waiting, func(q *request) bool {
		if q.ask.Kind == wire.ApprovalQuestion {
			return q.id == a.QuestionID
		}
		return q.id == a.ApprovalID
	})
	if i < 0 {
		return false, nil
	}
	if d.run.stopping() {
		return true, errExpired()
	}
	req := d.waiting[i]
	if req.ask.Kind == wire.ApprovalQuestion {
		return true, d.answerQuestion(req, by, a)
	}
	return true, d.answerApproval(req, by, a)
}

func (d *desk) answerApproval(req *request, by wire.Person, a Answer) error {
	var rule string
	if a.Option == wire.OptionChat {
		if req.scope == nil {
			return fault.New(fault.Invalid, "This cannot be allowed for the whole chat.").
				WithHint("Allow it once, or deny it.")
		}
		var err error
		if rule, err = d.allowForChat(by, *req.scope); err != nil {
			return err
		}
	}
	answer := agent.Answer{Allow: a.Option != wire.OptionDeny}
	if !answer.Allow {
		answer.Reason = by.Name + " said no."
		if a.Text != "" {
			answer.Reason = by.Name + " said no, and wants this instead: " + a.Text
			answer.Instead = a.Text
		}
	}
	ev := wire.ApprovalAnswered{ApprovalID: req.id, Option: a.Option, By: &by, Text: a.Text}
	if err := d.settleLocked(req, ev, answer); err != nil {
		d.takeBackLocked(rule)
		return errNotAnswered(err)
	}
	if answer.Allow && req.ask.Kind == wire.ApprovalPlan {
		d.beginWork(by)
	}
	// What else this answers is answered for the agent's sake: it is not what
	// the person waits for.
	if err := d.reconsiderLocked(); err != nil {
		d.run.hub.log.Warn("requests not answered by a rule", "chat", d.run.room.id, "err", err)
	}
	return nil
}

// maxRules is how many rules a chat may have.
const maxRules = 200

// allowForChat writes the rule down before anything happens by it, and returns its
// id.
func (d *desk) allowForChat(by wire.Person, scope wire.Scope) (string, error) {
	rule := wire.Rule{ID: id.New("ru_"), Scope: scope, By: by, At: catalog.Now()}
	_, err := d.run.hub.chats.Update(d.run.room.id, func(m *catalog.Meta) error {
		if len(m.Rules) >= maxRules {
			return fault.New(fault.Conflict, "This chat has %d rules already.", maxRules).
				WithHint("Allow it once, or revoke rules that are no longer needed.")
		}
		m.Rules = append(m.Rules, rule)
		return nil
	})
	return rule.ID, err
}

// takeBackLocked takes out the rule of an answer that does not count; the end of
// the run tries again if it cannot.
func (d *desk) takeBackLocked(rule string) {
	if rule == "" {
		return
	}
	_, err := d.run.hub.chats.Update(d.run.room.id, func(m *catalog.Meta) error {
		dropRules(m, []string{rule})
		return nil
	})
	if err != nil {
		d.run.hub.log.Error("rule not taken back yet", "chat", d.run.room.id, "err", err)
		d.void = append(d.void, rule)
	}
}

// voided returns the rules that could not be taken back.
func (d *desk) voided() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.void
}

func dropRules(m *catalog.Meta, rules []string) {
	m.Rules = slices.DeleteFunc(m.Rules, func(r wire.Rule) bool { return slices.Contains(rules, r.ID) })
}

// beginWork changes the mode of the run and of the chat to Code, as a plan was
// accepted.
func (d *desk) beginWork(by wire.Person) {
	if d.mode == wire.ModeCode || d.mode == wire.ModeDebug || !hasMode(d.run.provider.Info(), wire.ModeCode) {
		return
	}
	d.mode = wire.ModeCode
	_, err := d.run.hub.chats.Update(d.run.room.id, func(m *catalog.Meta) error {
		m.Selected.Mode, m.SelectedBy, m.SelectedAt = wire.ModeCode, by.ID, catalog.Now()
		return nil
	})
	if err != nil {
		d.run.hub.log.Warn("mode of the chat not changed", "chat", d.run.room.id, "err", err)
	}
}

func (d *desk) answerQuestion(req *request, by wire.Person, a Answer) error {
	ev := wire.QuestionAnswered{QuestionID: req.id, By: &by, Declined: a.Declined}
	answer := agent.Answer{Allow: !a.Declined}
	if a.Declined {
		answer.Reason = by.Name + " does not want to answer that. Go on without the answer, or say what you need."
	} else {
		clean, err := checkAnswers(req.ask.Questions, a.Answers)
		if err != nil {
			return err
		}
		ev.Answers, answer.Answers = clean, clean
	}
	if err := d.settleLocked(req, ev, answer); err != nil {
		return errNotAnswered(err)
	}
	return nil
}

// checkAnswers returns the answers without those that are empty.
func checkAnswers(questions []wire.QuestionItem, given map[string][]string) (map[string][]string, error) {
	clean := map[string][]string{}
	for text, chosen := range given {
		i := slices.IndexFunc(questions, func(q wire.QuestionItem) bool { return q.Question == text })
		switch {
		case i < 0:
			return nil, fault.New(fault.Invalid, "%.80q was not asked.", text).
				WithHint("Each answer stands under the text of its question.")
		case len(chosen) > maxChoices:
			return nil, fault.New(fault.TooLarge, "A question takes at most %d choices.", maxChoices)
		case len(chosen) > 1 && !questions[i].MultiSelect:
			return nil, fault.New(fault.Invalid, "%.80q takes one answer.", text)
		}
		for _, c := range chosen {
			if err := checkAnswerText(c); err != nil {
				return nil, err
			}
			if strings.TrimSpace(c) != "" {
				clean[text] = append(clean[text], c)
			}
		}
	}
	if len(clean) == 0 {
		return nil, fault.New(fault.Invalid, "The answer is empty.").WithHint("Choose something, or decline.")
	}
	return clean, nil
}

// The limits of what an agent asks. Texts stay below the size at which the log
// keeps them elsewhere, since answers name their question by its text.
const (
	maxQuestions    = 16
	maxOptions      = 32
	maxQuestionText = 8 << 10
)

// checkQuestions returns why people cannot be asked, in words for the agent; ""
// if they can.
func checkQuestions(questions []wire.QuestionItem) string {
	if len(questions) == 0 || len(questions) > maxQuestions {
		return fmt.Sprintf("Ask 1 to %d questions at a time.", maxQuestions)
	}
	seen := map[string]bool{}
	for _, q := range questions {
		switch {
		case strings.TrimSpace(q.Question) == "":
			return "A question is empty."
		case seen[q.Question]:
			return "A question stands there twice."
		case len(q.Options) > maxOptions:
			return fmt.Sprintf("A question may have at most %d options.", maxOptions)
		}
		seen[q.Question] = true
		texts := []string{q.Question, q.Header}
		for _, o := range q.Options {
			texts = append(texts, o.Label, o.Description)
		}
		for _, t := range texts {
			if len(t) > maxQuestionText {
				return fmt.Sprintf("A text of a question is longer than %d bytes.", maxQuestionText)
			}
		}
	}
	return ""
}

// answered says what became of a request that does not wait, from the log.
func (r *room) answered(by wire.Person, a Answer) error {
	log, err := r.hub.logs.Log(r.id)
	if err != nil {
		return err
	}
	for line, err := range log.Backward() {
		if err != nil {
			return err
		}
		switch wire.Type(chat.TypeOf(line)) {
		case wire.TypeApproval, wire.TypeApprovalAnswered, wire.TypeQuestion, wire.TypeQuestionAnswered:
		default:
			continue
		}
		_, ev, err := wire.Decode(line)
		if err != nil {
			continue // damaged: what comes before it may say
		}
		if done, err := a.compare(by, ev); done {
			return err
		}
	}
	return fault.New(fault.NotFound, "Nothing with that id was asked in this chat.")
}

// compare holds the answer against an event of the log; false if that says
// nothing about it.
func (a *Answer) compare(by wire.Person, ev wire.Event) (bool, error) {
	switch ev := ev.(type) {
	case wire.ApprovalAnswered:
		if ev.ApprovalID != a.ApprovalID || a.ApprovalID == "" {
			return false, nil
		}
		if ev.By != nil && ev.By.ID == by.ID && ev.Option == a.Option && ev.Text == a.Text {
			return true, nil
		}
		did := "allowed it"
		if ev.Option == wire.OptionDeny {
			did = "denied it"
		}
		return true, errAnswered(ev.By, by, did, ev.Reason)
	case wire.QuestionAnswered:
		if ev.QuestionID != a.QuestionID || a.QuestionID == "" {
			return false, nil
		}
		if ev.By != nil && ev.By.ID == by.ID && ev.Declined == a.Declined && sameAnswers(ev.Answers, a.Answers) {
			return true, nil
		}
		did := "answered it"
		if ev.Declined {
			did = "declined it"
		}
		return true, errAnswered(ev.By, by, did, ev.Reason)
	case wire.Approval:
		if ev.ApprovalID == a.ApprovalID {
			return true, errExpired()
		}
	case wire.Question:
		if ev.QuestionID == a.QuestionID {
			return true, errExpired()
		}
	}
	return false, nil
}

func sameAnswers(a, b map[string][]string) bool { return maps.EqualFunc(a, b, slices.Equal) }

// errAnswered says who was first.
func errAnswered(first *wire.Person, by wire.Person, did, reason string) error {
	switch {
	case first == nil:
		return fault.New(fault.Conflict, "It was answered without a person. %s", reason).
			WithHint("Your answer had no effect.")
	case first.ID == by.ID:
		return fault.New(fault.Conflict, "You were first, elsewhere, and %s.", did).
			WithHint("This answer had no effect.")
	default:
		return fault.New(fault.Conflict, "%s was first and %s.", first.Name, did).
			WithHint("Your answer had no effect.")
	}
}

func errExpired() error {
	return fault.New(fault.Conflict, "The run ended before anybody answered.").
		WithHint("Your answer had no effect. Send a prompt to go on.")
}

func errNotAnswered(err error) error {
	return fault.New(fault.Unavailable, "The answer could not be written down, so it does not count.").
		WithHint("Look whether the run still goes on, then answer again.").Because(err)
}

// Revoke takes back what was allowed for the chat. What was allowed by it before
// stays done. A rule that is not there is a fault not_found.
func (h *Hub) Revoke(chat wire.ChatID, rule string) error {
	_, err := h.chats.Update(chat, func(m *catalog.Meta) error {
		i := slices.IndexFunc(m.Rules, func(r wire.Rule) bool { return r.ID == rule })
		if i < 0 {
			return fault.New(fault.NotFound, "This chat has no such rule.").WithHint("It may have been revoked already.")
		}
		m.Rules = slices.Delete(m.Rules, i, i+1)
		return nil
	})
	return err
}
