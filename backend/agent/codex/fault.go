package codex

import (
	"encoding/json"
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
		why := turnError{}
		if t.retries.why != nil {
			why = *t.retries.why
		}
		why.Info = json.RawMessage(`"responseStreamConnectionFailed"`)
		return fail(t.failure(&why))
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
		return fail(t.failure(t.end.Error))
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

// causes are the server's names of errors.
var causes = map[string]string{
	"usageLimitExceeded": dialog.CodeQuota, "sessionBudgetExceeded": dialog.CodeQuota,
	"contextWindowExceeded": dialog.CodeContextFull,
	"modelNotFound":         dialog.CodeModelUnknown,
	"serverOverloaded":      dialog.CodeOverloaded, "policyCapacityUnavailable": dialog.CodeOverloaded, "flexUnavailable": dialog.CodeOverloaded,
	"cyberPolicy": dialog.CodeRefused, "bioPolicy": dialog.CodeRefused, "misalignmentPolicyViolation": dialog.CodeRefused,
	"inferenceHookDenied": dialog.CodeRefused, "tooManyDenials": dialog.CodeRefused,
	"sandboxError":        dialog.CodeSandbox,
	"unauthorized":        dialog.CodeKeyRefused,
	"rateLimitExceeded":   dialog.CodeRateLimited,
	"internalServerError": dialog.CodeServerError,
}

// failure puts into words why a turn failed. The server's own words are kept
// where they say more than the code.
func (t *translator) failure(e *turnError) wire.Error {
	if e == nil {
		e = &turnError{}
	}
	code, said := cause(e), dialog.Clip(e.words())
	switch code {
	case dialog.CodeQuota, dialog.CodeRateLimited:
		// The limit of a plan is lifted at a time that is told, a quota is not.
		if lifted := t.lifted(); !lifted.IsZero() {
			return dialog.LiftedAt(t.program.Failure(dialog.CodeRateLimited, said), lifted)
		}
	case dialog.CodeContextFull:
		err := t.program.Failure(code, "")
		err.Hint = "Send the next prompt: Codex sums the conversation up first. Or begin a new chat."
		return err
	case dialog.CodeTooOld:
		said = "" // it lists all that it does know
	case dialog.CodeUnreachable:
		if e.Details != "" {
			said = dialog.Clip(e.Details)
		}
	}
	return t.program.Failure(code, said)
}

// lifted is when a limit that is used up is lifted; zero where none is known.
func (t *translator) lifted() time.Time {
	var last time.Time
	if t.limits != nil {
		for _, w := range []*window{t.limits.Primary, t.limits.Secondary} {
			if w != nil && w.UsedPercent >= 100 && w.ResetsAt > 0 {
				if at := time.Unix(w.ResetsAt, 0); at.After(last) {
					last = at
				}
			}
		}
	}
	return last
}

// cause tells why a turn failed.
func cause(e *turnError) string {
	said := e.words()
	name, status := e.kind()
	for words, code := range map[string]string{
		"active writer":                dialog.CodeSessionInUse,
		"unknown variant":              dialog.CodeTooOld, // a method that the server does not have
		"Missing environment variable": dialog.CodeNotSignedIn,
	} {
		if strings.Contains(said, words) {
			return code
		}
	}
	if code := causes[name]; code != "" {
		return code
	}
	if name == "badRequest" {
		status = http.StatusBadRequest
	}
	if code := byStatus(status); code != "" {
		return code
	}
	switch {
	case strings.Contains(said, "reason: max_output_tokens"):
		return dialog.CodeOutputLimit
	case strings.Contains(said, "reason: content_filter"):
		return dialog.CodeRefused
	case strings.HasPrefix(said, "stream disconnected"):
		return dialog.CodeServerError
	case name == "httpConnectionFailed" || name == "responseStreamConnectionFailed" || name == "responseStreamDisconnected":
		return dialog.CodeUnreachable
	}
	return dialog.CodeFailed
}

// byStatus is the cause of a request that the provider answered with an HTTP status;
// empty where it did not answer or did not say.
func byStatus(status int) string {
	const overloaded = 529
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return dialog.CodeKeyRefused
	case status == http.StatusTooManyRequests:
		return dialog.CodeRateLimited
	case status == overloaded || status == http.StatusServiceUnavailable:
		return dialog.CodeOverloaded
	case status >= http.StatusInternalServerError:
		return dialog.CodeServerError
	case status == http.StatusNotFound:
		return dialog.CodeModelUnknown
	case status >= http.StatusBadRequest:
		return dialog.CodeFailed
	default:
		return ""
	}
}
