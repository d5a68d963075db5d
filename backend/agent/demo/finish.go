package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// usageModel tells that the usage is an estimate.
const usageModel = "script (counts characters)"

// notStarted is the verdict on a run whose process could not be started.
func notStarted(ctx context.Context, host agent.Host, err error) (agent.Result, error) {
	if ctx.Err() != nil {
		return agent.Result{Status: wire.StatusCancelled}, nil
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return agent.Result{}, fmt.Errorf("start the demo agent: %w", err)
	}
	told := wire.Error{Code: "start_failed", Message: "The demo agent was not started. " + f.Message, Hint: f.Hint}
	return agent.Result{Status: wire.StatusFailed, Code: told.Code}, host.Emit(told)
}

// finish closes what is open and gives the verdict.
func (r *run) finish(ctx context.Context, exit proc.Exit, readErr error) (agent.Result, error) {
	if readErr != nil {
		return agent.Result{}, fmt.Errorf("read the demo agent: %w", readErr)
	}
	res := r.verdict(ctx, exit)
	for id, tool := range r.open {
		end := wire.ToolUseEnd{
			ToolID: id, Name: tool.name, Output: "It was stopped before its end.",
			MS: time.Since(tool.since).Milliseconds(),
		}
		if err := r.host.Emit(end); err != nil {
			return agent.Result{}, err
		}
	}
	if res.Status == wire.StatusFailed {
		if err := r.host.Emit(*r.failed); err != nil {
			return agent.Result{}, err
		}
		res.Code = r.failed.Code
	}
	if len(exit.Left) > 0 {
		return res, fmt.Errorf("end the demo agent: %d processes are left", len(exit.Left))
	}
	return res, nil
}

// verdict tells how the run ended. Where it failed, r.failed says why.
func (r *run) verdict(ctx context.Context, exit proc.Exit) agent.Result {
	res := agent.Result{Turn: r.session}
	if r.end != nil && r.end.Usage != nil {
		// Characters stand for tokens, as the model's name says; it costs nothing,
		// so there is no cost to show.
		res.Usage = &wire.Usage{Input: r.end.Usage.Input, Output: r.end.Usage.Output, Model: usageModel}
	}
	switch {
	case ctx.Err() != nil:
		res.Status = wire.StatusCancelled
	case r.end != nil && r.end.Status == wire.StatusOK:
		res.Status = wire.StatusOK
	case r.end != nil && r.failed != nil:
		res.Status = wire.StatusFailed
	default:
		res.Status = wire.StatusFailed
		r.failed = &wire.Error{
			Code:      "agent_died",
			Message:   "The demo agent ended in the middle of its answer" + because(exit) + ".",
			Hint:      "Send the prompt again.",
			Retryable: true,
		}
	}
	return res
}

// because tells in words what ended a process.
func because(exit proc.Exit) string {
	lines := strings.Split(strings.TrimSpace(exit.Stderr), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	switch {
	case exit.Signal != "":
		return fmt.Sprintf(" (signal: %s)", exit.Signal)
	case last != "":
		return fmt.Sprintf(" (exit code %d: %.200s)", exit.Code, last)
	default:
		return fmt.Sprintf(" (exit code %d)", exit.Code)
	}
}
