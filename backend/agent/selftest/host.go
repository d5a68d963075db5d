package selftest

import (
	"context"
	"strings"
	"sync"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// host keeps what an agent says. It is read when the turn has ended.
type host struct {
	allow   bool // the answer to what is asked
	emitted func(wire.Event)

	mu sync.Mutex

	text    strings.Builder
	session string
	asked   int
	tool    *wire.ToolUseEnd // the last one
	failure *wire.Error
}

// Emit implements [agent.Host].
func (h *host) Emit(evs ...wire.Event) error {
	for _, ev := range evs {
		h.take(ev)
		h.emitted(ev)
	}
	return nil
}

func (h *host) take(ev wire.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e := ev.(type) {
	case wire.AssistantText:
		h.text.WriteString(e.Delta + e.Final)
	case wire.Session:
		h.session = e.SessionID
	case wire.ToolUseEnd:
		h.tool = &e
	case wire.Error:
		h.failure = &e
	}
}

// Remark implements [agent.Host].
func (h *host) Remark(wire.Frame) {}

// Keep implements [agent.Host]: nothing is kept.
func (h *host) Keep(body []byte) (wire.BlobRef, error) {
	return wire.BlobRef{Bytes: int64(len(body))}, nil
}

// Ask implements [agent.Host].
func (h *host) Ask(_ context.Context, ask agent.Ask) (agent.Answer, error) {
	if ask.ReadOnly {
		return agent.Answer{Allow: true}, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	return agent.Answer{Allow: h.allow, Reason: "Signalbox tests whether a no holds."}, nil
}
