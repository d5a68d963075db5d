package index_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/index"
	"signalbox/backend/search"
	"signalbox/backend/store"
	"signalbox/backend/wire"
)

// expect compares where a query is found in a chat.
func (r *rig) expect(chat wire.ChatID, query string, want ...uint64) {
	r.Helper()
	if want == nil {
		want = []uint64{}
	}
	if diff := cmp.Diff(want, r.seqs(chat, query)); diff != "" {
		r.Errorf("%q is found at (-want +got):\n%s", query, diff)
	}
}

// What people and agents say is found where it is said; pieces of an answer are
// one text.
func TestIndex_findsWhatWasSaid(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	chat, l := r.create()
	r.add(l, "r_1",
		user("please fix the parser"),                                                                   // 1
		wire.Thinking{Item: "t1", Delta: "hm, the lex"}, wire.Thinking{Item: "t1", Delta: "er perhaps"}, // 2
		said("m1", "I look at the sca"), said("m1", "nner now"), // 4
		wire.ToolUseStart{ToolID: "x", Name: "Bash", Input: json.RawMessage(`{"command":"go vet ./pkg","env":["A=quux",{"command":7}]}`)}, // 6
		wire.ToolOutput{ToolID: "x", Delta: "vetted"},
		wire.ToolUseEnd{ToolID: "x", OK: true, Output: "vetted"},                                         // 8
		wire.AssistantText{Item: "m2", Delta: "secret"}, wire.AssistantText{Item: "m2", Final: "public"}, // 9
		wire.Question{QuestionID: "q", Questions: []wire.QuestionItem{{Question: "Which colour?", Options: []wire.QuestionOption{{Label: "Teal"}}}}}, // 11
		wire.QuestionAnswered{QuestionID: "q", Answers: map[string][]string{"Which colour?": {"Mauve"}}},                                             // 12
		wire.Error{Code: "x", Message: "It broke."}, // 13
		done(),
	)
	r.expect(chat, "parser ", 1)
	r.expect(chat, "lexer ", 2)
	r.expect(chat, "scanner ", 4)
	r.expect(chat, `"go vet" quux `, 6)
	r.expect(chat, "bash ", 6)
	r.expect(chat, "command ")
	r.expect(chat, "vetted ", 8)
	r.expect(chat, "secret ")
	r.expect(chat, "public ", 9)
	r.expect(chat, "teal ", 11)
	r.expect(chat, "mauve ", 12)
	r.expect(chat, "broke ", 13)

	found, _, err := r.index.Search(t.Context(), store.Search{Query: search.Parse("scanner "), Agent: "claude"}, 10)
	if err != nil || len(found) != 1 || found[0].Agent != "claude" || found[0].Kind != wire.TypeAssistantText {
		t.Errorf("found %+v, %v", found, err)
	}
	if m, _, err := r.index.Find(t.Context(), chat, search.NewNeedle("canner"), 0, 10); err != nil || len(m) != 1 || m[0].Seq != 4 {
		t.Errorf("find: %+v, %v", m, err)
	}
}

// Subagents write at the same time as the agent that started them.
func TestIndex_keepsAgentsApart(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	chat, l := r.create()
	r.add(l, "r_1", user("x"),
		said("m1", "alp"), wire.AssistantText{Item: "s1", Delta: "om", ParentToolID: "p"},
		said("m1", "ha"), wire.AssistantText{Item: "s1", Delta: "ega", ParentToolID: "p"}, done())
	r.expect(chat, "alpha ", 2)
	r.expect(chat, "omega ", 3)
}

// Long texts are searched as far as is promised, and each part of a long answer
// is found where it stands.
func TestIndex_boundsLongTexts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	chat, l := r.create()
	filler := strings.Repeat("lorem ", 1000) // 6,000 bytes
	r.add(l, "r_1", user(filler+strings.Repeat("ipsum ", 3000)+"early "+strings.Repeat("dolor ", 9000)+"late"),
		said("m1", "start "+filler), said("m1", filler), said("m1", filler+" finish"), done())
	r.expect(chat, "early ", 1)
	r.expect(chat, "late ")
	r.expect(chat, "start ", 2)
	r.expect(chat, "finish ", 4)
}

