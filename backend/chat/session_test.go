package chat_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/chat"
	"signalbox/backend/wire"
)

// A98, A107, A110: which session a run goes on with.
func TestState_Resume(t *testing.T) {
	t.Parallel()
	type ev = wire.Event
	var (
		session  = func(id string) ev { return wire.Session{Agent: "claude", SessionID: id} }
		complete = func(turn string) ev { return wire.Complete{Status: wire.StatusOK, Turn: turn} }
		epoch    = func(cause wire.EpochCause) ev { return wire.Epoch{Epoch: 2, Keep: 1, Cause: cause} }
		all      = chat.Abilities{Forks: true, Rewinds: true}
		copies   = chat.Abilities{Forks: true}
	)
	for _, tt := range []struct {
		name   string
		origin uint64
		can    chat.Abilities
		runs   [][]ev // each a run, of which an epoch event alone is none
		want   chat.Resumption
	}{
		{name: "nothing was said"},
		{name: "a session", can: all, runs: [][]ev{{session("s1"), complete("t1")}}, want: chat.Resumption{Session: "s1", Known: 3}},
		{name: "another's session", can: all, runs: [][]ev{{wire.Session{Agent: "codex", SessionID: "x"}, complete("t1")}}},
		{
			name: "a run of another agent came after it", can: all,
			runs: [][]ev{{session("s1"), complete("t1")}, {wire.Session{Agent: "codex", SessionID: "x"}, complete("t2")}},
			want: chat.Resumption{Session: "s1", Known: 3},
		},
		{
			name: "a run that did not reach it", can: all,
			runs: [][]ev{{session("s1"), complete("t1")}, {complete("")}},
			want: chat.Resumption{Session: "s1", Known: 3},
		},
		{
			name: "a run that has not ended", can: all, runs: [][]ev{{session("s1")}},
			want: chat.Resumption{Session: "s1", Known: 2},
		},
		{
			name: "rewound", can: all, runs: [][]ev{{session("s1"), complete("t1")}, {epoch(wire.CauseRewind)}},
			want: chat.Resumption{Session: "s1", Fork: true, Turn: "t1", Known: 3},
		},
		{name: "rewound, copies only", can: copies, runs: [][]ev{{session("s1"), complete("t1")}, {epoch(wire.CauseRewind)}}},
		{name: "rewound, no turn has an id", can: all, runs: [][]ev{{session("s1"), complete("")}, {epoch(wire.CauseRewind)}}},
		{
			name: "rewound, the last turn has no id", can: all,
			runs: [][]ev{{session("s1"), complete("t1")}, {session("s1"), complete("")}, {epoch(wire.CauseRewind)}},
			want: chat.Resumption{Session: "s1", Fork: true, Turn: "t1", Known: 3},
		},
		{
			name: "rewound and gone on", can: copies,
			runs: [][]ev{{session("s1"), complete("t1")}, {epoch(wire.CauseRewind)}, {session("s2"), complete("t2")}},
			want: chat.Resumption{Session: "s2", Known: 7},
		},
		{
			name: "rewound, and the agent resumed what it must not", can: copies,
			runs: [][]ev{{session("s1"), complete("t1")}, {epoch(wire.CauseRewind)}, {session("s1"), complete("t2")}},
		},
		{
			name: "cleared", can: all, runs: [][]ev{{session("s1"), complete("")}, {epoch(wire.CauseClear)}},
		},
		{
			name: "repaired", can: all, runs: [][]ev{{session("s1"), complete("t1")}, {epoch(wire.CauseRepair)}},
			want: chat.Resumption{Session: "s1", Known: 3},
		},
		{
			name: "of a fork", origin: 3, can: all, runs: [][]ev{{session("s1"), complete("t1")}},
			want: chat.Resumption{Session: "s1", Fork: true, Turn: "t1", Known: 3},
		},
		{
			name: "of a fork, whole", origin: 3, can: chat.Abilities{Forks: true, Whole: true}, runs: [][]ev{{session("s1"), complete("t1")}},
			want: chat.Resumption{Session: "s1", Fork: true, Known: 3},
		},
		{name: "of a fork, not whole", origin: 3, can: copies, runs: [][]ev{{session("s1"), complete("t1")}}},
		{
			name: "of a fork that went on", origin: 3, can: copies,
			runs: [][]ev{{session("s1"), complete("t1")}, {session("s2"), complete("t2")}},
			want: chat.Resumption{Session: "s2", Known: 6},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := &log{t: t}
			for i, evs := range tt.runs {
				run := wire.RunID(string(rune('a' + i)))
				if _, alone := evs[0].(wire.Epoch); !alone {
					l.add(run, user(string(run), "text"))
				}
				for _, ev := range evs {
					l.add(run, ev)
				}
			}
			s := chat.NewState(tt.origin)
			for _, line := range l.lines {
				if err := s.Apply(line); err != nil {
					t.Fatal(err)
				}
			}
			got := s.Resume("claude", tt.can)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Resume (-want +got)\n%s", diff)
			}
			// What is not resumed as itself is not named as the chat's own.
			if own := s.Session("claude"); (own != "") != (got.Session != "" && !got.Fork) || own != s.Sessions()["claude"] {
				t.Errorf("Session = %q, Sessions = %v", own, s.Sessions())
			}
		})
	}
}

func TestState_Borrowed(t *testing.T) {
	t.Parallel()
	l := &log{t: t}
	l.add("a", user("a", "text"))
	l.add("a", wire.Session{Agent: "claude", SessionID: "s1"})
	l.add("a", wire.Complete{Status: wire.StatusOK})
	borrowed := func() string {
		s := chat.NewState(3)
		for _, line := range l.lines {
			if err := s.Apply(line); err != nil {
				t.Fatal(err)
			}
		}
		id, ok := s.Borrowed("claude")
		if !ok {
			return ""
		}
		return id
	}
	if got := borrowed(); got != "s1" {
		t.Errorf("of a fork = %q", got)
	}
	l.add("", wire.Epoch{Epoch: 2, Keep: 3, Cause: wire.CauseRewind})
	if got := borrowed(); got != "" {
		t.Errorf("of a fork that was rewound = %q", got)
	}
	l.add("b", wire.Session{Agent: "claude", SessionID: "s2"})
	if got := borrowed(); got != "" {
		t.Errorf("of a fork with a session of its own = %q", got)
	}
}
