package runhub

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/wire"
)

// memory is a journal that notes what was appended when.
type memory struct {
	mu     sync.Mutex
	begun  time.Time
	writes []string // "40ms: assistant_text a=xyz, tool_use_end"
	events []wire.Event
	refuse error
	poison string // a text that is refused whenever it comes
}

func (m *memory) Append(ds ...wire.Draft) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refuse != nil {
		return 0, m.refuse
	}
	var said []string
	var evs []wire.Event
	for _, d := range ds {
		if m.poison != "" && strings.Contains(string(d.Body), m.poison) {
			return 0, errors.New("poison")
		}
		_, ev, err := wire.Decode(d.AppendLine(nil, 1, wire.Time{}))
		if err != nil {
			return 0, err
		}
		evs = append(evs, ev)
		said = append(said, say(ev))
	}
	m.events = append(m.events, evs...)
	m.writes = append(m.writes, fmt.Sprintf("%v: %s", time.Since(m.begun), strings.Join(said, ", ")))
	return uint64(len(m.events)), nil
}

func say(ev wire.Event) string {
	switch ev := ev.(type) {
	case wire.AssistantText:
		return fmt.Sprintf("text %s=%s", ev.Item, ev.Delta+ev.Final)
	case wire.Thinking:
		return fmt.Sprintf("thinking %s=%s", ev.Item, ev.Delta)
	case wire.ToolOutput:
		return fmt.Sprintf("output %s=%s", ev.ToolID, ev.Delta)
	default:
		return string(ev.Type())
	}
}

func (m *memory) End() wire.Position {
	m.mu.Lock()
	defer m.mu.Unlock()
	return wire.Position{Epoch: 1, Seq: uint64(len(m.events))}
}

func (m *memory) written() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.writes
}

func newSink(m *memory) *sink {
	m.begun = time.Now()
	return &sink{log: m, run: "r_1", board: newBoard(wire.Sync{}), failed: func(error) {}}
}

func text(item, delta string) wire.Event { return wire.AssistantText{Item: item, Delta: delta} }

