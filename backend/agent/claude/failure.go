package claude

import (
	"net/http"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// Finish implements [dialog.Translator]. Of a session that was lost there is
// nothing to tell yet: the prompt is given again.
func (t *translator) Finish(e dialog.Ending, now time.Time) ([]wire.Event, agent.Result) {
	if t.sessionLost() && !e.Cancelled && e.Stopped == "" && len(e.Exit.Left) == 0 {
		t.lost = true
		return nil, agent.Result{}
	}
	res := agent.Result{Usage: t.usage.usage(t.model), Turn: t.turn}
	why := "The run ended before this tool did."
	if e.Cancelled {
		why = "Stopped before it ended."
	}
	events := t.closeTools(why, now)

	switch {
	case e.Stopped != "":
		return t.fail(events, res, t.program.Stopped(e))
	case e.Cancelled:
		res.Status = wire.StatusCancelled
		return events, res
	case t.result == nil:
		return t.fail(events, res, t.program.Unfinished(e.Exit, dialog.Progress{Spoke: t.spoke, Began: t.began}))
	case !t.result.IsError:
		res.Status = wire.StatusOK
		return events, res
	case t.result.Subtype == "error_max_turns":
		res.Status = wire.StatusMaxIterations
		res.Notice = "Claude Code stopped at its limit of turns. Send a prompt to go on."
		return events, res
	case strings.HasPrefix(t.result.TerminalReason, "aborted"):
		res.Status = wire.StatusInterrupted
		res.Notice = "Claude Code was interrupted from outside Signalbox."
		return events, res
	default:
		return t.fail(events, res, t.vendorError())
	}
}

func (t *translator) fail(events []wire.Event, res agent.Result, e wire.Error) ([]wire.Event, agent.Result) {
	res.Status, res.Code = wire.StatusFailed, e.Code
	return append(events, e), res
}

// vendorError is the error of a turn that ended with one.
func (t *translator) vendorError() wire.Error {
	code := t.cause()
	said := dialog.Clip(t.words())
	if code == dialog.CodeNotSignedIn {
		said = "" // it tells what to type into the CLI
	}
	e := t.program.Failure(code, said)
	if code == dialog.CodeRateLimited {
		e = dialog.LiftedAt(e, t.resets)
	}
	return e
}

// cause tells why a turn failed.
func (t *translator) cause() string {
	const overloaded = 529
	r, kind := t.result, t.result.APIErrorType
	if kind == "" {
		kind = t.failed.kind
	}
	quota := kind == "insufficient_quota" || strings.Contains(strings.ToLower(t.words()), "quota")
	switch status := r.APIErrorStatus; {
	case r.TerminalReason == "prompt_too_long":
		return dialog.CodeContextFull
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return dialog.CodeKeyRefused
	case t.failed.code == "authentication_failed":
		return dialog.CodeNotSignedIn
	case status == http.StatusTooManyRequests && quota && t.resets.IsZero():
		return dialog.CodeQuota
	case status == http.StatusTooManyRequests || t.failed.code == "rate_limit":
		return dialog.CodeRateLimited
	case status == overloaded || kind == "overloaded_error":
		return dialog.CodeOverloaded
	case status == http.StatusNotFound || t.failed.code == "model_not_found":
		return dialog.CodeModelUnknown
	case t.failed.code == "max_output_tokens":
		return dialog.CodeOutputLimit
	case r.StopReason == "refusal":
		return dialog.CodeRefused
	case r.APIError == "connection_failed":
		return dialog.CodeUnreachable
	case status >= http.StatusInternalServerError || t.failed.code == "server_error":
		return dialog.CodeServerError
	default:
		return dialog.CodeFailed
	}
}

// words returns what the CLI itself says about the failure.
func (t *translator) words() string {
	if t.result.Result != "" {
		return t.result.Result
	}
	for _, s := range t.result.Errors {
		if !strings.HasPrefix(s, "[ede_diagnostic]") { // a note for its makers
			return s
		}
	}
	return t.failed.text
}