// Rewound events leave the index and come back when they are restored.
func TestIndex_followsRewindAndRestore(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	chat, l := r.create()
	r.add(l, "r_1", user("one apple"), done())
	r.add(l, "r_2", user("two apple"), said("m", "a pear"), done())
	r.expect(chat, "apple ", 3, 1)
	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	r.expect(chat, "apple ", 1)
	r.expect(chat, "pear ")
	if err := l.Restore(); err != nil {
		t.Fatal(err)
	}
	r.expect(chat, "apple ", 3, 1)
	r.expect(chat, "pear ", 4)
	if err := l.Rewind(1, nil); err != nil {
		t.Fatal(err)
	}
	r.expect(chat, "apple ")
	r.add(l, "r_3", user("three apple"), done())
	if got := r.seqs(chat, "apple "); len(got) != 1 {
		t.Errorf("after a new beginning: %v", got)
	}
}

// What was taken out of a chat is not found any more, also before the index knows.
func TestIndex_showsNothingThatIsGone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	chat, l := r.create()
	r.add(l, "r_1", user("one apple"), done())
	r.add(l, "r_2", user("two apple"), said("m", "a pear"), done())
	r.delay = time.Hour
	r.restart(nil)
	r.expect(chat, "apple ", 3, 1)
	find := func(step string, want ...uint64) {
		t.Helper()
		found, _, err := r.index.Search(t.Context(), store.Search{Query: search.Parse("apple ")}, 10)
		if err != nil {
			t.Fatal(err)
		}
		matches, _, err := r.index.Find(t.Context(), chat, search.NewNeedle("apple"), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		var hits, held []uint64
		for _, f := range found {
			hits = append(hits, f.Seq)
		}
		for _, m := range matches {
			held = append(held, m.Seq)
		}
		if !slices.Equal(hits, want) || !slices.Equal(held, want) {
			t.Errorf("%s: search finds %v, find %v, want %v", step, hits, held, want)
		}
	}
	l, err := r.logs.Log(chat)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		do   func() error
		want []uint64
	}{
		{"rewind", func() error { return l.Rewind(3, nil) }, []uint64{1}},
		{"restore", l.Restore, []uint64{3, 1}},
		{"clear", l.Clear, nil},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		find(step.name, step.want...)
	}
	r.expect(chat, "apple ")
}

// What happens while no daemon watches is found at the next start: all of it, and
// without opening the logs that stayed as they were.
func TestIndex_catchesUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(r *rig, l *eventlog.Log)
		want   []uint64
	}{
		{"nothing", func(*rig, *eventlog.Log) {}, []uint64{4, 3, 1}},
		{"appended", func(r *rig, l *eventlog.Log) { r.add(l, "r_2", said("m", "word on"), done()) }, []uint64{4, 3, 1}},
		{"rewound", func(r *rig, l *eventlog.Log) { must(r, l.Rewind(3, nil)) }, []uint64{1}},
		{"rewound, restored", func(r *rig, l *eventlog.Log) {
			must(r, l.Rewind(3, nil))
			err := l.Restore()
			must(r, err)
		}, []uint64{4, 3, 1}},
		{"rewound twice, and gone on", func(r *rig, l *eventlog.Log) {
			must(r, l.Rewind(3, nil))
			r.add(l, "r_3", user("no hit"), done())
			must(r, l.Rewind(6, nil))
			r.add(l, "r_4", user("a word"), done())
		}, []uint64{9, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			chat, l := r.create()
			// The last answer is not at its end: it goes on after the restart.
			r.add(l, "r_1", user("a word"), done())
			r.add(l, "r_2", user("a word"), said("m", "a word "))
			r.wait()
			r.stop()
			tt.change(r, l)
			r.closeLogs()
			r.openLogs()
			r.run()
			if tt.name == "nothing" {
				l, err := r.logs.Log(chat)
				must(r, err)
				r.add(l, "r_2", said("m", "and more"), done())
			}
			r.expect(chat, "word ", tt.want...)
		})
	}
}

func must(r *rig, err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// The index may be deleted, be damaged, or be behind: it is made again from the
// logs, while the daemon runs too.
func TestIndex_isMadeAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	chat, l := r.create()
	r.add(l, "r_1", user("a word"), done())
	r.expect(chat, "word ", 1)

	r.restart(func() { must(r, store.Remove(r.path())) })
	r.expect(chat, "word ", 1)

	r.restart(func() { must(r, os.WriteFile(r.path(), []byte(strings.Repeat("junk", 4096)), 0o600)) })
	r.expect(chat, "word ", 1)
	if _, err := os.Stat(r.path() + ".damaged"); err != nil {
		t.Errorf("the damaged file is not kept: %v", err)
	}

	r.index.Rebuild()
	r.expect(chat, "word ", 1)
}

