package runhub

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// host is what an agent may ask of the daemon during its run.
type host struct {
	run   *run
	heard atomic.Bool // the agent has said something
}

// Emit logs events. What only the daemon may say is refused.
func (h *host) Emit(evs ...wire.Event) error {
	for _, ev := range evs {
		switch ev.(type) {
		case wire.User, wire.RunStarted, wire.Approval, wire.ApprovalAnswered, wire.Question, wire.QuestionAnswered,
			wire.Complete, wire.Epoch, wire.Unknown, nil:
			return fmt.Errorf("an agent may not emit %T", ev)
		}
	}
	if len(evs) > 0 {
		h.arrived()
	}
	return h.run.sink.emit(evs...)
}

// Remark shows a passing frame.
func (h *host) Remark(f wire.Frame) {
	h.arrived()
	switch f := f.(type) {
	case wire.ToolUseInput:
		h.run.sink.remark(slotKey{kind: f.Type(), id: f.ToolID}, f)
	case wire.RunUsage:
		f.Run = h.run.id
		h.run.told.Store(&f.Usage)
		h.run.spent(&f.Usage)
		h.run.sink.remark(slotKey{kind: f.Type()}, f)
	}
}

// Keep keeps bytes beside the log.
func (h *host) Keep(body []byte) (wire.BlobRef, error) {
	blob, err := h.run.room.log.NewBlob()
	if err != nil {
		return wire.BlobRef{}, err
	}
	if _, err := blob.Write(body); err != nil {
		return wire.BlobRef{}, errors.Join(err, blob.Abort())
	}
	return blob.Commit()
}

// Ask answers by the mode's rule, by a rule of the chat, or has people answer,
// and logs both the request and the answer. There is no time-out: it waits until
// somebody answers, ctx ends or the run does.
func (h *host) Ask(ctx context.Context, ask agent.Ask) (agent.Answer, error) {
	if ctx.Err() != nil {
		return agent.Answer{}, context.Cause(ctx)
	}
	h.arrived()
	return h.run.desk.ask(ctx, ask)
}

// arrived notes the first sign of life: the run was starting until now.
func (h *host) arrived() {
	if !h.heard.Load() && h.heard.CompareAndSwap(false, true) {
		h.run.room.enter(h.run, wire.PhaseRunning)
	}
}
