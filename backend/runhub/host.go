package runhub

import (
	"context"
	"fmt"
	"sync/atomic"

	"signalbox/backend/agent"
	"signalbox/backend/internal/id"
	"signalbox/backend/permission"
	"signalbox/backend/wire"
)

// host is what an agent may ask of the daemon during its run.
type host struct {
	run   *run
	heard atomic.Bool // the agent has said something
}

// Emit logs an event. What only the daemon may say is refused.
func (h *host) Emit(ev wire.Event) error {
	switch ev.(type) {
	case wire.User, wire.RunStarted, wire.Approval, wire.ApprovalAnswered, wire.Complete, wire.Epoch, wire.Unknown, nil:
		return fmt.Errorf("an agent may not emit %T", ev)
	}
	h.arrived()
	return h.run.sink.emit(ev)
}

// Remark shows a passing frame.
func (h *host) Remark(f wire.Frame) {
	h.arrived()
	if input, ok := f.(wire.ToolUseInput); ok {
		h.run.sink.remark(slotKey{kind: input.Type(), id: input.ToolID}, input)
	}
}

// Ask answers by the mode's rule and logs both, so that people see what was
// allowed and what was not.
func (h *host) Ask(ctx context.Context, ask agent.Ask) (agent.Answer, error) {
	if ctx.Err() != nil {
		return agent.Answer{}, context.Cause(ctx)
	}
	h.arrived()
	decision := permission.Decide(h.run.selection.Mode, ask)
	answer := decision.Answer()
	approval := wire.Approval{
		ApprovalID: id.New("ap_"), ToolID: ask.ToolID, ParentToolID: ask.ParentToolID,
		Kind: ask.Kind, Title: ask.Title, Detail: ask.Detail, Cwd: ask.Cwd, Paths: ask.Paths,
		Options: []wire.ApprovalOption{wire.OptionOnce, wire.OptionDeny},
	}
	answered := wire.ApprovalAnswered{
		ApprovalID: approval.ApprovalID, Option: wire.OptionDeny, Auto: true, Reason: decision.Reason,
	}
	if answer.Allow {
		answered.Option = wire.OptionOnce
	}
	if err := h.run.sink.emit(approval, answered); err != nil {
		return agent.Answer{}, err
	}
	return answer, nil
}

// arrived notes the first sign of life: the run was starting until now.
func (h *host) arrived() {
	if !h.heard.Load() && h.heard.CompareAndSwap(false, true) {
		h.run.room.enter(h.run, wire.PhaseRunning)
	}
}
