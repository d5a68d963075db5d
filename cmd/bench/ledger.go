//go:build linux

package main

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/coder/websocket"

	"signalbox/backend/wire"
)

// ledger is what people and clients of a soak were told: what must be there in
// the end. Any goroutine may write into it.
type ledger struct {
	seed maphash.Seed

	mu     sync.Mutex
	chats  map[wire.ChatID]*page
	faults map[string]int // by kind
	deeds  map[string]int // what people did beside sending prompts, by kind
	errors []string       // what a client saw that cannot be
	conns  map[*websocket.Conn]time.Duration
}

// page is one chat's part.
type page struct {
	prompts map[string]bool          // by client id; false once somebody tried to remove it
	seen    map[wire.Position]uint64 // the hash of each event that a client saw, and in which epoch
	deleted bool
	rewound bool
}

func newLedger() *ledger {
	return &ledger{
		seed: maphash.MakeSeed(), chats: map[wire.ChatID]*page{},
		faults: map[string]int{}, deeds: map[string]int{}, conns: map[*websocket.Conn]time.Duration{},
	}
}

func (l *ledger) chatLocked(id wire.ChatID) *page {
	c := l.chats[id]
	if c == nil {
		c = &page{prompts: map[string]bool{}, seen: map[wire.Position]uint64{}}
		l.chats[id] = c
	}
	return c
}

func (l *ledger) change(id wire.ChatID, do func(*page)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do(l.chatLocked(id))
}

// sent notes a prompt that was acknowledged.
func (l *ledger) sent(id wire.ChatID, clientID string) {
	l.change(id, func(c *page) { c.prompts[clientID] = true })
}

// removed notes a prompt that somebody wants out of the queue.
func (l *ledger) removed(id wire.ChatID, clientID string) {
	l.change(id, func(c *page) { c.prompts[clientID] = false })
}

// deleted notes that somebody deletes a chat: from here on it may be gone, whatever
// becomes of the answer.
func (l *ledger) deleted(id wire.ChatID) { l.change(id, func(c *page) { c.deleted = true }) }

// rewound notes that somebody takes prompts out of a chat.
func (l *ledger) rewound(id wire.ChatID) { l.change(id, func(c *page) { c.rewound = true }) }

// saw notes an event. In an epoch one seq is one event for all. After a power cut
// a seq may be another event; that there was one the new epoch tells.
func (l *ledger) saw(id wire.ChatID, at wire.Position, sum uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.chatLocked(id)
	if was, ok := c.seen[at]; ok && was != sum {
		l.errors = append(l.errors, fmt.Sprintf("chat %s: event %s was seen as two", id, at))
	}
	c.seen[at] = sum
}

func (l *ledger) fault(kind string) { l.count(l.faults, kind) }
func (l *ledger) did(kind string)   { l.count(l.deeds, kind) }

func (l *ledger) count(in map[string]int, kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	in[kind]++
}

func (l *ledger) wrong(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errors = append(l.errors, fmt.Sprintf(format, args...))
}

// join adds a socket to those that faults may hit; the caller calls leave.
func (l *ledger) join(c *websocket.Conn) (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = 0
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.conns, c)
	}
}

// dropSockets cuts off about half of the sockets.
func (l *ledger) dropSockets() (n int) {
	l.mu.Lock()
	var hit []*websocket.Conn
	for c := range l.conns {
		if n++; n%2 == 1 {
			hit = append(hit, c)
		}
	}
	l.mu.Unlock()
	for _, c := range hit {
		_ = c.CloseNow() // that is the fault
	}
	return len(hit)
}

// slowOne makes one socket's reader slow for as long as it lives.
func (l *ledger) slowOne(rnd *rand.Rand) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		l.conns[c] = time.Duration(20+rnd.IntN(400)) * time.Millisecond
		return true
	}
	return false
}

func (l *ledger) pauseOf(c *websocket.Conn) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conns[c]
}
