package codex

import (
	"net/http"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// Finish implements [dialog.Translator].
func (t *translator) Finish(e dialog.Ending, now time.Time) ([]wire.Event, agent.Result) {
	res := agent.Result{Usage: t.usage(), Turn: t.turn}
	why := "The run ended before this did."
	if e.Cancelled {
		why = "Stopped before it ended."
	}
	var s dialog.Step
	t.closeTools(&s, why, now)
	fail := func(err wire.Error) ([]wire.Event, agent.Result) {
		res.Status, res.Code = wire.StatusFailed, err.Code
		return append(s.Events, err), res
	}
	switch {
	case e.Stopped == dialog.CodeUnreachable:
		return fail(unreachable(t.retries.why))
	case e.Stopped != "":
		return fail(t.program.Stopped(e))
	case t.end != nil && t.end.Status == turnFailed && t.end.Error == nil:
		t.end.Error = t.failed
	}
	switch {
	case e.Cancelled:
		res.Status = wire.StatusCancelled
	case t.end == nil:
		// Its log lines say nothing about an end.
		e.Exit.Stderr = withoutLog(e.Exit.Stderr)
		return fail(t.program.Unfinished(e.Exit, t.progress))
	case t.end.Status == turnCompleted:
		res.Status = wire.StatusOK
	case t.end.Status == turnInterrupted:
		res.Status = wire.StatusInterrupted
		res.Notice = "Codex was interrupted from outside Signalbox."
	default:
		return fail(failure(t.end.Error))
	}
	return s.Events, res
}

// withoutLog leaves the lines of the server's own log out of its stderr.
func withoutLog(stderr string) string {
	var kept []string
	for line := range strings.Lines(stderr) {
		if !strings.Contains(line, "codex_") || !strings.Contains(line, "Z") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// bundledSandbox tells the warning that the helper of the sandbox is not
// installed but comes with Codex.
func bundledSandbox(warning string) bool {
	return strings.Contains(warning, "bubblewrap") && strings.Contains(warning, "bundled")
}

// retrying is the notice that a request is tried again.
func retrying(e *turnError) string {
	words := dialog.Clip(e.Message)
	if words == "" {
		words = "Codex tries again."
	}
	if e.Details != "" {
		words += " (" + dialog.Clip(e.Details) + ")"
	}
	return words
}

// signIn is the next step for a person who is not signed in.
const signIn = "Run `codex login` in a terminal of this machine, or set OPENAI_API_KEY or the key of your provider under providers.codex.env in the settings."

// failure puts into words why a turn failed. The server's own words are kept
// where they say more than the code.
func failure(e *turnError) wire.Error {
	if e == nil {
		e = &turnError{}
	}
	said := dialog.Clip(e.words())
	name, status := e.kind()
	if strings.Contains(said, "active writer") {
		return wire.Error{
			Code: dialog.CodeSessionInUse, Message: join("Another Codex works in this session, so the prompt was not given.", said),
			Hint: "Close the other Codex, or wait until it has ended, then send the prompt again.", Retryable: true,
		}
	}
	switch name {
	case "usageLimitExceeded", "sessionBudgetExceeded":
		return wire.Error{
			Code: dialog.CodeQuota, Message: join("The account's limit is used up.", said),
			Hint: "Wait until the limit is lifted, or choose another agent.",
		}
	case "contextWindowExceeded":
		return wire.Error{
			Code: dialog.CodeContextFull, Message: "The conversation no longer fits into the model's context.",
			Hint: "Send the next prompt: Codex sums the conversation up first. Or begin a new chat.",
		}
	case "modelNotFound":
		return wire.Error{
			Code: dialog.CodeModelUnknown, Message: join("The model does not exist or is not open to this account.", said),
			Hint: "Choose another model.",
		}
	case "serverOverloaded", "policyCapacityUnavailable", "flexUnavailable":
		return wire.Error{
			Code: dialog.CodeOverloaded, Message: join("The model is overloaded.", said),
			Hint: "Send the prompt again in a minute, or choose another model.", Retryable: true,
		}
	case "cyberPolicy", "bioPolicy", "misalignmentPolicyViolation", "inferenceHookDenied", "tooManyDenials":
		return wire.Error{
			Code: dialog.CodeRefused, Message: join("The model's safeguards stopped the answer.", said),
			Hint: "Put the request in other words, or choose another model.",
		}
	case "sandboxError":
		return wire.Error{
			Code: "sandbox_failed", Message: join("The sandbox of Codex does not work on this machine.", said),
			Hint: "Install bubblewrap (on Debian: apt-get install bubblewrap), or choose Full Auto, which has no sandbox.",
		}
	case "unauthorized":
		status = http.StatusUnauthorized
	case "rateLimitExceeded":
		status = http.StatusTooManyRequests
	case "badRequest":
		status = http.StatusBadRequest
	case "internalServerError":
		status = http.StatusInternalServerError
	}
	return byStatus(name, status, said)
}

// byStatus is the failure of a request that the provider answered with an HTTP
// status; 0 where it did not answer or did not say.
func byStatus(name string, status int, said string) wire.Error {
	const overloaded = 529
	switch {
	case strings.HasPrefix(said, "Missing environment variable"):
		return wire.Error{
			Code: dialog.CodeNotSignedIn, Message: join("Codex has no key for its provider.", said), Hint: signIn,
		}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return wire.Error{
			Code: dialog.CodeKeyRefused, Message: join("The provider refused the key or the sign-in.", said), Hint: signIn,
		}
	case status == http.StatusTooManyRequests || name == "responseTooManyFailedAttempts" && status == 0:
		return wire.Error{
			Code: dialog.CodeRateLimited, Message: join("The provider's limit is reached.", said),
			Hint: "Send the prompt again in a while.", Retryable: true,
		}
	case status == overloaded || status == http.StatusServiceUnavailable:
		return wire.Error{
			Code: dialog.CodeOverloaded, Message: join("The provider is overloaded.", said),
			Hint: "Send the prompt again in a minute.", Retryable: true,
		}
	case status >= http.StatusInternalServerError:
		return wire.Error{
			Code: dialog.CodeServerError, Message: join("The model's server failed.", said),
			Hint: "Send the prompt again in a moment.", Retryable: true,
		}
	case status == http.StatusNotFound:
		return wire.Error{
			Code: dialog.CodeModelUnknown, Message: join("The provider does not know what was asked of it.", said),
			Hint: "Choose another model, or look at the provider's address in Codex's settings.",
		}
	case status >= http.StatusBadRequest:
		return wire.Error{
			Code: dialog.CodeFailed, Message: join("The provider refused the request.", said),
			Hint: "Choose another model, or look at Codex's settings on this machine.",
		}
	}
	switch {
	case strings.Contains(said, "reason: max_output_tokens"):
		return wire.Error{
			Code: dialog.CodeOutputLimit, Message: join("The answer was longer than the model may write.", said),
			Hint: "Ask for a smaller part at a time.",
		}
	case strings.Contains(said, "reason: content_filter"):
		return wire.Error{
			Code: dialog.CodeRefused, Message: join("The model's safeguards stopped the answer.", said),
			Hint: "Put the request in other words, or choose another model.",
		}
	case strings.HasPrefix(said, "stream disconnected"):
		return wire.Error{
			Code: dialog.CodeServerError, Message: join("The model's answer broke off.", said),
			Hint: "Send the prompt again in a moment.", Retryable: true,
		}
	case name == "httpConnectionFailed" || name == "responseStreamConnectionFailed" || name == "responseStreamDisconnected":
		return unreachable(&turnError{Message: said})
	}
	return wire.Error{
		Code: dialog.CodeFailed, Message: join("Codex ended the turn with an error.", said),
		Hint: "Send the prompt again; if it fails again, try it in a terminal with `codex`.", Retryable: true,
	}
}

// unreachable is the failure of a turn whose provider did not answer.
func unreachable(e *turnError) wire.Error {
	said := ""
	if e != nil {
		said = e.Message
		if e.Details != "" {
			said = e.Details
		}
	}
	return wire.Error{
		Code: dialog.CodeUnreachable, Message: join("Codex could not reach its provider.", dialog.Clip(said)),
		Hint: "Check the network and the proxy settings, then send the prompt again.", Retryable: true,
	}
}

func join(ours, said string) string { return strings.TrimSpace(ours + " " + said) }
