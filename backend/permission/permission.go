// Package permission decides what an agent may do: a pure function from the
// mode of the run, the rules of the chat and what the agent asks for to an
// answer and its reason.
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

// Verdict is the outcome of a decision. A switch over it has a default that
// refuses.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
	Ask   Verdict = "ask" // a person decides
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

// Decide answers ask in mode, where people have allowed rules for the chat.
//
// Questions are for people in every mode, and so are plans, but in Full Auto.
// What is known to change nothing is allowed in every mode. A rule answers
// instead of a person; it never allows what the mode refuses. In an empty or
// unknown mode nothing may be changed.
func Decide(mode wire.Mode, rules []wire.Rule, ask agent.Ask) Decision {
	d := byMode(mode, ask)
	if d.Verdict != Ask {
		return d
	}
	for _, r := range rules {
		if covers(r.Scope, ask) {
			return allow(r.By.Name + " allowed it for this chat.")
		}
	}
	return d
}

func byMode(mode wire.Mode, ask agent.Ask) Decision {
	switch {
	case ask.Kind == wire.ApprovalQuestion:
		return person("The agent asks something.")
	case ask.Kind == wire.ApprovalPlan:
		return decidePlan(mode)
	case ask.ReadOnly:
		return allow("It only reads.")
	}
	switch mode {
	case wire.ModeFullAuto:
		return allow("Full Auto mode allows everything.")
	case wire.ModeCode:
		return decideWork("Code", ask)
	case wire.ModeDebug:
		return decideWork("Debug", ask)
	case wire.ModePlan:
		return deny("Plan mode changes nothing and runs nothing. Put the step into the plan instead.")
	case wire.ModeReview:
		if ask.Kind == wire.ApprovalEdit {
			return deny("Review mode edits nothing. Describe the change in your answer instead.")
		}
		return person("Review mode asks before it runs anything.")
	case wire.ModeChat:
		return person("Chat mode asks before anything is changed or run.")
	default:
		return deny("The mode of this run is not known, so nothing may be changed.")
	}
}

// decidePlan answers an agent that has a plan and wants to carry it out.
func decidePlan(mode wire.Mode) Decision {
	if mode == wire.ModeFullAuto {
		return allow("Full Auto mode carries plans out unasked.")
	}
	return person("A person looks at the plan first.")
}

// decideWork is the rule of the modes in which an agent works.
func decideWork(name string, ask agent.Ask) Decision {
	if ask.Kind != wire.ApprovalEdit {
		return person(name + " mode asks before it runs anything.")
	}
	if len(ask.Paths) == 0 {
		return person(name + " mode asks before it edits files that are not named.")
	}
	if out := Outside(ask.Cwd, ask.Paths); out != "" {
		return person(name + " mode asks before it edits outside the working directory.")
	}
	return allow(name + " mode allows edits in the working directory.")
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

func person(reason string) Decision { return Decision{Verdict: Ask, Reason: reason} }
