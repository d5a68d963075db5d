package permission_test

import (
	"strings"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/permission"
	"signalbox/backend/wire"
)

const cwd = "/home/user/project"

var (
	edit     = agent.Ask{Kind: wire.ApprovalEdit, Tool: "Edit", Cwd: cwd, Paths: []string{cwd + "/main.go"}}
	outside  = agent.Ask{Kind: wire.ApprovalEdit, Tool: "Write", Cwd: cwd, Paths: []string{cwd + "/a", cwd + "/../other/b"}}
	unnamed  = agent.Ask{Kind: wire.ApprovalEdit, Tool: "Edit", Cwd: cwd}
	command  = agent.Ask{Kind: wire.ApprovalCommand, Tool: "Bash", Cwd: cwd, Title: "make"}
	tool     = agent.Ask{Kind: wire.ApprovalTool, Tool: "mcp__db__query", Cwd: cwd}
	plan     = agent.Ask{Kind: wire.ApprovalPlan, Tool: "ExitPlanMode", Cwd: cwd}
	question = agent.Ask{Kind: wire.ApprovalQuestion, Tool: "AskUserQuestion", Cwd: cwd}
	look     = agent.Ask{Kind: wire.ApprovalTool, Tool: "Read", Cwd: cwd, ReadOnly: true}
	list     = agent.Ask{Kind: wire.ApprovalCommand, Tool: "Bash", Cwd: cwd, Title: "ls", ReadOnly: true}
)

// letters gives one letter for each ask: y is allowed, n is not, ? asks people.
func letters(t *testing.T, mode wire.Mode, rules []wire.Rule, asks ...agent.Ask) string {
	t.Helper()
	var got strings.Builder
	for _, ask := range asks {
		d := permission.Decide(mode, rules, ask)
		if d.Reason == "" {
			t.Errorf("%s: no reason is given for %q", ask.Tool, d.Verdict)
		}
		if answer := d.Answer(); answer.Allow != (d.Verdict == permission.Allow) || answer.Reason != d.Reason {
			t.Errorf("%s: decision %+v became answer %+v", ask.Tool, d, answer)
		}
		letter, ok := map[permission.Verdict]string{permission.Allow: "y", permission.Deny: "n", permission.Ask: "?"}[d.Verdict]
		if !ok {
			t.Errorf("%s: verdict %q", ask.Tool, d.Verdict)
		}
		got.WriteString(letter)
	}
	return got.String()
}

func TestDecide(t *testing.T) {
	t.Parallel()
	asks := []agent.Ask{edit, outside, unnamed, command, tool, plan, question, look, list}
	for _, tt := range []struct {
		mode wire.Mode
		want string
	}{
		{wire.ModeFullAuto, "yyyyyy?yy"},
		{wire.ModeCode, "y??????yy"},
		{wire.ModeDebug, "y??????yy"},
		{wire.ModePlan, "nnnnn??yy"},
		{wire.ModeReview, "nnn????yy"},
		{wire.ModeChat, "???????yy"},
		{"", "nnnnn??yy"},
		{"root", "nnnnn??yy"},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			if got := letters(t, tt.mode, nil, asks...); got != tt.want {
				t.Errorf("answers %s, want %s", got, tt.want)
			}
		})
	}
}

// Every mode that is offered has a rule of its own.
func TestDecide_knowsEveryMode(t *testing.T) {
	t.Parallel()
	unknown := permission.Decide("no such mode", nil, command)
	for _, mode := range wire.Modes() {
		if d := permission.Decide(mode, nil, command); d.Reason == unknown.Reason {
			t.Errorf("%s falls through to the rule for unknown modes", mode)
		}
	}
}

func TestDecision_onlyAllowIsYes(t *testing.T) {
	t.Parallel()
	for _, v := range []permission.Verdict{"", permission.Deny, permission.Ask, "maybe"} {
		if (permission.Decision{Verdict: v}).Answer().Allow {
			t.Errorf("verdict %q became yes", v)
		}
	}
}

