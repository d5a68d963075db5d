package queue_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/fault"
	"signalbox/backend/queue"
	"signalbox/backend/wire"
)

var (
	ann = wire.Person{ID: "u_1", Name: "Ann"}
	bob = wire.Person{ID: "u_2", Name: "Bob"}
	now = wire.Time{Time: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}
)

func prompt(id string) wire.QueuedItem {
	return wire.QueuedItem{ClientID: id, Text: "text of " + id, By: ann, At: now}
}

// waiting returns a queue of prompts, of which one that begins with "!" interrupts
// and one that begins with ">" continues a run.
func waiting(t *testing.T, ids ...string) queue.Queue {
	t.Helper()
	var q queue.Queue
	for _, id := range ids {
		it := prompt(id)
		it.Interrupts = id[0] == '!'
		if id[0] == '>' {
			it.Continues = "r_1"
		}
		var err error
		if q, _, err = q.Add(it); err != nil {
			t.Fatal(err)
		}
	}
	return q
}

func ids(q queue.Queue) string {
	var all []string
	for _, it := range q.Frame().Items {
		all = append(all, it.ClientID)
	}
	return strings.Join(all, " ")
}

func TestAdd_order(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, add, want string }{
		{"one after the other", "a b c", "a b c"},
		{"an interrupting one goes first", "a b !x", "!x a b"},
		{"interrupting ones keep their order", "a !x !y", "!x !y a"},
		{"one that continues goes first", "a >c", ">c a"},
		{"an interrupting one goes before it", "a >c !x", "!x >c a"},
		{"and it after those", "a !x >c", "!x >c a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := ids(waiting(t, strings.Fields(tt.add)...)); got != tt.want {
				t.Errorf("order = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAdd_isBounded(t *testing.T) {
	t.Parallel()
	var q queue.Queue
	for i := range queue.MaxItems {
		var err error
		if q, _, err = q.Add(prompt(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if next, _, err := q.Add(prompt("more")); fault.CodeOf(err) != fault.Busy || next.Len() != queue.MaxItems {
		t.Errorf("one more = %v, of %d", err, next.Len())
	}
	big := prompt("big")
	big.Text = strings.Repeat("x", queue.MaxBytes)
	q, _, err := queue.Queue{}.Add(big)
	if err != nil {
		t.Fatalf("as many bytes as it holds = %v", err)
	}
	if _, _, err := q.Add(prompt("more")); fault.CodeOf(err) != fault.Busy {
		t.Errorf("one byte more = %v", err)
	}
	if _, err := q.Edit("big", big.Text+"x", bob, 0); fault.CodeOf(err) != fault.Busy {
		t.Errorf("an edit that goes over = %v", err)
	}
}

// A change that is based on an older state of what it is about is refused, and
// says where the queue is now.
func TestChange_conflicts(t *testing.T) {
	t.Parallel()
	q := waiting(t, "a", "b", "c") // rev 3
	edited, err := q.Edit("a", "other", bob, 3)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := edited.Move("c", 1, 4) // rev 5
	if err != nil {
		t.Fatal(err)
	}
	gone, err := moved.Remove("b", 5) // rev 6
	if err != nil {
		t.Fatal(err)
	}
	edit := func(id string) func(queue.Queue, uint64) (queue.Queue, error) {
		return func(q queue.Queue, rev uint64) (queue.Queue, error) { return q.Edit(id, "mine", ann, rev) }
	}
	for _, tt := range []struct {
		name string
		q    queue.Queue
		do   func(queue.Queue, uint64) (queue.Queue, error)
		rev  uint64
		want fault.Code
	}{
		{name: "edit of what was edited since", q: edited, do: edit("a"), rev: 3, want: fault.Conflict},
		{name: "edit of what was edited before", q: edited, do: edit("a"), rev: 4},
		{name: "edit of another", q: edited, do: edit("b"), rev: 3},
		{name: "edit without a rev", q: edited, do: edit("a")},
		{name: "edit with a rev that never was", q: edited, do: edit("a"), rev: 9, want: fault.Conflict},
		{name: "edit of what was moved", q: moved, do: edit("c"), rev: 3},
		{name: "edit of what was removed", q: gone, do: edit("b"), rev: 5, want: fault.Conflict},
		{name: "edit of what never was", q: gone, do: edit("x"), want: fault.NotFound},
		{name: "removal of what was edited since", q: edited, rev: 3, want: fault.Conflict, do: func(q queue.Queue, rev uint64) (queue.Queue, error) {
			return q.Remove("a", rev)
		}},
		{name: "move after a move", q: moved, rev: 4, want: fault.Conflict, do: func(q queue.Queue, rev uint64) (queue.Queue, error) {
			return q.Move("b", 1, rev)
		}},
		{name: "move after an edit", q: edited, rev: 3, do: func(q queue.Queue, rev uint64) (queue.Queue, error) {
			return q.Move("b", 1, rev)
		}},
		{name: "move to no place", q: q, want: fault.Invalid, do: func(q queue.Queue, rev uint64) (queue.Queue, error) {
			return q.Move("b", 0, rev)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			next, err := tt.do(tt.q, tt.rev)
			if fault.CodeOf(err) != tt.want {
				t.Fatalf("error = %v, want code %q", err, tt.want)
			}
			if f, ok := errors.AsType[*fault.Error](err); ok && tt.want != fault.Invalid && !strings.Contains(f.Message+f.Hint, fmt.Sprint(tt.q.Rev())) {
				t.Errorf("%q does not name the state %d", f.Message, tt.q.Rev())
			}
			if err != nil && next.Rev() != tt.q.Rev() {
				t.Error("a refused change changed something")
			}
		})
	}
}

func TestMove(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		id   string
		to   int
		want string
	}{
		{"c", 1, "c a b"},
		{"a", 2, "b a c"},
		{"a", 3, "b c a"},
		{"a", 99, "b c a"},
		{"b", 2, "a b c"},
	} {
		q, err := waiting(t, "a", "b", "c").Move(tt.id, tt.to, 0)
		if got := ids(q); err != nil || got != tt.want {
			t.Errorf("Move %s to %d = %s, %v; want %s", tt.id, tt.to, got, err, tt.want)
		}
	}
}

// Words are the one's who wrote them.
func TestEdit_makesThePromptTheEditors(t *testing.T) {
	t.Parallel()
	q, err := waiting(t, "a").Edit("a", "other", bob, 0)
	if err != nil {
		t.Fatal(err)
	}
	if it := q.Frame().Items[0]; it.By != bob || it.Text != "other" || it.At != now {
		t.Errorf("item = %+v", it)
	}
}

// T10: who did not hear of the answer and sends again gets the same one, also when
// somebody edited the prompt since; a prompt that was removed is not sent by that.
func TestPlace_ofWhatIsSentAgain(t *testing.T) {
	t.Parallel()
	q := waiting(t, "a", "b")
	q, err := q.Edit("b", "other", bob, 0)
	if err != nil {
		t.Fatal(err)
	}
	q, err = q.Remove("a", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, id, text string
		place          int
		want           fault.Code
	}{
		{name: "as it came", id: "b", text: "text of b", place: 1},
		{name: "as it is", id: "b", text: "other", place: 1},
		{name: "another text", id: "b", text: "x", want: fault.Conflict},
		{name: "removed", id: "a", text: "text of a", want: fault.Conflict},
		{name: "unknown", id: "c", text: "text of c"},
	} {
		if place, err := q.Place(tt.id, tt.text); place != tt.place || fault.CodeOf(err) != tt.want {
			t.Errorf("%s: Place = %d, %v; want %d, %q", tt.name, place, err, tt.place, tt.want)
		}
	}
	q = q.Sent("b")
	if !q.SentAs("b", "text of b") || q.SentAs("b", "x") || q.SentAs("a", "text of a") {
		t.Error("the text as it came is not known once the prompt was sent with another")
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	failed := wire.QueuePause{Reason: string(wire.StatusFailed), Since: now, By: &ann}
	later := wire.Time{Time: now.Add(time.Hour)}
	limited := wire.QueuePause{Reason: wire.PauseRateLimit, Since: now, Until: &later}
	if q := (queue.Queue{}).Pause(failed); q.Paused() != nil {
		t.Error("an empty queue pauses")
	}
	q := waiting(t, "a", "b").Pause(failed)
	if _, ok := q.Next(); ok || *q.Paused() != failed {
		t.Error("a paused queue has a next prompt")
	}
	if it, ok := q.Resume().Next(); !ok || it.ClientID != "a" {
		t.Errorf("after Resume the next is %v", it)
	}
	if q := q.Sent("a").Sent("b"); q.Paused() != nil {
		t.Error("a queue stays paused with nothing left in it")
	}

	q = waiting(t, ">c", "a").Pause(limited)
	if q.Paused().Until == nil {
		t.Error("the pause lost its time")
	}
	gone, err := q.Remove(">c", 0)
	if err != nil || gone.Paused() == nil || gone.Paused().Until != nil {
		t.Errorf("without what continues, the pause is %+v, %v", gone.Paused(), err)
	}
	if q := q.DropContinuations(); ids(q) != "a" || q.Paused().Until != nil {
		t.Errorf("queue = %s, paused %+v", ids(q), q.Paused())
	}
	if got := waiting(t, "a").Pause(limited).Paused(); got == nil || got.Until != nil {
		t.Errorf("with nothing that continues, the pause is %+v", got)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	q := waiting(t, "a", "b").Refused("a", wire.Fault{Code: "forbidden", Message: "no"}, now)
	it := q.Frame().Items[0]
	if it.Error == nil || it.Error.Message != "no" || q.Paused() == nil || q.Paused().Reason != wire.PauseNotSent {
		t.Errorf("item %+v, paused %+v", it, q.Paused())
	}
	if it := q.Resume().Frame().Items[0]; it.Error != nil {
		t.Errorf("after Resume the error stays: %+v", it)
	}
	q, err := q.Edit("a", "other", bob, 0)
	if err != nil || q.Frame().Items[0].Error != nil || q.Paused() == nil {
		t.Errorf("after an edit %+v, %v", q.Frame(), err)
	}
}

// The log decides what was sent; the rest waits for somebody.
func TestRestarted(t *testing.T) {
	t.Parallel()
	logged := func(id string) bool { return id == "a" }
	q := waiting(t, "!x", "a", "b").Restarted(logged, now)
	if got := ids(q); got != "!x b" || q.Paused() == nil || q.Paused().Reason != wire.PauseRestart || q.Interrupts() {
		t.Errorf("queue = %s, paused %+v, interrupts %v", got, q.Paused(), q.Interrupts())
	}
	failed := wire.QueuePause{Reason: string(wire.StatusFailed), Since: now}
	if q := waiting(t, "b").Pause(failed).Restarted(logged, now); q.Paused().Reason != failed.Reason {
		t.Errorf("a pause lost its reason: %+v", q.Paused())
	}
	if q := waiting(t, "a").Restarted(logged, now); q.Len() != 0 || q.Paused() != nil {
		t.Errorf("queue = %s, paused %+v", ids(q), q.Paused())
	}
}

func TestDecode_isWhatWasEncoded(t *testing.T) {
	t.Parallel()
	q := waiting(t, "a", "b", ">c")
	q, err := q.Edit("b", "other", bob, 0)
	if err != nil {
		t.Fatal(err)
	}
	q, err = q.Remove("a", 0)
	if err != nil {
		t.Fatal(err)
	}
	q = q.Pause(wire.QueuePause{Reason: wire.PauseRateLimit, Since: now, Until: &now})
	b, err := q.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := queue.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := got.Encode()
	if diff := cmp.Diff(string(b), string(again)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestDecode_refuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file string }{
		{"nothing", ""},
		{"half of it", `{"format":1,"rev":3,"items":[{"clientId":"a"`},
		{"another thing", `{"format":0}`},
		{"an item without a sender", `{"format":1,"rev":1,"items":[{"clientId":"a","text":"x"}]}`},
		{"one twice", `{"format":1,"rev":2,"items":[{"clientId":"a","text":"x","by":{"id":"u","name":"A"}},{"clientId":"a","text":"x","by":{"id":"u","name":"A"}}]}`},
	} {
		_, err := queue.Decode([]byte(tt.file))
		if _, newer := errors.AsType[*queue.NewerError](err); err == nil || newer {
			t.Errorf("%s: Decode = %v, want that it is damaged", tt.name, err)
		}
	}
	_, err := queue.Decode([]byte(`{"format":2,"items":{}}`))
	if newer, ok := errors.AsType[*queue.NewerError](err); !ok || newer.Format != 2 {
		t.Errorf("a later format = %v, want a NewerError", err)
	}
}