func TestSink_joinsDeltas(t *testing.T) {
	t.Parallel()
	type step struct {
		after time.Duration
		ev    wire.Event
	}
	long := strings.Repeat("x", windowBytes)
	for _, tt := range []struct {
		name  string
		steps []step
		want  []string
	}{
		{
			name:  "the first of a block at once, later ones a window late",
			steps: []step{{0, text("a", "1")}, {0, text("a", "2")}, {time.Millisecond, text("a", "3")}, {0, wire.Todo{}}},
			want:  []string{"0s: text a=1", "1ms: text a=23, todo"},
		},
		{
			name:  "the window ends by itself",
			steps: []step{{0, text("a", "1")}, {10 * time.Millisecond, text("a", "2")}, {time.Second, wire.Todo{}}},
			want:  []string{"0s: text a=1", "40ms: text a=2", "1.01s: todo"},
		},
		{
			name:  "one that comes after a pause is not late",
			steps: []step{{0, text("a", "1")}, {time.Second, text("a", "2")}, {0, text("a", "3")}, {0, wire.Todo{}}},
			want:  []string{"0s: text a=1", "1s: text a=2", "1s: text a=3, todo"},
		},
		{
			name:  "the first of another block makes the others go first",
			steps: []step{{0, text("a", "1")}, {0, text("a", "2")}, {0, text("b", "3")}, {0, wire.Thinking{Item: "b", Delta: "4"}}},
			want:  []string{"0s: text a=1", "0s: text a=2, text b=3", "0s: thinking b=4"},
		},
		{
			name: "blocks that alternate are joined one by one, in order",
			steps: []step{
				{0, text("a", "1")},
				{0, text("b", "2")},
				{0, text("b", "3")},
				{0, text("a", "4")},
				{0, text("b", "5")},
				{time.Second, wire.Todo{}},
			},
			want: []string{"0s: text a=1", "0s: text b=2", "40ms: text b=35, text a=4", "1s: todo"},
		},
		{
			name:  "two kilobytes do not wait",
			steps: []step{{0, text("a", "1")}, {0, text("a", long[:windowBytes-1])}, {0, text("a", "y")}},
			want:  []string{"0s: text a=1", "0s: text a=" + long[:windowBytes-1] + "y"},
		},
		{
			name:  "a long one is not joined",
			steps: []step{{0, text("a", "1")}, {0, text("a", "2")}, {0, text("a", long)}},
			want:  []string{"0s: text a=1", "0s: text a=2, text a=" + long},
		},
		{
			name:  "a final text is no delta",
			steps: []step{{0, text("a", "1")}, {0, text("a", "2")}, {0, wire.AssistantText{Item: "a", Final: "12!"}}},
			want:  []string{"0s: text a=1", "0s: text a=2, text a=12!"},
		},
		{
			name:  "an empty one is nothing",
			steps: []step{{0, text("a", "")}, {0, text("a", "1")}},
			want:  []string{"0s: text a=1"},
		},
		{
			name: "output of a tool is joined, too",
			steps: []step{
				{0, wire.ToolOutput{ToolID: "t", Delta: "1"}},
				{0, wire.ToolOutput{ToolID: "t", Delta: "2"}},
				{0, wire.ToolUseEnd{ToolID: "t"}},
			},
			want: []string{"0s: output t=1", "0s: output t=2, tool_use_end"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &memory{}
				s := newSink(m)
				for _, st := range tt.steps {
					time.Sleep(st.after) // the bubble's clock
					if err := s.emit(st.ev); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				if diff := cmp.Diff(tt.want, m.written()); diff != "" {
					t.Errorf("writes (-want +got):\n%s", diff)
				}
				if err := s.finish(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

func TestSink_finishLogsWhatWaitsFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		s := newSink(m)
		for _, d := range []string{"1", "2"} {
			if err := s.emit(text("a", d)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.finish(wire.Complete{Status: wire.StatusOK}); err != nil {
			t.Fatal(err)
		}
		if err := s.emit(text("a", "3")); !errors.Is(err, errSinkClosed) {
			t.Errorf("emit after the end = %v, want errSinkClosed", err)
		}
		s.remark(slotKey{kind: wire.TypeToolUseInput, id: "t"}, wire.ToolUseInput{})
		time.Sleep(time.Second)
		want := []string{"0s: text a=1", "0s: text a=2, complete"}
		if diff := cmp.Diff(want, m.written()); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
	})
}

func TestSink_refusedWritesComeBeforeTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		s := newSink(m)
		var told []error
		s.failed = func(err error) { told = append(told, err) }
		full := errors.New("no space left")
		if err := errors.Join(s.emit(text("a", "1")), s.emit(text("a", "2"))); err != nil {
			t.Fatal(err)
		}
		m.refuse = full
		if err := s.emit(wire.Todo{}); !errors.Is(err, full) {
			t.Errorf("emit = %v, want the log's error", err)
		}
		if err := s.emit(text("b", "x")); !errors.Is(err, full) {
			t.Errorf("emit after that = %v, want the log's error", err)
		}
		if len(told) != 1 {
			t.Errorf("failed was told %v, want it once", told)
		}
		if err := s.finish(wire.Complete{}); !errors.Is(err, full) {
			t.Errorf("finish = %v, want the log's error", err)
		}
		m.refuse = nil
		if err := s.finish(wire.Complete{}); err != nil {
			t.Fatal(err)
		}
		want := []string{"0s: text a=1", "0s: text a=2, todo, complete"}
		if diff := cmp.Diff(want, m.written()); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
	})
}

func TestSink_anEventThatIsNeverTakenDoesNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	m := &memory{poison: "bad"}
	s := newSink(m)
	if err := s.emit(wire.Error{Message: "bad"}); err == nil {
		t.Fatal("emit succeeded")
	}
	if err := s.finish(wire.Complete{}); err != nil {
		t.Fatal(err)
	}
	if got := m.events; len(got) != 2 || got[0].(wire.System).Code != "events_lost" {
		t.Errorf("events = %+v, want a notice and complete", got)
	}
}

func TestSink_anEventThatCannotBeEncodedFailsAlone(t *testing.T) {
	t.Parallel()
	m := &memory{}
	s := newSink(m)
	if err := errors.Join(s.emit(text("a", "1")), s.emit(text("a", "2"))); err != nil {
		t.Fatal(err)
	}
	if err := s.emit(wire.ToolUseStart{ToolID: "t", Input: []byte("{")}); err == nil {
		t.Error("an input that is not JSON was taken")
	}
	if err := s.finish(wire.Complete{}); err != nil {
		t.Fatal(err)
	}
	if got := len(m.events); got != 3 {
		t.Errorf("%d events, want both deltas and complete", got)
	}
}

// Events that come together are one write, and one that cannot be encoded does not
// take the others with it.
func TestSink_eventsThatComeTogetherAreOneWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		s := newSink(m)
		err := s.emit(text("a", "1"), text("a", "2"), wire.ToolUseStart{ToolID: "t", Input: []byte("{")}, text("a", "3"), wire.Todo{}, text("b", "4"))
		if err == nil {
			t.Error("an input that is not JSON was taken")
		}
		want := []string{"0s: text a=1, text a=23, todo, text b=4"}
		if diff := cmp.Diff(want, m.written()); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
	})
}

