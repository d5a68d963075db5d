package runhub

import (
	"context"
	"time"
)

const (
	// tidyEvery is how often the hub removes what is kept no longer.
	tidyEvery = 24 * time.Hour
	// restAfter is how long a chat's fold is kept in memory after it was needed.
	restAfter = time.Hour
)

// tidy removes what is kept no longer, now and every day, and lets go of what is
// not needed, until ctx ends.
func (h *Hub) tidy(ctx context.Context) {
	daily, hourly := time.NewTicker(tidyEvery), time.NewTicker(restAfter)
	defer daily.Stop()
	defer hourly.Stop()
	h.Tidy(ctx, time.Now())
	for {
		select {
		case <-daily.C:
			h.Tidy(ctx, time.Now())
		case <-hourly.C:
			h.rest(time.Now().Add(-restAfter))
		case <-ctx.Done():
			return
		}
	}
}

// Tidy removes what is kept no longer at the time now: rewound events after 7
// days, deleted chats after 30. What fails is logged, and tried again the next
// time, as is what ctx's end left.
func (h *Hub) Tidy(ctx context.Context, now time.Time) {
	if err := h.logs.Expire(ctx, now); err != nil && ctx.Err() == nil {
		h.log.Error("rewound events not removed", "err", err)
	}
	if err := h.chats.Tidy(ctx, now); err != nil && ctx.Err() == nil {
		h.log.Error("deleted chats not removed", "err", err)
	}
}

// rest lets go of the folds that were not needed since: the logs have it all.
func (h *Hub) rest(since time.Time) {
	h.mu.Lock()
	rooms := make([]*room, 0, len(h.rooms))
	for _, r := range h.rooms {
		rooms = append(rooms, r)
	}
	h.mu.Unlock()
	for _, r := range rooms {
		r.mu.Lock()
		if r.run == nil && r.used.Before(since) {
			r.state, r.cuts = nil, map[uint64]cutText{}
		}
		r.mu.Unlock()
	}
}
