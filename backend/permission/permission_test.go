package permission_test

import (
	"strings"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/permission"
	"signalbox/backend/wire"
)

const cwd = "/home/user/project"

func TestDecide(t *testing.T) {
	t.Parallel()
	edit := agent.Ask{Kind: wire.ApprovalEdit, Tool: "Edit", Cwd: cwd, Paths: []string{cwd + "/main.go"}}
	outside := agent.Ask{Kind: wire.ApprovalEdit, Tool: "Write", Cwd: cwd, Paths: []string{"/etc/hosts"}}
	command := agent.Ask{Kind: wire.ApprovalCommand, Tool: "Bash", Cwd: cwd, Title: "make"}
	tool := agent.Ask{Kind: wire.ApprovalTool, Tool: "mcp__db__query", Cwd: cwd}
	plan := agent.Ask{Kind: wire.ApprovalPlan, Tool: "ExitPlanMode", Cwd: cwd}
	look := agent.Ask{Kind: wire.ApprovalTool, Tool: "Read", Cwd: cwd, ReadOnly: true}
	list := agent.Ask{Kind: wire.ApprovalCommand, Tool: "Bash", Cwd: cwd, Title: "ls", ReadOnly: true}
	asks := []agent.Ask{edit, outside, command, tool, plan, look, list}

	// One letter for each ask: y is allowed, n is not.
	tests := []struct {
		mode wire.Mode
		want string
	}{
		{wire.ModeFullAuto, "yyyyyyy"},
		{wire.ModeCode, "yyyyyyy"},
		{wire.ModeDebug, "yyyyyyy"},
		{wire.ModePlan, "nnnnnyy"},
		{wire.ModeReview, "nnnnnyy"},
		{wire.ModeChat, "nnnnnyy"},
		{"", "nnnnnyy"},
		{"root", "nnnnnyy"},
	}
	for _, tt := range tests {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			for _, ask := range asks {
				d := permission.Decide(tt.mode, ask)
				if d.Reason == "" {
					t.Errorf("%s: no reason is given for %q", ask.Tool, d.Verdict)
				}
				if answer := d.Answer(); answer.Allow != (d.Verdict == permission.Allow) || answer.Reason != d.Reason {
					t.Errorf("%s: decision %+v became answer %+v", ask.Tool, d, answer)
				}
				switch d.Verdict {
				case permission.Allow:
					got.WriteByte('y')
				case permission.Deny:
					got.WriteByte('n')
				default:
					got.WriteByte('?')
				}
			}
			if got.String() != tt.want {
				t.Errorf("answers %s, want %s", got.String(), tt.want)
			}
		})
	}
}

// Every mode that is offered has a rule of its own.
func TestDecide_knowsEveryMode(t *testing.T) {
	t.Parallel()
	unknown := permission.Decide("no such mode", agent.Ask{Kind: wire.ApprovalCommand})
	for _, mode := range wire.Modes() {
		if d := permission.Decide(mode, agent.Ask{Kind: wire.ApprovalCommand}); d.Reason == unknown.Reason {
			t.Errorf("%s falls through to the rule for unknown modes", mode)
		}
	}
}

func TestDecision_onlyAllowIsYes(t *testing.T) {
	t.Parallel()
	for _, v := range []permission.Verdict{"", permission.Deny, "ask"} {
		if (permission.Decision{Verdict: v}).Answer().Allow {
			t.Errorf("verdict %q became yes", v)
		}
	}
}

func TestDecide_saysThatAnEditLiesOutside(t *testing.T) {
	t.Parallel()
	d := permission.Decide(wire.ModeCode, agent.Ask{
		Kind: wire.ApprovalEdit, Cwd: cwd, Paths: []string{cwd + "/a", cwd + "/../other/b"},
	})
	if !strings.Contains(d.Reason, "outside") {
		t.Errorf("reason %q does not say that it lies outside", d.Reason)
	}
}

// T12: names that look as if they lay inside.
func TestOutside(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, dir, path string
		want            string
	}{
		{"a file in it", cwd, cwd + "/a.go", ""},
		{"the directory itself", cwd, cwd, ""},
		{"the directory with a slash", cwd + "/", cwd + "/a", ""},
		{"dots that stay inside", cwd, cwd + "/x/../y", ""},
		{"dots that leave", cwd, cwd + "/../secret", "/home/user/secret"},
		{"many dots", cwd, cwd + "/../../../../etc/passwd", "/etc/passwd"},
		{"a neighbour with the same beginning", cwd, cwd + "-old/a", cwd + "-old/a"},
		{"a relative path", cwd, "a/b", ""},
		{"a relative path that leaves", cwd, "../b", "/home/user/b"},
		{"a name with dots that is no traversal", cwd, cwd + "/..a/...", ""},
		{"backslashes are part of a name", cwd, cwd + `/..\..\etc`, ""},
		{"percent signs are part of a name", cwd, cwd + "/%2e%2e/etc", ""},
		{"NUL", cwd, cwd + "/a\x00b", cwd + "/a\x00b"},
		{"the root holds everything", "/", "/etc/passwd", ""},
		{"no directory", "", "/etc/passwd", "/etc/passwd"},
		{"no directory, relative path", "", "a", "a"},
		{"a relative directory", "project", "a", "project/a"},
		{"an empty path is the directory", cwd, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := permission.Outside(tt.dir, []string{tt.path}); got != tt.want {
				t.Errorf("Outside(%q, %q) = %q, want %q", tt.dir, tt.path, got, tt.want)
			}
		})
	}
	if got := permission.Outside(cwd, []string{cwd + "/a", "/b", "/c"}); got != "/b" {
		t.Errorf("the first outside is %q, want /b", got)
	}
}
