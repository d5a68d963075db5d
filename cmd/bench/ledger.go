//go:build linux

package main

import (
	"fmt"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"slices"
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
	kinds  map[string]int // faults and changes, by kind
	errors []string       // what a client saw that cannot be
	conns  map[*websocket.Conn]time.Duration
}

// page is one chat's part.
type page struct {
	prompts map[string]bool   // by client id; false once somebody tried to remove it
	seen    map[uint64]uint64 // the hash of each event that a client saw
	deleted bool
	rewound bool
}

func newLedger() *ledger {
	return &ledger{
		seed: maphash.MakeSeed(), chats: map[wire.ChatID]*page{},
		kinds: map[string]int{}, conns: map[*websocket.Conn]time.Duration{},
	}
}

func (l *ledger) chatLocked(id wire.ChatID) *page {
	c := l.chats[id]
	if c == nil {
		c = &page{prompts: map[string]bool{}, seen: map[uint64]uint64{}}
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

// hangUp ends all sockets and waits until nobody reads from one: a slow client may
// have what the daemon sent long before it died.
func (l *ledger) hangUp() {
	for {
		l.mu.Lock()
		conns := slices.Collect(maps.Keys(l.conns))
		l.mu.Unlock()
		if len(conns) == 0 {
			return
		}
		for _, c := range conns {
			_ = c.CloseNow() // that is the fault
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// powerCut forgets the events that were seen: those that were not durable may be
// gone, which a new epoch tells. What was acknowledged stays.
func (l *ledger) powerCut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.chats {
		clear(c.seen)
	}
}

func (l *ledger) deleted(id wire.ChatID) { l.change(id, func(c *page) { c.deleted = true }) }
func (l *ledger) rewound(id wire.ChatID) { l.change(id, func(c *page) { c.rewound = true }) }

// saw notes an event. One seq is one event for all, for ever.
func (l *ledger) saw(id wire.ChatID, seq, sum uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.chatLocked(id)
	if was, ok := c.seen[seq]; ok && was != sum {
		l.errors = append(l.errors, fmt.Sprintf("chat %s: event %d was seen as two", id, seq))
	}
	c.seen[seq] = sum
}

func (l *ledger) fault(kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kinds[kind]++
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
