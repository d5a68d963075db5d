package claude_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/claude"
	"signalbox/backend/wire"
)

func TestArguments(t *testing.T) {
	t.Parallel()
	base := []string{
		"claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--include-partial-messages", "--permission-prompt-tool", "stdio", "--thinking-display", "summarized",
	}
	tests := []struct {
		name string
		req  agent.Request
		want []string // after base
		bad  bool
	}{
		{name: "nothing chosen", want: []string{"--permission-mode", "default"}},
		{
			name: "all chosen",
			req:  agent.Request{Session: "s-1", Text: "secret prompt", Selection: wire.Selection{Mode: wire.ModeCode, Model: "opus", Effort: "high"}},
			want: []string{"--permission-mode", "default", "--model", "opus", "--effort", "high", "--resume", "s-1"},
		},
		{
			name: "the default model is the CLI's own",
			req:  agent.Request{Selection: wire.Selection{Model: "default"}},
			want: []string{"--permission-mode", "default"},
		},
		{
			name: "Plan has a mode of its own",
			req:  agent.Request{Selection: wire.Selection{Mode: wire.ModePlan}},
			want: []string{"--permission-mode", "plan"},
		},
		{
			name: "Full Auto never bypasses",
			req:  agent.Request{Selection: wire.Selection{Mode: wire.ModeFullAuto}},
			want: []string{"--permission-mode", "default"},
		},
		{
			name: "Review has no tools to edit, and the flag that takes many is last",
			req:  agent.Request{Session: "s", Selection: wire.Selection{Mode: wire.ModeReview}},
			want: []string{"--permission-mode", "default", "--resume", "s", "--disallowedTools", "Edit", "MultiEdit", "Write", "NotebookEdit"},
		},
		{
			name: "a copy that ends at a turn",
			req:  agent.Request{Session: "s", Fork: true, Turn: "u-1", Selection: wire.Selection{Mode: wire.ModeCode}},
			want: []string{"--permission-mode", "default", "--resume", "s", "--resume-session-at", "u-1", "--fork-session"},
		},
		{
			name: "a copy of all",
			req:  agent.Request{Session: "s", Fork: true, Selection: wire.Selection{Mode: wire.ModeCode}},
			want: []string{"--permission-mode", "default", "--resume", "s", "--fork-session"},
		},
		{name: "a turn like a flag", req: agent.Request{Session: "s", Fork: true, Turn: "--help"}, bad: true},
		{name: "a model like a flag", req: agent.Request{Selection: wire.Selection{Model: "--mcp-config"}}, bad: true},
		{name: "an effort with a line", req: agent.Request{Selection: wire.Selection{Effort: "low\n"}}, bad: true},
		{name: "a session with NUL", req: agent.Request{Session: "a\x00b"}, bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := claude.Arguments("claude", tt.req)
			if tt.bad {
				if err == nil {
					t.Errorf("accepted: %q", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append(append([]string{}, base...), tt.want...), got); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := claude.Environment(
		[]string{"HOME=/home/user", "CLAUDE_CONFIG_DIR=/cfg", "ANTHROPIC_API_KEY=of-the-daemon", "CLAUDECODE=1", "NODE_OPTIONS=--inspect"},
		map[string]string{"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "CLAUDE_CODE_MAX_RETRIES": "2"})
	want := []string{
		"ANTHROPIC_BASE_URL=http://127.0.0.1:1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_ENABLE_TODO_TOOLS=1",
		"CLAUDE_CODE_MAX_RETRIES=2", "CLAUDE_CONFIG_DIR=/cfg", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
		"DISABLE_TELEMETRY=1", "HOME=/home/user",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	lines := [][]byte{claude.DenyLine("r", "no \u2028 <b>\n"), claude.AllowLine("r", json.RawMessage(`{"a":"\u2028"}`)), claude.AllowLine("r", nil)}
	lines = append(lines, claude.FirstLines("a\nb\u2028c\x00", nil)...)
	for _, line := range lines {
		if strings.Count(string(line), "\n") != 1 || line[len(line)-1] != '\n' || !json.Valid(line) {
			t.Errorf("not one line of JSON: %q", line)
		}
	}
	if !strings.Contains(string(lines[2]), `"updatedInput":{}`) {
		t.Errorf("a missing input is sent back as %s", lines[2])
	}
}
