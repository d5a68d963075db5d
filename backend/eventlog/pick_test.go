package eventlog_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// pickAll picks from the end to the beginning and returns the seqs, ascending, and
// how many calls it took.
func pickAll(t *testing.T, l *eventlog.Log, wanted func([]byte) bool) (got []uint64, calls int) {
	t.Helper()
	var before *wire.Position
	for {
		p, err := l.Pick(before, wanted)
		if err != nil {
			t.Fatal(err)
		}
		calls++
		got = append(seqs(pageEvents(t, p.Events)), got...)
		if p.Next == 0 {
			return got, calls
		}
		if before != nil && p.Next >= before.Seq {
			t.Fatalf("next %d does not come before %d", p.Next, before.Seq)
		}
		before = at(p.Epoch, p.Next)
	}
}

func isPrompt(line []byte) bool { return bytes.Contains(line, []byte(`"type":"user"`)) }

func TestLog_Pick_givesWhatIsWantedOfThePartBeforeAPosition(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	for n := 1; n <= 91; n += 10 { // prompts 1, 11, … 91, each with nine texts
		add(t, l, prompt(t, fmt.Sprint(n)))
		addTexts(t, l, n+1, n+9)
	}
	for _, tt := range []struct {
		before *wire.Position
		want   []uint64
	}{
		{nil, []uint64{1, 11, 21, 31, 41, 51, 61, 71, 81, 91}},
		{at(1, 21), []uint64{1, 11}},
		{at(1, 22), []uint64{1, 11, 21}},
		{at(1, 1), nil},
		{at(1, 0), nil},
		{at(1, 1<<50), []uint64{1, 11, 21, 31, 41, 51, 61, 71, 81, 91}},
	} {
		p, err := l.Pick(tt.before, isPrompt)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, seqs(pageEvents(t, p.Events))); diff != "" || p.Next != 0 || p.Epoch != 1 {
			t.Errorf("before %v: next %d, epoch %d, events (-want +got)\n%s", tt.before, p.Next, p.Epoch, diff)
		}
	}
	_, err := l.Pick(at(2, 50), isPrompt)
	wantCode(t, err, fault.StaleEpoch)
	if p, err := newLog(t).Pick(nil, isPrompt); err != nil || jsonOf(t, p) != `{"epoch":1,"events":[]}` {
		t.Errorf("of an empty log: %s, %v", jsonOf(t, p), err)
	}
}

// What a rewind took out is no part of it.
func TestLog_Pick_overAHole(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	add(t, l, prompt(t, "1"), text(t, "2"), prompt(t, "3"), text(t, "4"))
	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	add(t, l, prompt(t, "6"))
	if got, _ := pickAll(t, l, isPrompt); !cmp.Equal(got, []uint64{1, 6}) {
		t.Errorf("picked %v", got)
	}
}

// A log that was cleared begins where it was.
func TestLog_Pick_toTheBeginningOfAClearedLog(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	add(t, l, prompt(t, "1"), text(t, "2"))
	if err := l.Clear(); err != nil {
		t.Fatal(err)
	}
	addTexts(t, l, 4, 1002)
	p, err := l.Pick(nil, func([]byte) bool { return true })
	if err != nil || len(p.Events) != 1000 || p.Next != 0 {
		t.Errorf("%d events, next %d, %v", len(p.Events), p.Next, err)
	}
}

// One call is bounded by what it gives and by what it looks through; the calls
// after it bring the rest, nothing twice.
func TestLog_Pick_isBounded(t *testing.T) {
	t.Parallel()
	all := func([]byte) bool { return true }
	few := newLog(t)
	addTexts(t, few, 1, 2500)
	large, wide := newLog(t), newLog(t)
	long := draft(t, wire.AssistantText{Item: "x", Delta: strings.Repeat("x", 20_000)})
	add(t, wide, prompt(t, "1"))
	for range 500 { // 10 MB
		add(t, wide, long)
	}
	for range 120 { // 2.4 MB
		add(t, large, long)
	}
	for name, tt := range map[string]struct {
		log    *eventlog.Log
		wanted func([]byte) bool
		events int
		calls  int
	}{
		"events":          {few, all, 2500, 3},
		"bytes":           {large, all, 120, 3},
		"bytes looked at": {wide, isPrompt, 1, 2},
	} {
		got, calls := pickAll(t, tt.log, tt.wanted)
		if len(got) != tt.events || calls != tt.calls {
			t.Errorf("%s: %d events in %d calls, want %d in %d", name, len(got), calls, tt.events, tt.calls)
		}
		for i := 1; i < len(got); i++ {
			if got[i] <= got[i-1] {
				t.Fatalf("%s: %d after %d", name, got[i], got[i-1])
			}
		}
	}
}
