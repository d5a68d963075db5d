// Package queue decides what becomes of the prompts that wait for a chat's lock:
// their order, their changes, when they rest, and what they look like on the disk.
//
// It is pure. A [Queue] is a value: what changes it returns another and leaves the
// first as it was, so that whoever holds one changes it, saves it, and only then
// lets it count. Package runhub does.
package queue

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// The limits of a queue. What goes over them is refused and changes nothing.
const (
	MaxItems = 100     // prompts that wait
	MaxBytes = 2 << 20 // of their texts together
	maxPast  = 200     // prompts that are remembered
)

// Queue is what waits, in order. The zero value is empty.
type Queue struct {
	rev    uint64 // rises with every change
	moved  uint64 // the rev at which places were last given by a person
	items  []item
	paused *wire.QueuePause
	past   []past // the newest last
}

type item struct {
	wire.QueuedItem

	// Sent is the hash of the text as it came, where it was edited since: who
	// sends it again did not hear of the edit.
	Sent string `json:"sent,omitempty"`
}

// past is a prompt that waits no more and about which the log does not say all.
type past struct {
	ClientID string `json:"clientId"`
	Sent     string `json:"sent"`              // the hash of the text as it came
	Removed  bool   `json:"removed,omitempty"` // else it was sent with another text
}

// Frame returns the queue as clients see it.
func (q Queue) Frame() wire.Queue {
	f := wire.Queue{Rev: q.rev, Items: make([]wire.QueuedItem, len(q.items)), Paused: q.paused}
	for i, it := range q.items {
		f.Items[i] = it.QueuedItem
	}
	return f
}

// Rev rises with every change.
func (q Queue) Rev() uint64 { return q.rev }

// Len returns how many prompts wait.
func (q Queue) Len() int { return len(q.items) }

// Paused returns why nothing is sent, nil where the queue moves on by itself.
func (q Queue) Paused() *wire.QueuePause { return q.paused }

// Next returns the prompt whose turn it is; false while the queue is empty or
// paused.
func (q Queue) Next() (wire.QueuedItem, bool) {
	if len(q.items) == 0 || q.paused != nil {
		return wire.QueuedItem{}, false
	}
	return q.items[0].QueuedItem, true
}

// Interrupts reports whether the first prompt waits for the end of a run that it
// stopped.
func (q Queue) Interrupts() bool { return len(q.items) > 0 && q.items[0].Interrupts }

// Place returns the place of the prompt with the client id, from 1, if it waits
// and came with the text; a fault conflict if it came with another, or was
// removed. 0 without a fault means that the queue knows nothing of it.
func (q Queue) Place(clientID, text string) (int, error) {
	if i := q.find(clientID); i >= 0 {
		it := q.items[i]
		if it.Text != text && it.Sent != hash(text) {
			return 0, ErrOtherText(clientID)
		}
		return i + 1, nil
	}
	if p, ok := q.lookBack(clientID); ok && p.Removed {
		return 0, fault.New(fault.Conflict, "The prompt was removed from the queue.").
			WithHint("Send it as a new one if it is still wanted.")
	}
	return 0, nil
}

// SentAs reports whether the prompt with the client id came with the text and was
// sent with another, as somebody edited it while it waited.
func (q Queue) SentAs(clientID, text string) bool {
	p, ok := q.lookBack(clientID)
	return ok && !p.Removed && p.Sent == hash(text)
}

// ErrOtherText says that a client id names another prompt.
func ErrOtherText(clientID string) error {
	return fault.New(fault.Conflict, "The client id %.40q was used for another prompt in this chat.", clientID).
		WithHint("Send the prompt with a client id of its own.")
}

// Continues returns the place of the prompt that goes on with the run, from 1; 0
// if none does.
func (q Queue) Continues(run wire.RunID) int {
	return 1 + slices.IndexFunc(q.items, func(it item) bool { return run != "" && it.Continues == run })
}

