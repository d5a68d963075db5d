package chat_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"signalbox/backend/chat"
	"signalbox/backend/wire"
)

func TestState_Prompts(t *testing.T) {
	t.Parallel()
	l := &log{t: t}
	l.add("r_1", user("a", "\n\n  first\tline \nsecond"))
	l.add("r_1", wire.Complete{Status: wire.StatusFailed})
	l.add("r_2", user("b", "two"))
	s := l.fold()
	want := []wire.OutlinePrompt{
		{Seq: 1, T: start, Run: "r_1", By: ann, Line: "first line", Status: wire.StatusFailed, End: 2},
		{Seq: 3, T: start, Run: "r_2", By: ann, Line: "two"},
	}
	if diff := cmp.Diff(want, s.Prompts()); diff != "" {
		t.Errorf("Prompts (-want +got)\n%s", diff)
	}
	if got := s.Ended(); got != 2 {
		t.Errorf("Ended = %d", got)
	}
	// The caller may change what it was given.
	s.Prompts()[0].Line = "changed"
	if s.Prompts()[0].Line != "first line" {
		t.Error("the state was changed from outside")
	}
}

// Back to before a prompt, a state is what the log up to there adds up to, but for
// the client ids.
func TestState_Back(t *testing.T) {
	t.Parallel()
	l := &log{t: t}
	for i, id := range []string{"a", "b", "c"} {
		run := wire.RunID(id)
		l.add(run, user(id, "text "+id))
		l.add(run, wire.Session{Agent: "claude", SessionID: "s"})
		l.add(run, wire.Complete{Status: wire.StatusOK, Turn: id})
		if i == 0 {
			l.add("", wire.Epoch{Epoch: 2, Keep: 3, Cause: wire.CauseRewind})
		}
	}
	for seq, keep := range map[uint64]int{1: 0, 5: 4, 6: 7, 8: 7, 99: len(l.lines)} {
		s := l.fold()
		s.Back(seq)
		whole := l.lines
		l.lines = whole[:keep]
		want := l.fold()
		l.lines = whole
		for _, id := range []string{"a", "b", "c"} {
			if _, ok := s.Prompt(id); !ok {
				t.Errorf("before %d the client id %s is not known", seq, id)
			}
		}
		can := chat.Abilities{Forks: true, Rewinds: true}
		if diff := cmp.Diff(want.Prompts(), s.Prompts(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("prompts before %d (-want +got)\n%s", seq, diff)
		}
		if got, want := s.Resume("claude", can), want.Resume("claude", can); got != want {
			t.Errorf("before %d an agent goes on with %+v, want %+v", seq, got, want)
		}
		if got, want := s.Last(), want.Last(); got != want {
			t.Errorf("the last run before %d = %+v, want %+v", seq, got, want)
		}
		if got, want := s.Ended(), want.Ended(); got != want {
			t.Errorf("Ended before %d = %d, want %d", seq, got, want)
		}
		// It goes on from there.
		if got := len(s.Prompts()); got < 3 {
			for _, line := range l.lines[keep:] {
				if err := s.Apply(line); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(l.fold().Prompts(), s.Prompts()); diff != "" {
				t.Errorf("gone on from %d (-want +got)\n%s", seq, diff)
			}
			if got, want := s.Resume("claude", can), l.fold().Resume("claude", can); got != want {
				t.Errorf("gone on from %d an agent goes on with %+v, want %+v", seq, got, want)
			}
		}
	}
}

func TestState_Spend(t *testing.T) {
	t.Parallel()
	l := &log{t: t}
	l.add("r_1", user("a", "one"))
	l.add("r_2", user("b", "two"))
	b, err := json.Marshal(l.fold().From(2))
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]chat.Prompt
	if err := json.Unmarshal(b, &kept); err != nil {
		t.Fatal(err)
	}
	if len(kept) != 1 {
		t.Fatalf("kept %s", b)
	}
	var s chat.State
	s.Spend(kept)
	if p, ok := s.Prompt("b"); !ok || p.Run != "r_2" || p.Seq != 2 || !p.SameText("two") || p.SameText("one") {
		t.Errorf("Prompt = %+v, %v", p, ok)
	}
	if len(s.Prompts()) != 0 {
		t.Error("a prompt that was taken out is part of the chat")
	}
	if err := json.Unmarshal([]byte(`{"b":{"sha256":"zz"}}`), &kept); err != nil || kept["b"].SameText("") {
		t.Errorf("a hash that is none: %v, same as an empty text", err)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("\u200b\n a\x1b[1mb\u202e\n")
	f.Add(strings.Repeat("é", 300))
	f.Fuzz(func(t *testing.T, text string) {
		line := chat.Line(text)
		if len(line) > 200 || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n\t") {
			t.Errorf("Line = %q", line)
		}
		if line == "" && chat.CheckText(text) == nil && chat.Title(text) != "" {
			t.Errorf("%q has a title and no line", text)
		}
	})
}
