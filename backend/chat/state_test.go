package chat_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/chat"
	"signalbox/backend/wire"
)

var (
	ann   = wire.Person{ID: "u_1", Name: "Ann"}
	start = wire.Time{Time: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}
)

// log makes the lines of a log: each event of a run, counted from 1.
type log struct {
	t     *testing.T
	seq   uint64
	lines [][]byte
}

func (l *log) add(run wire.RunID, ev wire.Event) {
	l.t.Helper()
	d, err := wire.NewDraft(run, ev)
	if err != nil {
		l.t.Fatal(err)
	}
	l.seq++
	l.lines = append(l.lines, d.AppendLine(nil, l.seq, start))
}

func (l *log) fold() *chat.State {
	l.t.Helper()
	var s chat.State
	for _, line := range l.lines {
		if err := s.Apply(line); err != nil {
			l.t.Fatal(err)
		}
	}
	return &s
}

func user(id, text string) wire.User {
	return wire.User{Text: text, ClientID: id, By: ann, Selection: wire.Selection{Agent: "claude", Mode: wire.ModePlan}}
}

func TestState_runs(t *testing.T) {
	t.Parallel()
	l := &log{t: t}
	if got := l.fold().Last(); got != (chat.Run{}) {
		t.Errorf("Last of an empty log = %+v", got)
	}

	l.add("r_1", user("a", "hello"))
	want := chat.Run{ID: "r_1", By: ann, Selection: user("", "").Selection, Started: start}
	if got, open := l.fold().Open(); !open || got != want {
		t.Errorf("Open after a prompt = %+v, %v; want %+v", got, open, want)
	}

	l.add("r_1", wire.AssistantText{Item: "i", Delta: `{"type":"complete"}`})
	l.add("r_0", wire.Complete{Status: wire.StatusFailed}) // of another run
	if _, open := l.fold().Open(); !open {
		t.Error("the run is not open before its complete")
	}

	l.add("r_1", wire.Complete{Status: wire.StatusOK})
	want.Verdict = wire.StatusOK
	got, open := l.fold().Open()
	if diff := cmp.Diff(want, got); diff != "" || open {
		t.Errorf("after complete open = %v (-want +got):\n%s", open, diff)
	}
}

func TestState_clientIDs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 10_000)
	l := &log{t: t}
	l.add("r_1", user("a", "hello"))
	l.add("r_1", wire.Complete{Status: wire.StatusOK})
	l.add("r_2", user("long", long[:4096]))
	// What the log makes of a text that is kept beside it.
	sum := sha256.Sum256([]byte(long))
	refs := `,"refs":{"/text":{"sha256":"` + hex.EncodeToString(sum[:]) + `","bytes":50000}}}`
	last := l.lines[len(l.lines)-1]
	l.lines[len(l.lines)-1] = append(last[:len(last)-len("}\n")], refs+"\n"...)

	s := l.fold()
	for _, tt := range []struct {
		name, id, text string
		known, same    bool
		seq            uint64
	}{
		{name: "same text", id: "a", text: "hello", known: true, same: true, seq: 1},
		{name: "other text", id: "a", text: "hello ", known: true, seq: 1},
		{name: "other id", id: "b", text: "hello"},
		{name: "a text beside the log", id: "long", text: long, known: true, same: true, seq: 3},
		{name: "the beginning of a text beside the log", id: "long", text: long[:4096], known: true, seq: 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, known := s.Prompt(tt.id)
			if known != tt.known || p.Seq != tt.seq || known && p.SameText(tt.text) != tt.same {
				t.Errorf("Prompt = seq %d, %v, same text %v", p.Seq, known, p.SameText(tt.text))
			}
		})
	}
}

// T10: a client id lives as long as the chat.
func TestState_clientIDsOutliveARewind(t *testing.T) {
	t.Parallel()
	before := &log{t: t}
	before.add("r_1", user("a", "one"))
	before.add("r_2", user("b", "two"))

	after := &log{t: t, lines: slices.Clip(before.lines[:1]), seq: 2}
	after.add("", wire.Epoch{Epoch: 2, Keep: 1, Cause: wire.CauseRewind})

	s := after.fold()
	if _, ok := s.Prompt("b"); ok {
		t.Fatal("the log after the rewind holds the prompt")
	}
	s.Spend(before.fold().From(2))
	if p, ok := s.Prompt("b"); !ok || !p.SameText("two") || p.Run != "r_2" {
		t.Errorf("Prompt = %+v, %v", p, ok)
	}
	if got := s.Last().ID; got != "r_1" {
		t.Errorf("last run = %s, want r_1", got)
	}
}

