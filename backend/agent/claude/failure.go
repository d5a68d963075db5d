package claude

import (
	"fmt"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// The codes of what can go wrong in a run.
const (
	codeNotInstalled  = "not_installed"
	codeNotExecutable = "not_executable"
	codeFolderGone    = "folder_gone"
	codeStartFailed   = "start_failed"
	codeBadChoice     = "bad_choice"
	codeNotSignedIn   = "not_signed_in"
	codeKeyRefused    = "key_refused"
	codeQuota         = "quota"
	codeRateLimited   = "rate_limited"
	codeOverloaded    = "overloaded"
	codeServerError   = "server_error"
	codeUnreachable   = "unreachable"
	codeModelUnknown  = "model_unknown"
	codeContextFull   = "context_overflow"
	codeOutputLimit   = "output_limit"
	codeRefused       = "refused"
	codeSessionLost   = "session_lost"
	codeBadFlag       = "bad_flag"
	codeNoOutput      = "no_output"
	codeNoAnswer      = "no_answer"
	codeNotReading    = "not_reading"
	codeNoResult      = "no_result"
	codeKilled        = "killed"
	codeCrashed       = "crashed"
	codeFailed        = "failed"
	codeAdapter       = "adapter_fault"
	codeLeft          = "processes_left"
)

// ending is how a process ended, as the loop saw it.
type ending struct {
	exit      proc.Exit
	cancelled bool   // ctx ended while the turn was under way
	stopped   string // the code of the fault for which the loop stopped it; empty if it did not
}

// finish closes what is open and returns the last events of the run and its
// result. A run that failed has exactly one error among them.
func (t *translator) finish(e ending, now time.Time) ([]wire.Event, agent.Result) {
	res := agent.Result{Usage: t.usage.usage(t.model), Turn: t.turn}
	why := "The run ended before this tool did."
	if e.cancelled {
		why = "Stopped before it ended."
	}
	events := t.closeTools(why, now)

	switch {
	case e.stopped != "":
		return t.fail(events, res, stopError(e))
	case e.cancelled:
		res.Status = wire.StatusCancelled
		return events, res
	case t.result == nil:
		return t.fail(events, res, t.unfinished(e.exit))
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
	said := clip(t.words())
	kind := r.APIErrorType
	if kind == "" {
		kind = t.failed.kind
	}
	switch {
	case r.TerminalReason == "prompt_too_long":
		return wire.Error{
			Code: codeContextFull, Message: "The conversation no longer fits into the model's context. " + said,
			Hint: "Begin a new chat, or attach less.",
		}
	case t.sessionLost():
		return wire.Error{
			Code: codeSessionLost, Message: "Claude Code no longer has this chat's session. " + said,
			Hint: "Send the prompt in a new chat.",
		}
	case r.APIErrorStatus == 401 || r.APIErrorStatus == 403:
		return wire.Error{
			Code: codeKeyRefused, Message: "Anthropic refused the key or the sign-in. " + said,
			Hint: "Run `claude` in a terminal of this machine and sign in with /login, or correct the key in the settings.",
		}
	case t.failed.code == "authentication_failed":
		return wire.Error{
			Code: codeNotSignedIn, Message: "Claude Code is not signed in.",
			Hint: signInHint,
		}
	case r.APIErrorStatus == 429 && (kind == "insufficient_quota" || strings.Contains(strings.ToLower(said), "quota")):
		return wire.Error{
			Code: codeQuota, Message: "The account's quota is used up. " + said,
			Hint: "Check the plan and the billing of the account.",
		}
	case r.APIErrorStatus == 429 || t.failed.code == "rate_limit":
		e := wire.Error{
			Code: codeRateLimited, Message: "Anthropic's limit is reached. " + said,
			Hint: "Send the prompt again in a while.", Retryable: true,
		}
		if !t.resets.IsZero() {
			e.Hint = "Send the prompt again after " + t.resets.Format("2006-01-02 15:04 UTC") + ", when the limit is lifted."
		}
		return e
	case r.APIErrorStatus == 529 || kind == "overloaded_error":
		return wire.Error{
			Code: codeOverloaded, Message: "The model is overloaded. " + said,
			Hint: "Send the prompt again in a minute, or choose another model.", Retryable: true,
		}
	case r.APIErrorStatus == 404 || t.failed.code == "model_not_found":
		return wire.Error{
			Code: codeModelUnknown, Message: "The model does not exist or is not open to this account. " + said,
			Hint: "Choose another model.",
		}
	case t.failed.code == "max_output_tokens":
		return wire.Error{
			Code: codeOutputLimit, Message: "The answer was longer than the model may write. " + said,
			Hint: "Ask for a smaller part at a time.",
		}
	case r.StopReason == "refusal":
		return wire.Error{
			Code: codeRefused, Message: "The model's safeguards stopped the answer. " + said,
			Hint: "Put the request in other words, or choose another model.",
		}
	case r.APIError == "connection_failed":
		return wire.Error{
			Code: codeUnreachable, Message: "Claude Code could not reach Anthropic. " + said,
			Hint: "Check the network and the proxy settings, then send the prompt again.", Retryable: true,
		}
	case r.APIErrorStatus >= 500 || t.failed.code == "server_error":
		return wire.Error{
			Code: codeServerError, Message: "The model's server failed. " + said,
			Hint: "Send the prompt again in a moment.", Retryable: true,
		}
	default:
		return wire.Error{
			Code: codeFailed, Message: strings.TrimSpace("Claude Code ended the turn with an error. " + said),
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

// unfinished is the error of a process that ended without the end of a turn.
func (t *translator) unfinished(exit proc.Exit) wire.Error {
	said := lastLine(exit.Stderr)
	switch {
	case exit.Lost || exit.Signal != "" || exit.Code > 128:
		signal := exit.Signal
		switch {
		case exit.Lost:
			signal = "with its supervisor"
		case signal == "":
			signal = fmt.Sprintf("signal %d", exit.Code-128)
		}
		return wire.Error{
			Code: codeKilled, Message: "Claude Code was ended from outside (" + signal + ") before its turn was over.",
			Hint: "Send the prompt again: the session goes on. If it happens again, look whether the machine runs out of memory.", Retryable: true,
		}
	case exit.Code == 0 && t.lines == 0:
		return wire.Error{
			Code: codeNoOutput, Message: strings.TrimSpace("Claude Code ended without printing anything. " + said),
			Hint: "Run `claude` in a terminal of this machine to see whether it works there.",
		}
	case exit.Code == 0:
		return wire.Error{
			Code: codeNoResult, Message: strings.TrimSpace("Claude Code ended without finishing its turn. " + said),
			Hint: "Send the prompt again: the session goes on.", Retryable: true,
		}
	case strings.Contains(said, "unknown option") || strings.Contains(said, "is invalid. Allowed choices"):
		return wire.Error{
			Code: codeBadFlag, Message: "This version of Claude Code does not take the options that Signalbox gives it: " + said,
			Hint: "Update Signalbox, or install an earlier version of Claude Code.",
		}
	case !t.began:
		return wire.Error{
			Code:    codeStartFailed,
			Message: strings.TrimSpace(fmt.Sprintf("Claude Code ended at its start (exit code %d). %s", exit.Code, said)),
			Hint:    "Run `claude` in a terminal of this machine to see whether it works there.",
		}
	default:
		return wire.Error{
			Code:    codeCrashed,
			Message: strings.TrimSpace(fmt.Sprintf("Claude Code broke off in the middle of its turn (exit code %d). %s", exit.Code, said)),
			Hint:    "Send the prompt again: the session goes on.", Retryable: true,
		}
	}
}

// stopError is the error of a process that the loop had to stop.
func stopError(e ending) wire.Error {
	said := lastLine(e.exit.Stderr)
	switch e.stopped {
	case codeNoAnswer:
		return wire.Error{
			Code: codeNoAnswer, Message: strings.TrimSpace("Claude Code was started but did not answer. It was stopped. " + said),
			Hint: "Run `claude` in a terminal of this machine to see whether it works there.", Retryable: true,
		}
	case codeNotReading:
		return wire.Error{
			Code: codeNotReading, Message: "Claude Code no longer takes input. It was stopped.",
			Hint: "Send the prompt again: the session goes on.", Retryable: true,
		}
	default:
		return wire.Error{
			Code: e.stopped, Message: "Signalbox could not read what Claude Code printed, because of a fault of its own. The run was stopped.",
			Hint: "Please report this, with the daemon's log.",
		}
	}
}

// lastLine returns the last line of stderr that says something.
func lastLine(stderr string) string {
	lines := strings.Split(stderr, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if s := strings.TrimSpace(lines[i]); s != "" {
			return clip(s)
		}
	}
	return ""
}

// clip cuts words that are shown to a person.
func clip(s string) string {
	const limit = 500
	s = strings.TrimSpace(s)
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