// Add appends a prompt and returns its place. One that interrupts a run goes
// before those that do not, then comes one that continues a run. A full queue is a
// fault busy.
func (q Queue) Add(it wire.QueuedItem) (Queue, int, error) {
	if len(q.items) >= MaxItems {
		return q, 0, fault.New(fault.Busy, "The queue holds %d prompts, as many as it can.", len(q.items)).
			WithHint("Nothing was queued. Wait until some are sent, or remove some.")
	}
	if err := q.room(len(it.Text)); err != nil {
		return q, 0, err
	}
	at := slices.IndexFunc(q.items, func(other item) bool {
		switch {
		case it.Interrupts:
			return !other.Interrupts
		case it.Continues != "":
			return !other.Interrupts && other.Continues == ""
		default:
			return false
		}
	})
	if at < 0 {
		at = len(q.items)
	}
	next := q.change()
	it.Rev = next.rev
	next.items = slices.Insert(next.items, at, item{QueuedItem: it})
	return next, at + 1, nil
}

// room returns why that many bytes more cannot wait.
func (q Queue) room(more int) error {
	for _, it := range q.items {
		more += len(it.Text)
	}
	if more <= MaxBytes {
		return nil
	}
	return fault.New(fault.Busy, "The prompts that wait would have %d bytes; the queue holds %d (2 MB).", more, MaxBytes).
		WithHint("Nothing was queued. Wait until some are sent, or put the long part into a file.")
}

// Edit gives a prompt that waits another text, which is then the person's. What a
// person has changed is tried again: its error is gone.
func (q Queue) Edit(clientID, text string, by wire.Person, rev uint64) (Queue, error) {
	i, err := q.own(clientID, rev)
	if err != nil {
		return q, err
	}
	old := q.items[i]
	if old.Text == text && old.Error == nil {
		return q, nil
	}
	if err := q.room(len(text) - len(old.Text)); err != nil {
		return q, err
	}
	next := q.change()
	it := &next.items[i]
	if it.Sent == "" {
		it.Sent = hash(old.Text)
	}
	it.Text, it.By, it.Error, it.Rev = text, by, nil, next.rev
	return next, nil
}

// Move gives a prompt that waits the place to, from 1; one beyond the end is the
// last.
func (q Queue) Move(clientID string, to int, rev uint64) (Queue, error) {
	i := q.find(clientID)
	switch {
	case i < 0:
		return q, q.gone(clientID)
	case to < 1:
		return q, fault.New(fault.Invalid, "There is no place %d in the queue: the first is 1.", to)
	case stale(rev, q.moved, q.rev):
		return q, q.errChanged("The order of the queue was changed")
	}
	to = min(to, len(q.items)) - 1
	if to == i {
		return q, nil
	}
	next := q.change()
	it := next.items[i]
	next.items = slices.Insert(slices.Delete(next.items, i, i+1), to, it)
	next.moved = next.rev
	return next, nil
}

// Remove takes a prompt out that waits.
func (q Queue) Remove(clientID string, rev uint64) (Queue, error) {
	i, err := q.own(clientID, rev)
	if err != nil {
		return q, err
	}
	return q.take(i, true), nil
}

// Sent takes a prompt out that the log holds now.
func (q Queue) Sent(clientID string) Queue {
	i := q.find(clientID)
	if i < 0 {
		return q
	}
	return q.take(i, false)
}

// DropContinuations takes out what was to go on with a run, as the chat went on
// in another way.
func (q Queue) DropContinuations() Queue {
	for i := len(q.items) - 1; i >= 0; i-- {
		if q.items[i].Continues != "" {
			q = q.take(i, true)
		}
	}
	return q
}

func (q Queue) take(i int, removed bool) Queue {
	next := q.change()
	it := next.items[i]
	next.items = slices.Delete(next.items, i, i+1)
	if it.Sent == "" {
		it.Sent = hash(it.Text)
		if !removed {
			return next.rest() // the log knows the text
		}
	}
	next.past = append(next.past, past{ClientID: it.ClientID, Sent: it.Sent, Removed: removed})
	if over := len(next.past) - maxPast; over > 0 {
		next.past = next.past[over:]
	}
	return next.rest()
}

