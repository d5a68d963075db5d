package runhub

import (
	"cmp"
	"slices"
	"time"

	"signalbox/backend/wire"
)

// typingLasts is for how long a person is shown as writing.
const typingLasts = 5 * time.Second

// Typing shows the others that the person is writing a prompt. A chat that nobody
// looks at shows nothing.
func (h *Hub) Typing(chat wire.ChatID, by wire.Person) error {
	room, err := h.listed(chat)
	if err != nil {
		return err
	}
	room.board.typing(by)
	return nil
}

// typer is a person who is writing.
type typer struct {
	person wire.Person
	since  uint64 // counts those who began
	stops  *time.Timer
}

// typing shows the person as writing for a while; only one who watches is shown.
func (b *board) typing(by wire.Person) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.people[by.ID] == nil {
		return
	}
	if t := b.typers[by.ID]; t != nil {
		t.stops.Reset(typingLasts)
		return
	}
	b.joined++
	t := &typer{person: by, since: b.joined}
	t.stops = time.AfterFunc(typingLasts, func() { b.typed(by.ID, t) })
	b.typers[by.ID] = t
	b.typingLocked()
}

// typed shows the person as writing no more; t, if it is not nil, is who is meant.
func (b *board) typed(who wire.UserID, t *typer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.typedLocked(who, t)
}

func (b *board) typedLocked(who wire.UserID, meant *typer) {
	t := b.typers[who]
	if t == nil || meant != nil && meant != t {
		return
	}
	t.stops.Stop()
	delete(b.typers, who)
	b.typingLocked()
}

func (b *board) typingLocked() {
	all := make([]*typer, 0, len(b.typers))
	for _, t := range b.typers {
		all = append(all, t)
	}
	slices.SortFunc(all, func(x, y *typer) int { return cmp.Compare(x.since, y.since) })
	people := make([]wire.Person, len(all))
	for i, t := range all {
		people[i] = t.person
	}
	b.setLocked(slotKey{kind: wire.TypeTyping}, wire.Typing{People: people}, 0)
}

// besides is the frame as one of those who write sees it: without them.
func besides(t wire.Typing, who wire.UserID) wire.Typing {
	t.People = slices.DeleteFunc(slices.Clone(t.People), func(p wire.Person) bool { return p.ID == who })
	return t
}
