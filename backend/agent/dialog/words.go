package dialog

import (
	"fmt"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// The codes of what can go wrong in a run with any CLI.
const (
	CodeNotInstalled  = "not_installed"
	CodeNotExecutable = "not_executable"
	CodeFolderGone    = "folder_gone"
	CodeStartFailed   = "start_failed"
	CodeBadChoice     = "bad_choice"
	CodeAttachment    = "attachment"
	CodeNotSignedIn   = "not_signed_in"
	CodeKeyRefused    = "key_refused"
	CodeQuota         = "quota"
	CodeRateLimited   = agent.CodeRateLimited
	CodeOverloaded    = "overloaded"
	CodeServerError   = "server_error"
	CodeUnreachable   = "unreachable"
	CodeModelUnknown  = "model_unknown"
	CodeContextFull   = "context_overflow"
	CodeOutputLimit   = "output_limit"
	CodeRefused       = "refused"
	CodeSessionLost   = agent.CodeSessionLost
	CodeSessionInUse  = "session_in_use"
	CodeSandbox       = "sandbox_failed"
	CodeTooOld        = "too_old"
	CodeBadFlag       = "bad_flag"
	CodeNoOutput      = "no_output"
	CodeNoAnswer      = "no_answer"
	CodeNotReading    = "not_reading"
	CodeNoResult      = "no_result"
	CodeSilent        = "silent"
	CodeKilled        = "killed"
	CodeCrashed       = "crashed"
	CodeFailed        = "failed"
	CodeAdapter       = "adapter_fault"
	CodeLeft          = "processes_left"
)

// Progress is how far a process came before it ended without the end of a turn.
type Progress struct {
	Spoke bool // it printed something
	Began bool // the turn was under way
}

// badFlag is how CLIs complain about options that they do not know.
var badFlag = []string{"unknown option", "is invalid. Allowed choices", "unexpected argument", "unrecognized subcommand", "unknown command"}

// Unfinished is the error of a process that ended by itself without the end of
// a turn.
func (p Program) Unfinished(exit proc.Exit, at Progress) wire.Error {
	said := LastLine(exit.Stderr)
	inTerminal := "Run `" + p.Command + "` in a terminal of this machine to see whether it works there."
	const again = "Send the prompt again: the session goes on."
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
			Code: CodeKilled, Message: p.Name + " was ended from outside (" + signal + ") before its turn was over.",
			Hint: again + " If it happens again, look whether the machine runs out of memory.", Retryable: true,
		}
	case exit.Code == 0 && !at.Spoke:
		return wire.Error{
			Code: CodeNoOutput, Message: sentences(p.Name+" ended without printing anything.", said),
			Hint: inTerminal,
		}
	case exit.Code == 0:
		return wire.Error{
			Code: CodeNoResult, Message: sentences(p.Name+" ended without finishing its turn.", said),
			Hint: again, Retryable: true,
		}
	case containsAny(said, badFlag):
		return p.Failure(CodeBadFlag, said)
	case !at.Began:
		return wire.Error{
			Code: CodeStartFailed, Message: sentences(fmt.Sprintf("%s ended at its start (exit code %d).", p.Name, exit.Code), said),
			Hint: inTerminal,
		}
	default:
		return wire.Error{
			Code: CodeCrashed, Message: sentences(fmt.Sprintf("%s broke off in the middle of its turn (exit code %d).", p.Name, exit.Code), said),
			Hint: again, Retryable: true,
		}
	}
}

// Stopped is the error of a process that the loop had to stop.
func (p Program) Stopped(e Ending) wire.Error {
	said := LastLine(e.Exit.Stderr)
	switch e.Stopped {
	case CodeNoAnswer:
		return wire.Error{
			Code: CodeNoAnswer, Message: sentences(p.Name+" was started but did not answer. It was stopped.", said),
			Hint: "Run `" + p.Command + "` in a terminal of this machine to see whether it works there.", Retryable: true,
		}
	case CodeNotReading:
		return wire.Error{
			Code: CodeNotReading, Message: p.Name + " no longer takes input. It was stopped.",
			Hint: "Send the prompt again: the session goes on.", Retryable: true,
		}
	case CodeSilent:
		return wire.Error{
			Code: CodeSilent, Message: p.Name + " said nothing for a long time, as it does when the model does not answer. It was stopped.",
			Hint: "Look at the machine's network and the provider's status, then send the prompt again: the session goes on.", Retryable: true,
		}
	default:
		return wire.Error{
			Code: e.Stopped, Message: "Signalbox could not read what " + p.Name + " printed, because of a fault of its own. The run was stopped.",
			Hint: "Please report this, with the daemon's log.",
		}
	}
}

// sentences joins ours and what the program said.
func sentences(ours, said string) string { return strings.TrimSpace(ours + " " + said) }

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// LastLine returns the last line of stderr that says something to a person,
// without the colours of a terminal and cut to what can be shown.
func LastLine(stderr string) string {
	lines := strings.Split(stderr, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if s := Clip(plain(lines[i])); s != "" && s[0] != '{' { // that is a log's
			return s
		}
	}
	return ""
}

// plain takes terminal sequences out of a line.
func plain(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != 0x1b || i+1 >= len(s) || s[i+1] != '[' {
			b.WriteByte(s[i])
			continue
		}
		for i += 2; i < len(s) && (s[i] < 0x40 || s[i] > 0x7e); i++ {
		}
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return -1
		}
		return r
	}, b.String())
}

// Clip cuts words that are shown to a person.
func Clip(s string) string {
	const limit = 500
	s = strings.TrimSpace(s)
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
