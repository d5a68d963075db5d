package agenttest

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// Check holds a run that ended to what every run must hold to.
func (r *Running) Check(want wire.Status) {
	r.t.Helper()
	if r.Err != nil {
		r.t.Errorf("the run returned the error %v", r.Err)
	}
	if r.Result.Status != want {
		r.t.Errorf("the run ended %+v, want %s; events %+v", r.Result, want, r.Events())
	}
	Check(r.t, r.Events(), r.Result)
	r.mu.Lock()
	for _, f := range r.frames {
		if _, err := wire.EncodeFrame(f); err != nil {
			r.t.Errorf("frame %#v: %v", f, err)
		}
	}
	r.mu.Unlock()
	r.NobodyLeft()
}

// Check holds the events of a run that has ended to what every run must hold
// to.
func Check(t *testing.T, events []wire.Event, res agent.Result) {
	t.Helper()
	open, ended := map[string]bool{}, map[string]bool{}
	session := ""
	failures := 0
	for i, ev := range events {
		checkEncoding(t, ev)
		switch e := ev.(type) {
		case wire.ToolUseStart:
			if e.ToolID == "" || e.Name == "" || open[e.ToolID] || ended[e.ToolID] {
				t.Errorf("event %d: a tool starts without an id or a name, or twice: %+v", i, e)
			}
			open[e.ToolID] = true
		case wire.ToolOutput:
			if !open[e.ToolID] {
				t.Errorf("event %d: output of a tool that is not running: %+v", i, e)
			}
		case wire.ToolUseEnd:
			if !open[e.ToolID] || e.MS < 0 {
				t.Errorf("event %d: a tool ends that is not running, or before it began: %+v", i, e)
			}
			delete(open, e.ToolID)
			ended[e.ToolID] = true
		case wire.AssistantText:
			checkPiece(t, i, e.Item, e.Delta, e.Final)
		case wire.Thinking:
			checkPiece(t, i, e.Item, e.Delta, e.Final)
		case wire.Session:
			if e.SessionID == session {
				t.Errorf("event %d: a session without an id, or told again: %+v", i, e)
			}
			session = e.SessionID
		case wire.System:
			if e.Code == "" || e.Text == "" || e.Level == "" {
				t.Errorf("event %d: a notice that says too little: %+v", i, e)
			}
		case wire.Error:
			failures++
			if e.Code == "" || e.Message == "" || e.Hint == "" {
				t.Errorf("event %d: an error that says too little: %+v", i, e)
			}
		case wire.User, wire.RunStarted, wire.Approval, wire.ApprovalAnswered, wire.Complete, wire.Epoch, wire.Unknown:
			t.Errorf("event %d: %T is not a provider's to tell", i, ev)
		}
	}
	if len(open) > 0 {
		t.Errorf("tools that never end: %v", open)
	}
	if failed := res.Status == wire.StatusFailed; failed != (failures == 1) || failures > 1 || failed && res.Code == "" {
		t.Errorf("%d errors in a run that ended %+v", failures, res)
	}
	if u := res.Usage; u != nil && (u.Input < 0 || u.Output < 0 || (u.CostUSD == nil) != (u.CostKind == "")) {
		t.Errorf("the usage makes no sense: %+v", *u)
	}
}

func checkPiece(t *testing.T, i int, item, delta, final string) {
	t.Helper()
	if item == "" || (delta == "") == (final == "") {
		t.Errorf("event %d: a piece of text has no item, or not one of delta and final: %q %q %q", i, item, delta, final)
	}
}

// checkEncoding: an event comes back from the log as it was.
func checkEncoding(t *testing.T, ev wire.Event) {
	t.Helper()
	d, err := wire.NewDraft("", ev)
	if err != nil {
		t.Errorf("event %#v: %v", ev, err)
		return
	}
	if !utf8.Valid(d.Body) || bytes.ContainsRune(d.Body, '\n') {
		t.Errorf("event %#v is no line of UTF-8: %q", ev, d.Body)
	}
	line := d.AppendLine(nil, 1, wire.Time{Time: time.Unix(0, 0)})
	if _, back, err := wire.Decode(line); err != nil || reflect.TypeOf(back) != reflect.TypeOf(ev) {
		t.Errorf("event %#v comes back as %#v, %v", ev, back, err)
	}
}

// Text joins the pieces of the texts that one agent says: the main one for an
// empty parent.
func Text(events []wire.Event, parent string) string {
	items := map[string]string{}
	var order []string
	for _, e := range Of[wire.AssistantText](events) {
		if e.ParentToolID != parent {
			continue
		}
		if _, ok := items[e.Item]; !ok {
			order = append(order, e.Item)
		}
		if e.Final != "" {
			items[e.Item] = e.Final
		}
		items[e.Item] += e.Delta
	}
	texts := make([]string, 0, len(order))
	for _, item := range order {
		texts = append(texts, items[item])
	}
	return strings.Join(texts, "\n")
}

// Of returns the events of one type.
func Of[E wire.Event](events []wire.Event) []E {
	var list []E
	for _, ev := range events {
		if e, ok := ev.(E); ok {
			list = append(list, e)
		}
	}
	return list
}
