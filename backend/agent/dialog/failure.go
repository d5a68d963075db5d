package dialog

import (
	"strings"
	"time"

	"signalbox/backend/wire"
)

// failure is what is said of a cause of failure.
type failure struct {
	// message is what happened; {name} and {vendor} stand for the program's.
	message string
	// hint is one next step. Whether the session goes on is said there.
	hint      string
	retryable bool
}

// failures are the ways in which a turn of any CLI fails at its vendor.
var failures = map[string]failure{
	CodeNotSignedIn: {"{name} is not signed in.", "{sign-in} Then send the prompt again.", false},
	CodeKeyRefused:  {"{vendor} refused the key or the sign-in.", "{sign-in} Then send the prompt again: the session goes on.", false},
	CodeQuota: {
		"The account's quota is used up.",
		"Check the plan and the billing of the account, or go on with another agent. The session is kept.", false,
	},
	CodeRateLimited: {"{vendor}'s limit is reached.", "Send the prompt again in a while: the session goes on.", true},
	CodeOverloaded: {
		"The model is overloaded.", "Send the prompt again in a minute, or choose another model: the session goes on.", true,
	},
	CodeServerError: {"The model's server failed.", "Send the prompt again in a moment: the session goes on.", true},
	CodeUnreachable: {
		"{name} could not reach {vendor}, or the connection broke off.",
		"Check the network and the proxy settings, then send the prompt again: the session goes on.", true,
	},
	CodeModelUnknown: {
		"The model does not exist or is not open to this account.",
		"Choose another model, then send the prompt again: the session goes on.", false,
	},
	CodeContextFull: {
		"The conversation no longer fits into the model's context.",
		"Begin a new chat, or rewind to an earlier prompt and attach less.", false,
	},
	CodeOutputLimit: {
		"The answer was longer than the model may write.", "Ask for a smaller part at a time: the session goes on.", false,
	},
	CodeRefused: {
		"The model's safeguards stopped the answer.",
		"Put the request in other words, or choose another model: the session goes on.", false,
	},
	CodeSessionInUse: {
		"Another {name} works in this chat's session, so the prompt was not given.",
		"Close the other one or wait until it has ended, then send the prompt again: the session goes on.", true,
	},
	CodeSandbox: {
		"The sandbox of {name} does not work on this machine, so nothing was run.",
		"Install bubblewrap (on Debian: apt-get install bubblewrap) and allow user namespaces, or choose Full Auto, which has no sandbox.", false,
	},
	CodeBadFlag: {
		"This version of {name} does not take what Signalbox asks of it.",
		"Update Signalbox, or install an earlier version of {name}. The session is kept.", false,
	},
	CodeTooOld: {
		"This version of {name} is too old for Signalbox.", "Update it: {install}. The session is kept.", false,
	},
	CodeFailed: {
		"{name} ended the turn with an error.",
		"Send the prompt again: the session goes on. If it fails again, try it in a terminal with `{command}`.", true,
	},
}

// Failure puts into words why a turn failed. said is what the program or its vendor
// says of it, where that says more than the code; it may be empty. A code that is
// not known is [CodeFailed].
func (p Program) Failure(code, said string) wire.Error {
	f, ok := failures[code]
	if !ok {
		code, f = CodeFailed, failures[CodeFailed]
	}
	fill := strings.NewReplacer("{name}", p.Name, "{vendor}", p.Vendor, "{command}", p.Command, "{install}", p.Install, "{sign-in}", p.SignIn)
	return wire.Error{Code: code, Message: capital(sentences(fill.Replace(f.message), said)), Hint: fill.Replace(f.hint), Retryable: f.retryable}
}

// capital begins a sentence with a capital letter.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// LiftedAt says in an error of a limit when the limit is lifted; a zero time is not
// known.
func LiftedAt(e wire.Error, at time.Time) wire.Error {
	if !at.IsZero() {
		e.Hint = "Send the prompt again after " + at.UTC().Format("2006-01-02 15:04 UTC") + ", when the limit is lifted: the session goes on."
	}
	return e
}