// A file that is damaged while it is in use is put aside as well.
func TestIndex_survivesDamageInUse(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	chat, l := r.create()
	for range 50 {
		r.add(l, "r_1", user(strings.Repeat("a word ", 500)))
	}
	r.wait()
	r.restart(func() {
		// The first page stays: the file opens, and what it holds is junk.
		b, err := os.ReadFile(r.path())
		must(r, err)
		for i := 4096; i < len(b); i++ {
			b[i] = 0xA5
		}
		must(r, os.WriteFile(r.path(), b, 0o600))
	})
	if got := r.seqs(chat, "word "); len(got) != 50 {
		t.Errorf("found %d of 50", len(got))
	}
}

// A folder in place of the index makes searching unavailable, and nothing else;
// when it is gone the index goes on by itself.
func TestIndex_saysWhyItIsOff(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.wait()
	r.restart(func() {
		must(r, store.Remove(r.path()))
		must(r, os.Mkdir(r.path(), 0o700))
	})
	chat, l := r.create()
	r.add(l, "r_1", user("a word"), done())
	for r.index.Status().Err == nil {
		if t.Context().Err() != nil {
			t.Fatal("no fault")
		}
	}
	_, _, err := r.index.Search(t.Context(), store.Search{Query: search.Parse("word ")}, 1)
	if fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("search = %v", err)
	}
	must(r, os.Remove(r.path()))
	r.expect(chat, "word ", 1)
	if err := r.index.Status().Err; err != nil {
		t.Errorf("the fault stays: %v", err)
	}
}

// Where nothing is found, since the index cannot be opened, it is tried again every two
// seconds: so long after there is room, all is found.
func TestIndex_opensSoonAfterItCan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		chat, l := r.create()
		r.add(l, "r_1", user("a word"), done())
		r.wait()
		r.retry = time.Hour
		r.restart(func() {
			must(r, store.Remove(r.path()))
			must(r, os.Mkdir(r.path(), 0o700))
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		if r.index.Status().Err == nil {
			t.Error("no fault")
		}
		must(r, os.Remove(r.path()))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		found, _, err := r.index.Search(t.Context(), store.Search{Query: search.Parse("word ")}, 1)
		if err != nil || len(found) != 1 || found[0].Chat != chat {
			t.Errorf("found %v, %v", found, err)
		}
	})
}

// A chat that is gone is no longer found, and what it used stays counted.
func TestIndex_forgetsChats(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	chat, l := r.create()
	r.add(l, "r_1", user("a word"), done())
	r.expect(chat, "word ", 1)
	r.restart(func() { must(r, os.RemoveAll(r.logs.Dir(chat))) })
	r.expect(chat, "word ")
	if _, total, err := r.index.Usage(t.Context(), index.Question{By: index.ByChat}); err != nil || total.Runs != 1 {
		t.Errorf("usage = %+v, %v", total, err)
	}
}

// Nothing that an agent or an imported chat tells makes less of what others used.
func TestIndex_Usage_neverTakesAnythingAway(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, l := r.create()
	for i, n := range []int64{7, math.MaxInt64, math.MaxInt64, -5} {
		cost := []float64{7, math.MaxFloat64, math.MaxFloat64, -5}[i]
		r.add(l, wire.RunID(fmt.Sprintf("r_%d", i)), user("a word"), wire.Complete{
			Status: wire.StatusOK, MS: n,
			Usage: &wire.Usage{Input: n, Output: n, CacheRead: n, CacheWrite: n, Reasoning: n, CostUSD: &cost, CostKind: wire.CostExact},
		})
	}
	r.wait()
	sums, total, err := r.index.Usage(t.Context(), index.Question{By: index.ByDay})
	must(r, err)
	const most = math.MaxInt64
	want := index.Sum{Runs: 4, Input: most, Output: most, CacheRead: most, CacheWrite: most, Reasoning: most, MS: most, Exact: math.MaxFloat64}
	total.Started = wire.Time{}
	if diff := cmp.Diff(want, total); diff != "" {
		t.Errorf("total (-want +got):\n%s", diff)
	}
	for _, sum := range sums {
		if n := sum.Agents["claude"]; n != most {
			t.Errorf("%s: %d tokens of the agent", sum.Key, n)
		}
	}
}