func TestSink_manyBlocksStayBounded(t *testing.T) {
	t.Parallel()
	s := newSink(&memory{})
	for i := range maxItems + maxItems/2 {
		if err := errors.Join(s.emit(text(fmt.Sprint(i), "a")), s.emit(text(fmt.Sprint(i), "b"))); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(s.items); got > maxItems {
		t.Errorf("%d blocks in memory, want at most %d", got, maxItems)
	}
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
}

func TestSink_remarks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		s := newSink(m)
		input := func(tool string, n int64) {
			s.remark(slotKey{kind: wire.TypeToolUseInput, id: tool}, wire.ToolUseInput{ToolID: tool, Bytes: n})
		}
		var seen uint64
		shown := func() string {
			var all []string
			for _, f := range s.board.since(nil, &seen, "", s.log.End().Seq) {
				all = append(all, string(f))
			}
			return strings.Join(all, " ")
		}
		input("a", 1)
		if got := shown(); !strings.Contains(got, `"bytes":1`) {
			t.Errorf("the first remark shows %q", got)
		}
		for n := range int64(1000) {
			input("a", n)
		}
		if got := shown(); got != "" {
			t.Errorf("within the window %q shows", got)
		}
		time.Sleep(window)
		synctest.Wait()
		if got := shown(); !strings.Contains(got, `"bytes":999`) || strings.Count(got, "bytes") != 1 {
			t.Errorf("after the window %q shows, want the latest alone", got)
		}
		input("a", 5)
		if err := s.emit(wire.ToolUseStart{ToolID: "a", Input: []byte(`{}`)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if got := shown(); got != "" {
			t.Errorf("after the call began %q shows", got)
		}
		for i := range 10 * maxRemarks {
			input(fmt.Sprint(i), 1)
		}
		time.Sleep(time.Second)
		if got := strings.Count(shown(), "bytes"); got == 0 || got > maxRemarks {
			t.Errorf("%d remarks show, want at most %d", got, maxRemarks)
		}
		if err := s.finish(); err != nil {
			t.Fatal(err)
		}
		seen = 0
		if got := strings.Count(shown(), "bytes"); got != 0 {
			t.Errorf("%d remarks show after the end", got)
		}
	})
}

// T3: what a tool prints without end is kept at both ends.
func TestSink_toolOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		piece string
		count int
		whole bool
	}{
		{name: "little", piece: "line\n", count: 3, whole: true},
		{name: "just the beginning and the end", piece: strings.Repeat("é", 512), count: 2*outputKept/1024 - 1, whole: true},
		{name: "carriage returns without end", piece: "progress\r", count: 41_208},
		{name: "megabytes in small pieces", piece: strings.Repeat("—", 99), count: 10_000},
		{name: "one huge piece", piece: strings.Repeat("—x", 1<<20), count: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &memory{}
			s := newSink(m)
			for i := range tt.count {
				piece := tt.piece
				if i == tt.count-1 {
					piece += "the last words"
				}
				if err := s.emit(wire.ToolOutput{ToolID: "t", Delta: piece}); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.emit(wire.ToolUseEnd{ToolID: "t"}); err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, ev := range m.events {
				if out, ok := ev.(wire.ToolOutput); ok {
					if len(out.Delta) > 20<<10 {
						t.Errorf("an event carries %d bytes", len(out.Delta))
					}
					got.WriteString(out.Delta)
				}
			}
			sent := strings.Repeat(tt.piece, tt.count) + "the last words"
			if strings.ContainsRune(got.String(), '\uFFFD') {
				t.Error("a character was cut in two")
			}
			if tt.whole {
				if got.String() != sent {
					t.Errorf("%d bytes logged, want all %d", got.Len(), len(sent))
				}
				return
			}
			head, tail, cut := strings.Cut(got.String(), "\n… ")
			note, end, _ := strings.Cut(tail, " bytes are left out here …\n")
			var dropped int
			if _, err := fmt.Sscan(note, &dropped); !cut || err != nil {
				t.Fatalf("no note of what is left out, logged %d bytes", got.Len())
			}
			if !strings.HasPrefix(sent, head) || !strings.HasSuffix(sent, end) || len(head)+dropped+len(end) != len(sent) {
				t.Errorf("%d + %d + %d bytes are not the output of %d", len(head), dropped, len(end), len(sent))
			}
			if len(head) < outputKept-4 || len(head) > outputKept || len(end) < outputKept-4 || len(end) > outputKept {
				t.Errorf("kept %d and %d bytes, want about %d each", len(head), len(end), outputKept)
			}
		})
	}
}

func TestSink_outputWithoutEndOfManyToolsIsBounded(t *testing.T) {
	t.Parallel()
	s := newSink(&memory{})
	for i := range maxTails + 10 {
		if err := s.emit(wire.ToolOutput{ToolID: fmt.Sprint(i), Delta: strings.Repeat("x", 3*outputKept)}); err != nil {
			t.Fatal(err)
		}
	}
	kept := 0
	for _, o := range s.outputs.tools {
		kept += cap(o.tail)
	}
	if limit := maxTails * 2 * outputKept * 5 / 4; kept > limit {
		t.Errorf("%d bytes in memory, want at most %d", kept, limit)
	}
	if err := s.finish(wire.Complete{}); err != nil {
		t.Fatal(err)
	}
}
