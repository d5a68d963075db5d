package kimi

import (
	"encoding/json"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/agent/jsonrpc"
	"signalbox/backend/wire"
)

// signIn is the next step for a person who is not signed in.
const signIn = "Run `kimi login` in a terminal of this machine, or set up a provider in Kimi Code's config.toml."

// Finish implements [dialog.Translator].
func (t *translator) Finish(e dialog.Ending, now time.Time) ([]wire.Event, agent.Result) {
	res := agent.Result{Usage: t.usage()}
	why := "The run ended before this did."
	if e.Cancelled {
		why = "Stopped before it ended."
	}
	if !t.endedAt.IsZero() {
		now = t.endedAt // what came after was only waiting
	}
	events := t.closeTools(why, now)
	fail := func(err wire.Error) ([]wire.Event, agent.Result) {
		res.Status, res.Code = wire.StatusFailed, err.Code
		return append(events, err), res
	}
	recorded := t.record != nil && t.record.ended
	switch {
	case e.Stopped != "":
		return fail(t.program.Stopped(e))
	case t.refused != nil:
		return fail(t.refusal())
	case e.Cancelled && (t.end == nil || t.end.Reason == endCancelled):
		res.Status = wire.StatusCancelled
	case t.end == nil:
		err := t.program.Unfinished(e.Exit, t.progress)
		if said := oldNode(e.Exit.Stderr); said != "" && !t.progress.Spoke {
			err.Message, err.Hint = said, nodeHint
		}
		return fail(err)
	case recorded && t.record.reason == "failed":
		return fail(failure(t.record.err))
	}
	if res.Status != "" {
		return events, res
	}
	reason := t.end.Reason
	if recorded && t.record.finish == endMaxTokens {
		reason = endMaxTokens // the protocol says that all is well
	}
	switch reason {
	case endMaxTokens:
		return fail(wire.Error{
			Code: dialog.CodeOutputLimit, Message: "The answer was longer than the model may write.",
			Hint: "Ask for a smaller part at a time.",
		})
	case endRefusal:
		return fail(wire.Error{
			Code: dialog.CodeRefused, Message: "The model's safeguards stopped the answer.",
			Hint: "Put the request in other words, or choose another model.",
		})
	case endMaxRequests:
		res.Status = wire.StatusMaxIterations
		res.Notice = "Kimi Code stopped at its limit of steps. Send a prompt to go on."
	case endCancelled:
		res.Status = wire.StatusInterrupted
		res.Notice = "Kimi Code was interrupted from outside Signalbox."
	default:
		if !recorded && t.items == 0 && t.order == 0 {
			// It says that all is well when it is not; the reason would be in
			// its record.
			return fail(wire.Error{
				Code: dialog.CodeNoResult, Message: "Kimi Code ended the turn without an answer and without a reason.",
				Hint: "Send the prompt again; if it fails again, try it in a terminal with `kimi`.", Retryable: true,
			})
		}
		res.Status = wire.StatusOK
	}
	return events, res
}

// usage is what the CLI recorded of the turn; nil where it recorded nothing.
func (t *translator) usage() *wire.Usage {
	u := t.used
	if u == (wire.Usage{}) {
		return nil
	}
	u.Model = t.session.option("model").name()
	u.Context, u.ContextMax = t.context.used, t.context.size
	return &u
}

// words is what the CLI says of a refusal.
func words(e *jsonrpc.Error) string {
	said := e.Message
	var data struct {
		Details string `json:"details"`
	}
	if json.Unmarshal(e.Data, &data) == nil && data.Details != "" {
		said = data.Details
	}
	return dialog.Clip(said)
}

// authRequired is the protocol's code for a sign-in that is missing.
const authRequired = -32000

