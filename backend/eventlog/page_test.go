package eventlog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

func pageEvents(t testing.TB, raws []json.RawMessage) []event {
	t.Helper()
	var evs []event
	for _, raw := range raws {
		evs = append(evs, decode(t, raw))
	}
	return evs
}

func TestLog_Page(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	for n := 1; n <= 91; n += 10 { // prompts 1, 11, … 91, each with nine texts
		add(t, l, prompt(t, fmt.Sprint(n)))
		addTexts(t, l, n+1, n+9)
	}
	for _, tt := range []struct {
		name   string
		before *wire.Position
		limit  int
		want   []uint64
		more   bool
	}{
		{"all", nil, 0, span(1, 100), false},
		{"reaches back to a prompt", nil, 15, span(81, 100), true},
		{"ends at a prompt", nil, 10, span(91, 100), true},
		{"one", nil, 1, span(91, 100), true},
		{"before a prompt", at(1, 91), 10, span(81, 90), true},
		{"inside", at(1, 15), 1, span(11, 14), true},
		{"the first page", at(1, 11), 10, span(1, 10), false},
		{"before the first", at(1, 1), 10, nil, false},
		{"before zero", at(1, 0), 10, nil, false},
		{"before what is to come", at(1, 101), 10, span(91, 100), true},
		{"far beyond", at(1, 1<<50), 10, span(91, 100), true},
		{"over the limit", nil, 1 << 30, span(1, 100), false},
		{"negative limit", nil, -1, span(1, 100), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := l.Page(tt.before, tt.limit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, seqs(pageEvents(t, p.Events))); diff != "" {
				t.Errorf("events (-want +got)\n%s", diff)
			}
			if p.HasMore != tt.more || p.Epoch != 1 || len(p.Open) != 0 {
				t.Errorf("HasMore %v, Epoch %d, Open %d", p.HasMore, p.Epoch, len(p.Open))
			}
		})
	}
	_, err := l.Page(at(2, 50), 10)
	wantCode(t, err, fault.StaleEpoch)
	if p, err := newLog(t).Page(nil, 0); err != nil || jsonOf(t, p) != `{"epoch":1,"events":[],"hasMore":false,"open":[]}` {
		t.Errorf("page of an empty log: %s, %v", jsonOf(t, p), err)
	}
}

func TestLog_Page_overAHole(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	add(t, l, prompt(t, "1"), text(t, "2"), prompt(t, "3"), text(t, "4"), text(t, "5"))
	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	add(t, l, text(t, "7"), text(t, "8"))
	for before, want := range map[uint64][]uint64{8: {1, 2, 6, 7}, 6: {1, 2}, 4: {1, 2}, 3: {1, 2}} {
		p, err := l.Page(at(2, before), 1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, seqs(pageEvents(t, p.Events))); diff != "" {
			t.Errorf("before %d (-want +got)\n%s", before, diff)
		}
	}
	if err := l.Clear(); err != nil {
		t.Fatal(err)
	}
	if p, err := l.Page(nil, 1); err != nil || p.HasMore || len(p.Events) != 1 {
		t.Errorf("page after clear: %s, %v; want the epoch event and no more", jsonOf(t, p), err)
	}
}