// rest is q without a pause that has nothing left to hold back, and without its
// time where nothing is left that waits for it.
func (q Queue) rest() Queue {
	switch {
	case len(q.items) == 0:
		q.paused = nil
	case q.paused != nil && q.paused.Until != nil && !slices.ContainsFunc(q.items, func(it item) bool { return it.Continues != "" }):
		pause := *q.paused
		pause.Until = nil
		q.paused = &pause
	}
	return q
}

// Pause lets nothing more be sent. An empty queue has nothing to hold back.
func (q Queue) Pause(p wire.QueuePause) Queue {
	if len(q.items) == 0 {
		return q
	}
	next := q.change()
	next.paused = &p
	return next.rest()
}

// Refused pauses the queue, since its first prompt could not be sent, and says
// why.
func (q Queue) Refused(clientID string, why wire.Fault, at wire.Time) Queue {
	i := q.find(clientID)
	if i < 0 {
		return q
	}
	next := q.Pause(wire.QueuePause{Reason: wire.PauseNotSent, Since: at})
	next.items[i].Error = &why
	next.items[i].Interrupts = false
	return next
}

// Resume lets the queue move on; what could not be sent is tried again.
func (q Queue) Resume() Queue {
	if q.paused == nil {
		return q
	}
	next := q.change()
	next.paused = nil
	for i := range next.items {
		next.items[i].Error = nil
	}
	return next
}

// Restarted is the queue as another daemon takes it over: without the prompts
// that the log holds, and at rest, unless it was paused already.
func (q Queue) Restarted(logged func(clientID string) bool, at wire.Time) Queue {
	for i := len(q.items) - 1; i >= 0; i-- {
		if logged(q.items[i].ClientID) {
			q = q.take(i, false)
		}
	}
	if len(q.items) == 0 {
		return q
	}
	next := q.change()
	for i := range next.items {
		next.items[i].Interrupts = false // what it stopped is over
	}
	if next.paused == nil {
		next.paused = &wire.QueuePause{Reason: wire.PauseRestart, Since: at}
	}
	return next
}

// change returns a copy with the next rev.
func (q Queue) change() Queue {
	q.rev++
	q.items = slices.Clone(q.items)
	q.past = slices.Clone(q.past)
	return q
}

// own returns the index of a prompt that the rev allows to be changed.
func (q Queue) own(clientID string, rev uint64) (int, error) {
	i := q.find(clientID)
	switch {
	case i < 0:
		return 0, q.gone(clientID)
	case stale(rev, q.items[i].Rev, q.rev):
		return 0, q.errChanged("This prompt was changed by " + q.items[i].By.Name)
	}
	return i, nil
}

func (q Queue) gone(clientID string) error {
	if p, ok := q.lookBack(clientID); ok && p.Removed {
		return fault.New(fault.Conflict, "The prompt was removed from the queue meanwhile.").
			WithHint("Nothing was changed. The queue is now at %d.", q.rev)
	}
	return fault.New(fault.NotFound, "No prompt with that client id waits in the queue.").
		WithHint("It may have been sent already. The queue is now at %d.", q.rev)
}

func (q Queue) errChanged(what string) error {
	return fault.New(fault.Conflict, "%s meanwhile; the queue is now at %d.", what, q.rev).
		WithHint("Nothing was changed. Look at the queue as it now is, then try again.")
}

// stale reports whether a change that is based on rev misses one that was made at
// changed. A rev that never was can be of no state of this queue.
func stale(rev, changed, now uint64) bool { return rev != 0 && (rev < changed || rev > now) }

func (q Queue) find(clientID string) int {
	return slices.IndexFunc(q.items, func(it item) bool { return it.ClientID == clientID })
}

func (q Queue) lookBack(clientID string) (past, bool) {
	i := slices.IndexFunc(q.past, func(p past) bool { return p.ClientID == clientID })
	if i < 0 {
		return past{}, false
	}
	return q.past[i], true
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
