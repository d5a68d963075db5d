package runhub

import (
	"context"
	"time"

	"signalbox/backend/wire"
)

// Due makes the chat's queue move on as if it were at, where its time has come.
func (h *Hub) Due(chat wire.ChatID, at time.Time) {
	<-h.running
	h.due(context.Background(), chat, at)
}
