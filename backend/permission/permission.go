// Package permission decides what an agent may do: a pure function from the
// mode of the run and what the agent asks for to an answer and its reason.
//
// Paths are compared by their names alone, after cleaning: "." and ".." are
// resolved, symbolic links are not, because the file system may change between
// the decision and the act. So a link inside the working directory that points
// out of it counts as inside; what keeps an agent in for certain is its own
// sandbox, where it has one. A path that is relative counts from the ask's
// working directory.
package permission

import (
	"path/filepath"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// Verdict is the outcome of a decision. The set may grow, so a switch over it
// has a default that refuses.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
)

// Decision is a verdict and the rule that gave it, in words for the person and
// for the agent.
type Decision struct {
	Verdict Verdict
	Reason  string
}

// Answer returns the decision as the agent is told. Anything but Allow is no.
func (d Decision) Answer() agent.Answer {
	return agent.Answer{Allow: d.Verdict == Allow, Reason: d.Reason}
}

// Decide answers ask in mode. An empty or unknown mode is held to the strictest
// rules, those of Chat.
//
// What is known to change nothing is allowed in every mode. Code and Debug
// allow the rest, also outside the working directory: nobody can be asked yet,
// and a run that stops at every command helps nobody; the reason says so.
func Decide(mode wire.Mode, ask agent.Ask) Decision {
	if ask.Kind == wire.ApprovalPlan {
		return decidePlan(mode)
	}
	if ask.ReadOnly {
		return allow("It only reads.")
	}
	switch mode {
	case wire.ModeFullAuto:
		return allow("Full Auto mode allows everything.")
	case wire.ModeCode:
		return allowWork("Code", ask)
	case wire.ModeDebug:
		return allowWork("Debug", ask)
	case wire.ModePlan:
		return deny("Plan mode changes nothing and runs nothing. Put the step into the plan instead.")
	case wire.ModeReview:
		if ask.Kind == wire.ApprovalEdit {
			return deny("Review mode edits nothing. Describe the change in your answer instead.")
		}
		return deny("Review mode runs only what is known to change nothing. Go on with what you can read.")
	case wire.ModeChat:
		return deny("Chat mode changes nothing and runs nothing. Answer directly; the person can choose Code mode.")
	default:
		return deny("The mode of this run is not known, so nothing may be changed.")
	}
}

// decidePlan answers an agent that has a plan and wants to carry it out.
func decidePlan(mode wire.Mode) Decision {
	switch mode {
	case wire.ModeFullAuto, wire.ModeCode, wire.ModeDebug:
		return allow("The mode allows the work, so the plan needs no leave of its own.")
	default:
		return deny("The plan was shown to the person, who answers with the next prompt. " +
			"Sum it up in a few lines and end your turn; do not begin with the work.")
	}
}

// allowWork is the rule of the modes in which an agent works.
func allowWork(name string, ask agent.Ask) Decision {
	if out := Outside(ask.Cwd, ask.Paths); out != "" {
		return allow(name + " mode allows edits, for now also outside the working directory.")
	}
	switch ask.Kind {
	case wire.ApprovalEdit:
		return allow(name + " mode allows edits.")
	case wire.ApprovalCommand:
		return allow(name + " mode allows commands.")
	default:
		return allow(name + " mode allows tools.")
	}
}

// Outside returns the first of paths that does not lie under dir, cleaned; ""
// if all do. Everything lies outside a dir that is empty or relative.
func Outside(dir string, paths []string) string {
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(dir, p)
		}
		if !under(filepath.Clean(dir), filepath.Clean(p)) {
			return filepath.Clean(p)
		}
	}
	return ""
}

// under reports whether the clean path p is dir or lies in it.
func under(dir, p string) bool {
	if !filepath.IsAbs(dir) || strings.ContainsRune(p, 0) {
		return false
	}
	if dir == string(filepath.Separator) || p == dir {
		return true
	}
	return strings.HasPrefix(p, dir+string(filepath.Separator))
}

func allow(reason string) Decision { return Decision{Verdict: Allow, Reason: reason} }

func deny(reason string) Decision { return Decision{Verdict: Deny, Reason: reason} }
