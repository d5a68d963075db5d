package kimi

import (
	"encoding/json"
	"net/http"
	"strconv"
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
			err = wire.Error{Code: dialog.CodeTooOld, Message: said, Hint: nodeHint}
		}
		return fail(err)
	case recorded && t.record.reason == "failed":
		return fail(t.failure(t.record.err))
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
		return fail(t.program.Failure(dialog.CodeOutputLimit, ""))
	case endRefusal:
		return fail(t.program.Failure(dialog.CodeRefused, ""))
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
		return t.failure(recordError{Code: "provider.auth_error", Message: strings.TrimPrefix(said, "Authentication required: ")})
	case t.refused.Code == authRequired:
		return t.program.Failure(dialog.CodeNotSignedIn, "")
	case t.refused.Code == jsonrpc.MethodNotFound, t.doing == "mode":
		// Without the mode that keeps the run in its limits no prompt is given.
		return t.program.Failure(dialog.CodeBadFlag, said)
	case t.doing == "model":
		return t.program.Failure(dialog.CodeModelUnknown, said)
	case t.doing == "session":
		return wire.Error{
			Code: dialog.CodeStartFailed, Message: strings.TrimSpace("Kimi Code opened no session. " + said),
			Hint: "Run `kimi` in a terminal of this machine to see whether it works there.",
		}
	default:
		return t.program.Failure(dialog.CodeFailed, said)
	}
}

// failure puts into words why a turn failed, as the CLI recorded it.
func (t *translator) failure(e recordError) wire.Error {
	said := dialog.Clip(e.Message)
	return t.program.Failure(cause(e.Code, said), said)
}

// causes are the CLI's names of errors.
var causes = map[string]string{
	"provider.auth_error":       dialog.CodeKeyRefused,
	"provider.rate_limit":       dialog.CodeRateLimited,
	"provider.overloaded":       dialog.CodeOverloaded,
	"provider.connection_error": dialog.CodeUnreachable,
	"provider.filtered":         dialog.CodeRefused,
	"context.overflow":          dialog.CodeContextFull,
	"turn.agent_busy":           dialog.CodeSessionInUse,
}

// cause tells why a turn failed: by the CLI's name for it, or the HTTP status with
// which the provider's words begin.
func cause(name, said string) string {
	word, _, _ := strings.Cut(said, " ")
	status, _ := strconv.Atoi(word) // 0 for another word
	const overloaded = 529
	code := causes[name]
	switch {
	case (code == "" || code == dialog.CodeRateLimited) && strings.Contains(strings.ToLower(said), "quota"):
		return dialog.CodeQuota
	case code != "":
		return code
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return dialog.CodeKeyRefused
	case status == http.StatusNotFound:
		return dialog.CodeModelUnknown
	case status == http.StatusTooManyRequests:
		return dialog.CodeRateLimited
	case status == http.StatusServiceUnavailable || status == overloaded:
		return dialog.CodeOverloaded
	case status >= http.StatusInternalServerError && status < 600, strings.HasPrefix(name, "provider.") && status < http.StatusBadRequest:
		return dialog.CodeServerError
	default:
		return dialog.CodeFailed
	}
}
