package runhub

import (
	"cmp"
	"slices"
	"sync"

	"signalbox/backend/queue"
	"signalbox/backend/wire"
)

// maxRemarks is how many tools' passing remarks a chat shows at once. One more
// takes the place of the oldest.
const maxRemarks = 64

// lasting is how many kinds of frames stay.
const lasting = 4

// board holds a chat's passing frames, the latest of each kind, and who looks at
// them. A reader holds one number, the version that it has seen; frames are
// encoded once, by the first who reads them.
type board struct {
	mu      sync.Mutex
	version uint64 // rises with every change of a slot
	slots   map[slotKey]*slot
	feeds   map[*Feed]struct{}
	people  map[wire.UserID]*watcher
	typers  map[wire.UserID]*typer // those who are writing; they watch, too
	joined  uint64                 // counts those who came or began to write
	over    error                  // why there is nothing to follow any more
}

// slotKey tells which frames replace each other.
type slotKey struct {
	kind wire.Type
	id   string // the tool, for remarks about one
}

type slot struct {
	version uint64
	after   uint64 // the event that a reader must have before the frame
	frame   wire.Frame
	encoded []byte // nil before somebody read it
}

type watcher struct {
	person wire.Person
	feeds  int
	joined uint64
}

func newBoard(state wire.Sync) *board {
	b := &board{
		slots:  map[slotKey]*slot{},
		feeds:  map[*Feed]struct{}{},
		people: map[wire.UserID]*watcher{},
		typers: map[wire.UserID]*typer{},
	}
	b.slots[slotKey{kind: wire.TypeSync}] = &slot{frame: state}
	b.slots[slotKey{kind: wire.TypeQueue}] = &slot{frame: queue.Queue{}.Frame()}
	b.slots[slotKey{kind: wire.TypePresence}] = &slot{frame: wire.Presence{People: []wire.Person{}}}
	b.slots[slotKey{kind: wire.TypeTyping}] = &slot{frame: wire.Typing{People: []wire.Person{}}}
	return b
}

// close ends all feeds, those that come later too, with the error.
func (b *board) close(why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = why
	for feed := range b.feeds {
		feed.follower.Wake()
	}
}

// closed returns why the board was closed; nil while it is not.
func (b *board) closed() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.over
}

// sync shows the state of the lock to those who have the event after.
func (b *board) sync(state wire.Sync, after uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setLocked(slotKey{kind: wire.TypeSync}, state, after)
}

// queue shows what waits to those who have the event after.
func (b *board) queue(q wire.Queue, after uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setLocked(slotKey{kind: wire.TypeQueue}, q, after)
}

// lasts reports whether a frame of the kind stays until another takes its place.
func lasts(kind wire.Type) bool {
	return kind == wire.TypeSync || kind == wire.TypeQueue || kind == wire.TypePresence || kind == wire.TypeTyping
}

// remark shows passing remarks to those who have the event after.
func (b *board) remark(frames map[slotKey]wire.Frame, after uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, f := range frames {
		if _, ok := b.slots[key]; !ok && len(b.slots) >= maxRemarks+lasting {
			b.dropOldestLocked()
		}
		b.setLocked(key, f, after)
	}
}

// drop takes down what the condition holds for. Who has not read it never will.
func (b *board) drop(condition func(slotKey) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key := range b.slots {
		if !lasts(key.kind) && condition(key) {
			delete(b.slots, key)
		}
	}
}

// join adds a feed and fills in its first frames but connected.
func (b *board) join(f *Feed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.feeds[f] = struct{}{}
	w := b.people[f.by.ID]
	if w == nil {
		b.joined++
		w = &watcher{joined: b.joined}
		b.people[f.by.ID] = w
	}
	w.feeds++
	if w.person != f.by {
		w.person = f.by
		b.presenceLocked()
	}
	f.seen = b.version
	state := b.slots[slotKey{kind: wire.TypeSync}]
	f.state = state.frame.(wire.Sync)
	f.greeting = [][]byte{
		state.bytes(), b.slots[slotKey{kind: wire.TypeQueue}].bytes(), b.slots[slotKey{kind: wire.TypePresence}].bytes(),
	}
}

// leave removes a feed; the second time it does nothing.
func (b *board) leave(f *Feed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.feeds[f]; !ok {
		return
	}
	delete(b.feeds, f)
	w := b.people[f.by.ID]
	if w.feeds--; w.feeds == 0 {
		delete(b.people, f.by.ID)
		b.typedLocked(f.by.ID, nil)
		b.presenceLocked()
	}
}

// present returns who watches.
func (b *board) present() []wire.Person {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.presentLocked()
}

// since appends to frames what is new after *seen and may be shown to a reader,
// who, that has the events up to upto, oldest first, and moves seen on.
func (b *board) since(frames [][]byte, seen *uint64, who wire.UserID, upto uint64) [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if *seen == b.version {
		return frames
	}
	var fresh []*slot
	for _, s := range b.slots {
		if s.version > *seen {
			fresh = append(fresh, s)
		}
	}
	slices.SortFunc(fresh, func(x, y *slot) int { return cmp.Compare(x.version, y.version) })
	for _, s := range fresh {
		if s.after > upto {
			return frames
		}
		*seen = s.version
		frames = append(frames, s.bytesFor(who))
	}
	*seen = b.version // of what was dropped
	return frames
}

func (b *board) presenceLocked() {
	b.setLocked(slotKey{kind: wire.TypePresence}, wire.Presence{People: b.presentLocked()}, 0)
}

func (b *board) presentLocked() []wire.Person {
	all := make([]*watcher, 0, len(b.people))
	for _, w := range b.people {
		all = append(all, w)
	}
	slices.SortFunc(all, func(x, y *watcher) int { return cmp.Compare(x.joined, y.joined) })
	people := make([]wire.Person, len(all))
	for i, w := range all {
		people[i] = w.person
	}
	return people
}

func (b *board) setLocked(key slotKey, f wire.Frame, after uint64) {
	b.version++
	b.slots[key] = &slot{version: b.version, after: after, frame: f}
	for feed := range b.feeds {
		feed.follower.Wake()
	}
}

func (b *board) dropOldestLocked() {
	var oldest slotKey
	var found *slot
	for key, s := range b.slots {
		if !lasts(key.kind) && (found == nil || s.version < found.version) {
			oldest, found = key, s
		}
	}
	delete(b.slots, oldest)
}

// bytesFor is bytes, without who reads it among those who write.
func (s *slot) bytesFor(who wire.UserID) []byte {
	if t, ok := s.frame.(wire.Typing); ok && slices.ContainsFunc(t.People, func(p wire.Person) bool { return p.ID == who }) {
		return (&slot{frame: besides(t, who)}).bytes()
	}
	return s.bytes()
}

// bytes returns the encoded frame. The board's mutex is held.
func (s *slot) bytes() []byte {
	if s.encoded == nil {
		b, err := wire.EncodeFrame(s.frame)
		if err != nil {
			// Frames are plain data of ours: they always encode.
			panic("encode frame: " + err.Error())
		}
		s.encoded = b
	}
	return s.encoded
}
