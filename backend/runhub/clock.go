package runhub

import (
	"context"
	"sync"
	"time"

	"signalbox/backend/wire"
)

// clock holds when queues move on by themselves. Its goroutine is that of
// [Hub.Run].
type clock struct {
	// kicked holds one value when at was changed. Whoever changes it sends and
	// never waits.
	kicked chan struct{}

	mu sync.Mutex
	at map[wire.ChatID]time.Time
}

func newClock() *clock {
	return &clock{kicked: make(chan struct{}, 1), at: map[wire.ChatID]time.Time{}}
}

// set notes when the chat's time has come; nil is never.
func (c *clock) set(chat wire.ChatID, at *wire.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at == nil {
		delete(c.at, chat)
		return
	}
	c.at[chat] = at.Time
	select {
	case c.kicked <- struct{}{}:
	default:
	}
}

// run tells due of each chat whose time has come, until ctx ends.
func (c *clock) run(ctx context.Context, due func(wire.ChatID)) {
	// A machine that sleeps or whose clock is set is looked at again soon.
	const most = time.Minute
	for {
		chats, wait := c.take(time.Now())
		for _, chat := range chats {
			due(chat)
		}
		timer := time.NewTimer(min(wait, most))
		select {
		case <-timer.C:
		case <-c.kicked:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// take returns the chats whose time has come, and how long it is to the next.
func (c *clock) take(now time.Time) (due []wire.ChatID, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait = time.Hour
	for chat, at := range c.at {
		if left := at.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		due = append(due, chat)
		delete(c.at, chat)
	}
	return due, wait
}

// due makes the chat's queue move on, if its time has come now.
func (h *Hub) due(ctx context.Context, chat wire.ChatID, now time.Time) {
	room, err := h.room(chat)
	if err != nil {
		h.log.Error("queue does not move on", "chat", chat, "err", err)
		return
	}
	room.door.Lock()
	defer room.door.Unlock()
	p := room.queue.Paused()
	if p == nil || p.Until == nil || p.Until.After(now) || h.stopping() {
		return
	}
	// Not saved: the next daemon finds that it is due, until a prompt was sent.
	room.setQueue(room.queue.Resume())
	room.advance(ctx)
}
