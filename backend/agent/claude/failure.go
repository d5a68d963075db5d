package claude

import (
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
	r := t.result
	said := dialog.Clip(t.words())
	kind := r.APIErrorType
	if kind == "" {
		kind = t.failed.kind
	}
	switch {
	case r.TerminalReason == "prompt_too_long":
		return wire.Error{
			Code: dialog.CodeContextFull, Message: "The conversation no longer fits into the model's context. " + said,
			Hint: "Begin a new chat, or attach less.",
		}
	case t.sessionLost():
		return wire.Error{
			Code: dialog.CodeSessionLost, Message: "Claude Code no longer has this chat's session. " + said,
			Hint: "Send the prompt in a new chat.",
		}
	case r.APIErrorStatus == 401 || r.APIErrorStatus == 403:
		return wire.Error{
			Code: dialog.CodeKeyRefused, Message: "Anthropic refused the key or the sign-in. " + said,
			Hint: "Run `claude` in a terminal of this machine and sign in with /login, or correct the key in the settings.",
		}
	case t.failed.code == "authentication_failed":
		return wire.Error{
			Code: dialog.CodeNotSignedIn, Message: "Claude Code is not signed in.",
			Hint: signInHint,
		}
	case r.APIErrorStatus == 429 && (kind == "insufficient_quota" || strings.Contains(strings.ToLower(said), "quota")):
		return wire.Error{
			Code: dialog.CodeQuota, Message: "The account's quota is used up. " + said,
			Hint: "Check the plan and the billing of the account.",
		}
	case r.APIErrorStatus == 429 || t.failed.code == "rate_limit":
		e := wire.Error{
			Code: dialog.CodeRateLimited, Message: "Anthropic's limit is reached. " + said,
			Hint: "Send the prompt again in a while.", Retryable: true,
		}
		if !t.resets.IsZero() {
			e.Hint = "Send the prompt again after " + t.resets.Format("2006-01-02 15:04 UTC") + ", when the limit is lifted."
		}
		return e
	case r.APIErrorStatus == 529 || kind == "overloaded_error":
		return wire.Error{
			Code: dialog.CodeOverloaded, Message: "The model is overloaded. " + said,
			Hint: "Send the prompt again in a minute, or choose another model.", Retryable: true,
		}
	case r.APIErrorStatus == 404 || t.failed.code == "model_not_found":
		return wire.Error{
			Code: dialog.CodeModelUnknown, Message: "The model does not exist or is not open to this account. " + said,
			Hint: "Choose another model.",
		}
	case t.failed.code == "max_output_tokens":
		return wire.Error{
			Code: dialog.CodeOutputLimit, Message: "The answer was longer than the model may write. " + said,
			Hint: "Ask for a smaller part at a time.",
		}
	case r.StopReason == "refusal":
		return wire.Error{
			Code: dialog.CodeRefused, Message: "The model's safeguards stopped the answer. " + said,
			Hint: "Put the request in other words, or choose another model.",
		}
	case r.APIError == "connection_failed":
		return wire.Error{
			Code: dialog.CodeUnreachable, Message: "Claude Code could not reach Anthropic. " + said,
			Hint: "Check the network and the proxy settings, then send the prompt again.", Retryable: true,
		}
	case r.APIErrorStatus >= 500 || t.failed.code == "server_error":
		return wire.Error{
			Code: dialog.CodeServerError, Message: "The model's server failed. " + said,
			Hint: "Send the prompt again in a moment.", Retryable: true,
		}
	default:
		return wire.Error{
			Code: dialog.CodeFailed, Message: strings.TrimSpace("Claude Code ended the turn with an error. " + said),
			Hint: "Send the prompt again; if it fails again, try it in a terminal with `claude`.",
		}
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