// A rule allows what was in front of the person, and nothing that only looks
// like it.
func TestDecide_rules(t *testing.T) {
	t.Parallel()
	with := func(a agent.Ask, change func(*agent.Ask)) agent.Ask {
		change(&a)
		return a
	}
	for _, tt := range []struct {
		name  string
		asked agent.Ask
		then  []agent.Ask
		want  string // in Chat mode, which asks for all
	}{
		{"a command", command, []agent.Ask{
			command,
			with(command, func(a *agent.Ask) { a.Title = "make install" }),
			with(command, func(a *agent.Ask) { a.Title = "make;rm -rf ~" }),
			with(command, func(a *agent.Ask) { a.Title = " make" }),
			with(command, func(a *agent.Ask) { a.Cwd = "/" }),
			with(tool, func(a *agent.Ask) { a.Title = "make" }),
			edit, plan, question,
		}, "y????????"},
		{"a tool", tool, []agent.Ask{
			tool,
			with(tool, func(a *agent.Ask) { a.Tool = "mcp__db__drop" }),
			with(tool, func(a *agent.Ask) { a.Tool = "" }),
			command, edit, plan,
		}, "y?????"},
		{"edits in the folder", edit, []agent.Ask{
			edit,
			with(edit, func(a *agent.Ask) { a.Paths = []string{"sub/x.go", cwd + "/y.go"} }),
			with(edit, func(a *agent.Ask) { a.Paths = []string{cwd + "/x.go", "/etc/hosts"} }),
			with(edit, func(a *agent.Ask) { a.Paths = []string{cwd + "-old/x.go"} }),
			unnamed, outside, command,
		}, "yy?????"},
		{"edits of files outside", outside, []agent.Ask{
			outside,
			with(outside, func(a *agent.Ask) { a.Paths = []string{"../other/b"} }),
			with(outside, func(a *agent.Ask) { a.Paths = []string{"../other/c"} }),
			with(outside, func(a *agent.Ask) { a.Paths = []string{cwd + "/a", "../other/b/c"} }),
			edit, unnamed,
		}, "yy????"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			scope := permission.ScopeOf(tt.asked)
			if scope == nil {
				t.Fatal("nothing can be allowed for the chat")
			}
			rules := []wire.Rule{{Scope: wire.Scope{}}, {Scope: *scope, By: wire.Person{Name: "Ann"}}}
			if got := letters(t, wire.ModeChat, rules, tt.then...); got != tt.want {
				t.Errorf("answers %s, want %s", got, tt.want)
			}
			// A rule never allows what the mode refuses.
			if got := letters(t, wire.ModePlan, rules, tt.asked); got != "n" {
				t.Errorf("in Plan mode: %s", got)
			}
			if d := permission.Decide(wire.ModeChat, rules, tt.asked); !strings.Contains(d.Reason, "Ann") {
				t.Errorf("reason %q does not say who allowed it", d.Reason)
			}
		})
	}
}

// What could not be held to is not offered for the chat.
func TestScopeOf_offersOnlyWhatIsEnforced(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for _, ask := range []agent.Ask{
		plan, question, unnamed,
		{Kind: wire.ApprovalCommand, Cwd: cwd},
		{Kind: wire.ApprovalCommand, Cwd: cwd, Title: long},
		{Kind: wire.ApprovalTool, Cwd: cwd},
		{Kind: wire.ApprovalEdit, Cwd: "", Paths: []string{"a"}},
		{Kind: wire.ApprovalEdit, Cwd: cwd, Paths: []string{"/" + long}},
		{Kind: "later", Cwd: cwd, Title: "x", Tool: "x"},
	} {
		if s := permission.ScopeOf(ask); s != nil {
			t.Errorf("%+v: scope %+v", ask, s)
		}
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