func TestState_sessions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		evs  []wire.Event
		want string
	}{
		{name: "none"},
		{name: "the last of the agent", want: "s2", evs: []wire.Event{
			wire.Session{Agent: "claude", SessionID: "s1"},
			wire.Session{Agent: "claude", SessionID: "s2"},
			wire.Session{Agent: "codex", SessionID: "x"},
		}},
		{name: "a rewind ends it", evs: []wire.Event{
			wire.Session{Agent: "claude", SessionID: "s1"},
			wire.Epoch{Epoch: 2, Keep: 1, Cause: wire.CauseRewind},
		}},
		{name: "a repair does not", want: "s1", evs: []wire.Event{
			wire.Session{Agent: "claude", SessionID: "s1"},
			wire.Epoch{Epoch: 2, Keep: 1, Cause: wire.CauseRepair},
		}},
		{name: "begun after a clear", want: "s2", evs: []wire.Event{
			wire.Session{Agent: "claude", SessionID: "s1"},
			wire.Epoch{Epoch: 2, Keep: 1, Cause: wire.CauseClear},
			wire.Session{Agent: "claude", SessionID: "s2"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := &log{t: t}
			for _, ev := range tt.evs {
				l.add("r_1", ev)
			}
			if got := l.fold().Session("claude"); got != tt.want {
				t.Errorf("Session = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTypeOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, line, want string }{
		{name: "as the log writes it", line: `{"seq":1,"t":"2026-03-01T10:00:00.000Z","type":"user","text":"x"}`, want: "user"},
		{name: "another order", line: `{ "type":"user", "seq":1}`, want: "user"},
		{name: "the word in a text", line: `{"seq":1,"t":"x","type":"system","text":"\"type\":\"user\""}`, want: "system"},
		{name: "no type", line: `{"seq":1}`},
		{name: "type is a number", line: `{"seq":1,"type":7}`},
		{name: "not JSON", line: `{"seq":1,"t":"2026`},
		{name: "empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(chat.TypeOf([]byte(tt.line))); got != tt.want {
				t.Errorf("TypeOf = %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzState(f *testing.F) {
	l := &log{}
	for _, ev := range wire.Events() {
		d, err := wire.NewDraft("r_1", ev)
		if err != nil {
			f.Fatal(err)
		}
		l.seq++
		f.Add(d.AppendLine(nil, l.seq, start))
	}
	f.Add([]byte(`{"type":"user","refs":{"/text":{"sha256":"zz"}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var s chat.State
		err := s.Apply(line)
		if run, open := s.Open(); err != nil && (open || run != chat.Run{}) {
			t.Errorf("state after an unreadable line = %+v", run)
		}
		if err == nil && !json.Valid(line) && string(chat.TypeOf(line)) == "user" {
			t.Error("a prompt was taken from a line that is not JSON")
		}
	})
}

// Folding passes over what does not matter without decoding it.
func TestState_passesOverDeltasWithoutAllocating(t *testing.T) {
	l := &log{t: t}
	l.add("r_1", wire.AssistantText{Item: "i", Delta: "some words"})
	var s chat.State
	got := testing.AllocsPerRun(100, func() {
		if err := s.Apply(l.lines[0]); err != nil {
			t.Fatal(err)
		}
	})
	if got != 0 {
		t.Errorf("%v allocations for a delta, want 0", got)
	}
}

func BenchmarkState_apply(b *testing.B) {
	d, err := wire.NewDraft("r_1", wire.AssistantText{Item: "i", Delta: strings.Repeat("word ", 50)})
	if err != nil {
		b.Fatal(err)
	}
	line := d.AppendLine(nil, 123_456, start)
	b.SetBytes(int64(len(line)))
	var s chat.State
	for b.Loop() {
		if err := s.Apply(line); err != nil {
			b.Fatal(err)
		}
	}
}
