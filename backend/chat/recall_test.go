package chat_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/chat"
	"signalbox/backend/wire"
)

// A108: what was said, from the end of the log back.
func TestRecall(t *testing.T) {
	t.Parallel()
	type said = chat.Said
	started := wire.Session{Agent: "claude", SessionID: "s1"}
	for _, tt := range []struct {
		name string
		runs [][]wire.Event
		want []said
	}{
		{name: "nothing"},
		{
			name: "pieces and what replaces them",
			runs: [][]wire.Event{{
				user("a", "asks"), started,
				wire.AssistantText{Item: "m", Delta: "one "},
				wire.AssistantText{Item: "n", Delta: "draft"},
				wire.AssistantText{Item: "m", Delta: "two"},
				wire.AssistantText{Item: "n", Final: "final"},
			}},
			want: []said{{Seq: 1, By: "Ann", Text: "asks"}, {Seq: 5, Agent: "claude", Text: "one two"}, {Seq: 6, Agent: "claude", Text: "final"}},
		},
		{
			name: "the same item in two runs",
			runs: [][]wire.Event{
				{user("a", "first"), wire.AssistantText{Item: "m", Delta: "one"}},
				{user("b", "second"), wire.AssistantText{Item: "m", Delta: "two"}},
			},
			want: []said{
				{Seq: 1, By: "Ann", Text: "first"},
				{Seq: 2, Agent: "claude", Text: "one"},
				{Seq: 3, By: "Ann", Text: "second"},
				{Seq: 4, Agent: "claude", Text: "two"},
			},
		},
		{
			name: "a prompt that reached nobody, and one that was not answered",
			runs: [][]wire.Event{{user("a", "lost")}, {user("b", "reached"), started}},
			want: []said{{Seq: 2, By: "Ann", Text: "reached"}},
		},
		{
			name: "subagents, thoughts, blanks",
			runs: [][]wire.Event{{
				user("a", "asks"),
				wire.Thinking{Item: "k", Delta: "thought"},
				wire.AssistantText{Item: "s", Delta: "sub", ParentToolID: "t"},
				wire.AssistantText{Item: "b", Delta: " \n"},
				started,
			}},
			want: []said{{Seq: 1, By: "Ann", Text: "asks"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := &log{t: t}
			for i, evs := range tt.runs {
				for _, ev := range evs {
					l.add(wire.RunID(string(rune('a'+i))), ev)
				}
			}
			l.add("skipped", user("z", "this run"))
			l.add("skipped", started)
			r := chat.Recall{Without: "skipped"}
			for _, line := range slices.Backward(l.lines) {
				r.Apply(line)
			}
			r.Apply([]byte(`{"type":"user"`)) // cannot be read
			if diff := cmp.Diff(tt.want, r.Said()); diff != "" {
				t.Errorf("Said (-want +got)\n%s", diff)
			}
		})
	}
}

// Read only in part, it is what was read, of an agent that is not known.
func TestRecall_inPart(t *testing.T) {
	t.Parallel()
	l := &log{t: t}
	l.add("a", user("a", "asks"))
	l.add("a", wire.AssistantText{Item: "m", Delta: "one "})
	l.add("a", wire.AssistantText{Item: "m", Delta: "two"})
	var r chat.Recall
	r.Apply(l.lines[2])
	if r.Bytes() != len("two") {
		t.Errorf("Bytes = %d", r.Bytes())
	}
	if diff := cmp.Diff([]chat.Said{{Seq: 3, Text: "two"}}, r.Said()); diff != "" {
		t.Errorf("Said (-want +got)\n%s", diff)
	}
}

func TestCheckSkills(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		ok   bool
	}{
		{"pdf", true},
		{"my-plugin:review.code_2", true},
		{"", false},
		{"-x", false},
		{"a b", false},
		{"a\n/b", false},
		{"../x", false},
		{"é", false},
	} {
		if err := chat.CheckSkills([]string{tt.name}); (err == nil) != tt.ok {
			t.Errorf("CheckSkills(%q) = %v", tt.name, err)
		}
	}
	if chat.CheckSkills(make([]string, 51)) == nil {
		t.Error("51 skills are taken")
	}
}