// refusal is the error of a request that the CLI did not take.
func (t *translator) refusal() wire.Error {
	said := words(t.refused)
	switch {
	case t.refused.Code == authRequired && t.doing == "prompt":
		return failure(recordError{Code: "provider.auth_error", Message: strings.TrimPrefix(said, "Authentication required: ")})
	case t.refused.Code == authRequired:
		return wire.Error{Code: dialog.CodeNotSignedIn, Message: "Kimi Code is not signed in and has no model.", Hint: signIn}
	case t.doing == "model":
		return wire.Error{
			Code: dialog.CodeModelUnknown, Message: join("Kimi Code does not know the model.", said),
			Hint: "Choose another model, or add it to Kimi Code's config.toml.",
		}
	case t.doing == "mode":
		return wire.Error{
			Code: dialog.CodeBadFlag, Message: join("This version of Kimi Code does not take the mode that keeps the run in its limits, so the prompt was not given.", said),
			Hint: "Update Signalbox, or install an earlier version of Kimi Code.",
		}
	case t.doing == "session":
		return wire.Error{
			Code: dialog.CodeStartFailed, Message: join("Kimi Code opened no session.", said),
			Hint: "Run `kimi` in a terminal of this machine to see whether it works there.",
		}
	default:
		return wire.Error{
			Code: dialog.CodeFailed, Message: join("Kimi Code did not take the prompt.", said),
			Hint: "Send the prompt again; if it fails again, try it in a terminal with `kimi`.", Retryable: true,
		}
	}
}

// failure puts into words why a turn failed, as the CLI recorded it.
func failure(e recordError) wire.Error {
	said := dialog.Clip(e.Message)
	switch e.Code {
	case "provider.auth_error":
		return wire.Error{Code: dialog.CodeKeyRefused, Message: join("The provider refused the key or the sign-in.", said), Hint: signIn}
	case "provider.rate_limit":
		if quota(said) {
			return noQuota(said)
		}
		return wire.Error{
			Code: dialog.CodeRateLimited, Message: join("The provider's limit is reached.", said),
			Hint: "Send the prompt again in a while.", Retryable: true,
		}
	case "provider.overloaded":
		return overloaded(said)
	case "provider.connection_error":
		return wire.Error{
			Code: dialog.CodeUnreachable, Message: join("Kimi Code could not reach its provider, or the connection broke off.", said),
			Hint: "Check the network and the proxy settings, then send the prompt again.", Retryable: true,
		}
	case "provider.filtered":
		return wire.Error{
			Code: dialog.CodeRefused, Message: join("The model's safeguards stopped the answer.", said),
			Hint: "Put the request in other words, or choose another model.",
		}
	case "context.overflow":
		return wire.Error{
			Code: dialog.CodeContextFull, Message: join("The conversation no longer fits into the model's context.", said),
			Hint: "Begin a new chat, or send /compact.",
		}
	}
	switch status, _, _ := strings.Cut(said, " "); {
	case quota(said):
		return noQuota(said)
	case status == "401" || status == "403":
		return wire.Error{Code: dialog.CodeKeyRefused, Message: join("The provider refused the key or the sign-in.", said), Hint: signIn}
	case status == "404":
		return wire.Error{
			Code: dialog.CodeModelUnknown, Message: join("The model does not exist or is not open to this account.", said),
			Hint: "Choose another model.",
		}
	case status == "503" || status == "529":
		return overloaded(said)
	case strings.HasPrefix(status, "5") && len(status) == 3, strings.HasPrefix(e.Code, "provider.") && !strings.HasPrefix(status, "4"):
		return wire.Error{
			Code: dialog.CodeServerError, Message: join("The model's server failed.", said),
			Hint: "Send the prompt again in a moment.", Retryable: true,
		}
	default:
		return wire.Error{
			Code: dialog.CodeFailed, Message: join("Kimi Code ended the turn with an error.", said),
			Hint: "Send the prompt again; if it fails again, try it in a terminal with `kimi`.", Retryable: true,
		}
	}
}

func overloaded(said string) wire.Error {
	return wire.Error{
		Code: dialog.CodeOverloaded, Message: join("The provider is overloaded.", said),
		Hint: "Send the prompt again in a minute.", Retryable: true,
	}
}

func quota(said string) bool { return strings.Contains(strings.ToLower(said), "quota") }

func noQuota(said string) wire.Error {
	return wire.Error{
		Code: dialog.CodeQuota, Message: join("The account's quota is used up.", said),
		Hint: "Check the plan and the billing of the account.",
	}
}

func join(ours, said string) string { return strings.TrimSpace(ours + " " + said) }
