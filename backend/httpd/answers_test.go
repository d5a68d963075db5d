package httpd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"signalbox/backend/access"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/wire"
)

// idIn reads the id of a request from its event.
func idIn(t *testing.T, m message) string {
	t.Helper()
	var ev struct{ ApprovalID, QuestionID string }
	if err := json.Unmarshal([]byte(m.line), &ev); err != nil {
		t.Fatal(err)
	}
	return ev.ApprovalID + ev.QuestionID
}

// asked prompts with a word and reads on to what the agent asks.
func asked(t *testing.T, s *tap, word string, typ wire.Type) string {
	t.Helper()
	s.send(`{"type":"prompt","text":%q}`, word)
	all := s.until(ofType(typ))
	return idIn(t, all[len(all)-1])
}

// heard reads on to what the agent got.
func heard(s *tap) string {
	all := s.until(ofType(wire.TypeSystem))
	return all[len(all)-1].line
}

// Two browsers answer: the first counts, the other is told who that was, and
// both see the answer.
func TestAnswer_onTheSocket(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob := d.signIn("ann", access.Admin), d.signIn("bob", access.Member)
	chat := d.chat(ann)
	a, b := ann.socket("/ws/chat/"+string(chat)), bob.socket("/ws/chat/"+string(chat))
	id := asked(t, a, "ask", wire.TypeApproval)
	b.until(ofType(wire.TypeApproval))
	b.send(`{"type":"answer","id":"k","approvalId":%q,"option":"deny","text":"Use ninja."}`, id)
	if m := b.ack("k"); !m.OK || m.Error != nil {
		t.Fatalf("ack is %s", m.line)
	}
	a.until(ofType(wire.TypeApprovalAnswered))
	a.send(`{"type":"answer","id":"late","approvalId":%q,"option":"once"}`, id)
	if m := a.ack("late"); m.OK || m.Error.Code != "conflict" || !strings.Contains(m.Error.Message, "bob was first") {
		t.Errorf("ack is %s", m.line)
	}
	a.send(`{"type":"prompt","id":"p","text":"say 1"}`)
	for _, bad := range []string{
		`{"type":"answer","id":"k2"}`,
		`{"type":"answer","id":"k2","approvalId":1}`,
		`{"type":"answer","id":"k2","approvalId":"ap_x","option":"always"}`,
		`{"type":"answer","id":"k2","approvalId":"ap_x","option":"once","extra":1}`,
		`{"type":"answer","id":"k2","questionId":"qu_x","answers":{"a":"b"}}`,
	} {
		b.send("%s", bad)
		if m := b.ack("k2"); m.OK || m.Error.Code != "invalid" {
			t.Errorf("%s: %s", bad, m.line)
		}
	}
}

func TestAnswer_questionOverREST(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, eve := d.signIn("ann", access.Admin), d.signIn("eve", access.Viewer)
	chat := d.chat(ann)
	path := "/api/chats/" + string(chat)
	s := ann.socket("/ws/chat/" + string(chat))
	id := asked(t, s, "question", wire.TypeQuestion)

	sum := read[wire.ChatSummary](t, ann.call(http.MethodGet, path, ""), http.StatusOK)
	if sum.NeedsYou == nil || sum.NeedsYou.Kind != wire.ApprovalQuestion || sum.NeedsYou.Title != "Which?" {
		t.Errorf("needs you: %+v", sum.NeedsYou)
	}
	body := fmt.Sprintf(`{"questionId":%q,"answers":{"Which?":["A","something else"]}}`, id)
	if p := read[contract.Problem](t, eve.call(http.MethodPost, path+"/answer", body), http.StatusForbidden); p.Code != "forbidden" {
		t.Errorf("a viewer's answer: %+v", p)
	}
	v := eve.socket("/ws/chat/" + string(chat))
	v.send(`{"type":"answer","id":"k","questionId":%q,"declined":true}`, id)
	if m := v.ack("k"); m.OK || m.Error.Code != "forbidden" {
		t.Errorf("a viewer's answer on the socket: %s", m.line)
	}
	if r := ann.call(http.MethodPost, path+"/answer", body); r.status != http.StatusNoContent {
		t.Fatalf("answer: %d %s", r.status, r.body)
	}
	if got := heard(s); !strings.Contains(got, "true map[Which?:[A something else]]") {
		t.Errorf("the agent got %s", got)
	}
	s.until(idle)
	// Sent again, since the first answer may not have come back.
	if r := ann.call(http.MethodPost, path+"/answer", body); r.status != http.StatusNoContent {
		t.Errorf("the same again: %d %s", r.status, r.body)
	}
	unknown := `{"approvalId":"ap_x","option":"once"}`
	if p := read[contract.Problem](t, ann.call(http.MethodPost, path+"/answer", unknown), http.StatusNotFound); p.Code != "not_found" {
		t.Errorf("unknown: %+v", p)
	}
	if sum := read[wire.ChatSummary](t, ann.call(http.MethodGet, path, ""), http.StatusOK); sum.NeedsYou != nil {
		t.Errorf("needs you after the answer: %+v", sum.NeedsYou)
	}
}

// A rule is listed for all who see the chat, and revoked by those who may.
func TestRules(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, eve := d.signIn("ann", access.Admin), d.signIn("eve", access.Viewer)
	chat := d.chat(ann)
	path := "/api/chats/" + string(chat) + "/rules"
	if l := read[contract.RuleList](t, ann.call(http.MethodGet, path, ""), http.StatusOK); l.Rules == nil || len(l.Rules) != 0 {
		t.Errorf("rules of a new chat: %+v", l)
	}
	s := ann.socket("/ws/chat/" + string(chat))
	id := asked(t, s, "ask", wire.TypeApproval)
	s.send(`{"type":"answer","approvalId":%q,"option":"chat"}`, id)
	s.until(idle)
	s.send(`{"type":"prompt","text":"ask"}`)
	all := s.until(ofType(wire.TypeApprovalAnswered))
	if last := all[len(all)-1].line; !strings.Contains(last, `"auto":true`) || !strings.Contains(last, "ann allowed it") {
		t.Errorf("asked again: %s", last)
	}
	s.until(idle)
	l := read[contract.RuleList](t, eve.call(http.MethodGet, path, ""), http.StatusOK)
	if len(l.Rules) != 1 || l.Rules[0].By != ann.who || l.Rules[0].Scope.Command != "make" {
		t.Fatalf("rules: %+v", l)
	}
	rule := path + "/" + l.Rules[0].ID
	if r := eve.call(http.MethodDelete, rule, ""); r.status != http.StatusForbidden {
		t.Errorf("a viewer revokes: %d", r.status)
	}
	if r := ann.call(http.MethodDelete, rule, ""); r.status != http.StatusNoContent {
		t.Errorf("revoke: %d %s", r.status, r.body)
	}
	if r := ann.call(http.MethodDelete, rule, ""); r.status != http.StatusNotFound {
		t.Errorf("revoke twice: %d", r.status)
	}
}