// Usage counts each run once, forks and rewinds or not, keeps what is estimated
// apart from what is exact, and days are the person's.
func TestIndex_Usage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	chat, l := r.create()
	used := func(cost float64, kind wire.CostKind) wire.Complete {
		return wire.Complete{Status: wire.StatusOK, MS: 100, Usage: &wire.Usage{Input: 10, Output: 2, CostUSD: &cost, CostKind: kind, Model: "opus-4"}}
	}
	r.add(l, "r_1", user("one"), used(0.5, wire.CostExact))
	r.add(l, "r_2", user("two"), used(0.25, wire.CostEstimated))
	fork := newChat()
	if _, err := r.logs.Fork(chat, fork, 0); err != nil {
		t.Fatal(err)
	}
	must(r, l.Rewind(3, nil))
	r.add(l, "r_3", user("three"), done())

	check := func(when string) {
		t.Helper()
		r.wait()
		sums, total, err := r.index.Usage(t.Context(), index.Question{By: index.ByModel})
		must(r, err)
		want := index.Sum{Runs: 3, Input: 20, Output: 4, MS: 200, Exact: 0.5, Estimated: 0.25, Unknown: 1}
		total.Started = wire.Time{}
		if diff := cmp.Diff(want, total); diff != "" {
			t.Errorf("%s: total (-want +got):\n%s", when, diff)
		}
		if len(sums) != 2 || sums[0].Key != "opus" || sums[1].Key != "opus-4" || sums[1].Runs != 2 {
			t.Errorf("%s: by model %+v", when, sums)
		}
		for by, key := range map[index.By]string{index.ByAgent: "claude", index.ByPerson: "u_1", index.ByChat: string(chat)} {
			sums, _, err := r.index.Usage(t.Context(), index.Question{By: by})
			must(r, err)
			if len(sums) != 1 || sums[0].Key != key || sums[0].Runs != 3 {
				t.Errorf("%s: by %s %+v", when, by, sums)
			}
		}
	}
	check("followed")
	r.index.Rebuild()
	check("made anew")

	now := time.Now()
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", 14*3600), time.FixedZone("", -12*3600)} {
		sums, _, err := r.index.Usage(t.Context(), index.Question{By: index.ByDay, Zone: zone, From: now.Add(-time.Hour)})
		must(r, err)
		days := []string{now.In(zone).Format(time.DateOnly), now.Add(-time.Minute).In(zone).Format(time.DateOnly)}
		if len(sums) == 0 || !slices.Contains(days, sums[0].Key) {
			t.Errorf("days in %s: %+v, want one of %v", zone, sums, days)
		}
		tokens := int64(0)
		for _, sum := range sums {
			tokens += sum.Agents["claude"]
		}
		if tokens != 24 {
			t.Errorf("days in %s have %d tokens of the agent, want 24: %+v", zone, tokens, sums)
		}
	}
}

// What an agent did outside is found and not counted; whose a session is, is known.
func TestIndex_knowsWhatIsFromOutside(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	chat, l := r.create()
	outside := user("from outside")
	outside.ClientID = "import-r_1"
	session := wire.Session{Agent: "claude", SessionID: "s-1"}
	r.add(l, "r_1", outside, wire.RunStarted{}, session, done())
	r.add(l, "r_2", user("from here"), wire.Session{Agent: "claude", SessionID: "s-2"}, done())
	if _, err := r.logs.Fork(chat, newChat(), 0); err != nil {
		t.Fatal(err)
	}
	r.expect(chat, "from ", 5, 1)
	_, total, err := r.index.Usage(t.Context(), index.Question{By: index.ByRun})
	must(r, err)
	if total.Runs != 1 {
		t.Errorf("counted %+v", total)
	}
	sessions, err := r.index.Sessions(t.Context())
	must(r, err)
	if diff := cmp.Diff(map[string]wire.ChatID{"s-1": chat, "s-2": chat}, sessions); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Nobody waits for longer than they want to.
func TestWait_endsWithItsContext(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.index.Wait(ctx); err == nil {
		t.Error("an index that does not run has caught up")
	}
}