// A page that is cut short begins at the border of an item, and names what its
// events belong to.
func TestLog_Page_cutShort(t *testing.T) {
	t.Parallel()
	delta := func(item, parent string) wire.Draft {
		return draft(t, wire.AssistantText{Item: item, Delta: strings.Repeat("x", 2000), ParentToolID: parent})
	}
	l := newLog(t)
	add(t, l, prompt(t, "1"))
	add(t, l, draft(t, wire.ToolUseStart{ToolID: "task", Name: "Task", Input: json.RawMessage(`{}`)}))
	add(t, l, draft(t, wire.ToolUseStart{ToolID: "shell", Name: "Bash", Input: json.RawMessage(`{}`)}))
	add(t, l, draft(t, wire.ToolUseStart{ToolID: "other", Name: "Bash", Input: json.RawMessage(`{}`)}))
	add(t, l, delta("sub", "task"), delta("sub", "task")) // 5, 6: a block of the subagent, in work over the border
	for range 300 {
		add(t, l, delta("early", ""))
	}
	for range 500 { // 307..806: more than 1 MB to the end
		add(t, l, delta("late", ""))
	}
	add(t, l, draft(t, wire.ToolOutput{ToolID: "shell", Delta: "out"}), delta("sub", "task"), delta("late", ""))

	p, err := l.Page(nil, 10)
	if err != nil {
		t.Fatal(err)
	}
	evs := pageEvents(t, p.Events)
	size := 0
	for _, raw := range p.Events {
		size += len(raw) + 1
	}
	if size > eventlog.PageBytes || size < eventlog.PageBytes*9/10 || !p.HasMore {
		t.Errorf("the page has %d bytes (more: %v), want nearly %d", size, p.HasMore, eventlog.PageBytes)
	}
	if evs[len(evs)-1].Seq != 809 {
		t.Errorf("the page ends at %d", evs[len(evs)-1].Seq)
	}
	// Nearly all of the page is one block, which began before it.
	open := seqs(pageEvents(t, p.Open))
	if diff := cmp.Diff([]uint64{2, 3, 5, 307}, open); diff != "" {
		t.Errorf("open (-want +got)\n%s", diff)
	}

	// A follower gets the same.
	f := follow(t, l, nil)
	b := next(t, f)
	if diff := cmp.Diff([]uint64{2, 3, 5, 307}, seqs(decodeAll(t, b.Open))); diff != "" {
		t.Errorf("open of the follower (-want +got)\n%s", diff)
	}
	if first := decodeAll(t, b.Lines)[0]; first != evs[0] {
		t.Errorf("the follower begins at %v, the page at %v", first, evs[0])
	}
	if b := next(t, f); b.Open != nil {
		t.Error("open came twice")
	}

	// The page before it, which two blocks share, begins with its own.
	p, err = l.Page(at(1, 400), 10)
	if err != nil {
		t.Fatal(err)
	}
	if p.HasMore || len(p.Open) != 0 || len(p.Events) != 399 {
		t.Errorf("first page: %d events, more: %v, open: %d", len(p.Events), p.HasMore, len(p.Open))
	}
}

func TestLog_Page_cutAtTheBorderOfABlock(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	add(t, l, prompt(t, "1"))
	for n := range 20 {
		for range 50 {
			add(t, l, draft(t, wire.Thinking{Item: fmt.Sprint(n), Delta: strings.Repeat("x", 2000)}))
		}
	}
	p, err := l.Page(nil, 10)
	if err != nil {
		t.Fatal(err)
	}
	first := pageEvents(t, p.Events)[0].Seq
	if (first-2)%50 != 0 || len(p.Open) != 0 {
		t.Errorf("the page begins at %d with %d open, want the first piece of a block and none", first, len(p.Open))
	}
}

func TestLog_Page_oneEventOverAMegabyte(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	paths := strings.Fields(strings.Repeat(strings.Repeat("p", 1000)+" ", 2000))
	add(t, l, prompt(t, "1"), draft(t, wire.Approval{Paths: paths}), draft(t, wire.Approval{Paths: paths}))
	p, err := l.Page(nil, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := seqs(pageEvents(t, p.Events)); len(got) != 1 || got[0] != 3 || !p.HasMore {
		t.Errorf("page holds %v, more: %v; want the one event", got, p.HasMore)
	}
	if evs := all(t, l); len(evs) != 3 {
		t.Errorf("%d events", len(evs))
	}
}

// Paging back to the beginning gives every event once.
func TestLog_Page_coversTheLog(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	for n := range 3000 {
		if n%700 == 0 {
			add(t, l, prompt(t, "p"))
		}
		add(t, l, draft(t, wire.AssistantText{Item: fmt.Sprint(n / 10), Delta: strings.Repeat("x", n%900)}))
	}
	want := all(t, l)
	var got []event
	var before *wire.Position
	for {
		p, err := l.Page(before, 50)
		if err != nil {
			t.Fatal(err)
		}
		evs := pageEvents(t, p.Events)
		got = append(evs, got...)
		if !p.HasMore {
			break
		}
		before = at(p.Epoch, evs[0].Seq)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages (-want +got)\n%s", diff)
	}
}
