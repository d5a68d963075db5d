package codex_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/agent/codex"
)

// program writes a program that answers like the CLI, with what it says of its models
// and its sign-in in a file, and a command for its sandbox.
func program(t *testing.T, version, answers, sandbox string) string {
	t.Helper()
	file, err := filepath.Abs(answers)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "codex")
	script := "#!/bin/sh\ncase $1 in\n--version) echo '" + version + "';;\napp-server) /bin/cat '" + file + "'; read never;;\nsandbox) " + sandbox + ";;\nesac\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProbe(t *testing.T) {
	t.Parallel()
	const version, told = "codex-cli 0.171.0", "testdata/probe/app-server.jsonl"
	signed := t.TempDir()
	if err := os.WriteFile(filepath.Join(signed, "auth.json"), []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, version, answers, sandbox string
		env                             map[string]string
		want                            agent.Status // of what is named below
		models                          int
	}{
		{
			name: "no sign-in", version: version, answers: told, sandbox: "exit 0", models: 12,
			want: agent.Status{State: agent.StateNotSignedIn, SignIn: agent.SignInMissing, Sandbox: agent.SandboxWorks, Message: "Codex is not signed in."},
		},
		{
			name: "a key", version: version, answers: told, sandbox: "exit 0", env: map[string]string{"OPENAI_API_KEY": "k"}, models: 12,
			want: agent.Status{State: agent.StateReady, SignIn: agent.SignInFound, Sandbox: agent.SandboxWorks},
		},
		{
			name: "a sign-in, and a sandbox that fails", version: version, answers: told, env: map[string]string{"CODEX_HOME": signed}, models: 12,
			sandbox: "echo 'bwrap: No permissions to create new namespace' >&2; exit 1",
			want: agent.Status{
				State: agent.StateReady, SignIn: agent.SignInFound, Sandbox: agent.SandboxFails,
				Message: "The sandbox of Codex does not work on this machine, so commands fail in all modes but Full Auto.",
			},
		},
		{
			name: "a version that knows none of the questions", version: version, answers: "/dev/null", sandbox: "exit 2", models: 5,
			env: map[string]string{"OPENAI_API_KEY": "k"}, want: agent.Status{State: agent.StateReady, SignIn: agent.SignInFound},
		},
		{
			name: "the same without a key that can be seen", version: version, answers: "/dev/null", sandbox: "exit 2", models: 5,
			want: agent.Status{State: agent.StateReady, SignIn: agent.SignInMissing, Message: "No sign-in was found."},
		},
		{
			name: "another program", version: "GNU bash 5", answers: told, sandbox: "exit 0", models: 5,
			want: agent.Status{State: agent.StateBroken},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.want.Sandbox == agent.SandboxFails && runtime.GOOS != "linux" {
				return // elsewhere the sandbox needs no helper
			}
			p := codex.New(codex.Options{
				Path: program(t, tt.version, tt.answers, tt.sandbox), Env: tt.env, Environ: []string{"HOME=" + t.TempDir()},
			})
			s := p.Probe(t.Context())
			if s.State != tt.want.State || s.SignIn != tt.want.SignIn || s.Sandbox != tt.want.Sandbox {
				t.Errorf("it is %+v, want %+v", s, tt.want)
			}
			if s.State != agent.StateBroken && (s.Message != tt.want.Message || (s.Message == "") != (s.Hint == "") || s.Version != "0.171.0" || s.Tested != codex.Tested) {
				t.Errorf("it says %+v", s)
			}
			if got := len(p.Info().Models); got != tt.models {
				t.Errorf("it offers %d models: %+v", got, p.Info().Models)
			}
		})
	}
	missing := codex.New(codex.Options{Environ: []string{"PATH=" + t.TempDir()}})
	if s := missing.Probe(t.Context()); s.State != agent.StateNotInstalled || !strings.Contains(s.Hint, "npm install -g @openai/codex") {
		t.Errorf("a missing program is %+v", s)
	}
}
