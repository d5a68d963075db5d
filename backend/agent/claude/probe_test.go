package claude_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/claude"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	if s := provider(t, fake.Script{}).Probe(t.Context()); s.State != agent.StateReady || s.Version != "2.1.332" || s.Path == "" {
		t.Errorf("the fake is %+v", s)
	}
	if s := provider(t, fake.Script{Version: "GNU bash, version 5"}).Probe(t.Context()); s.State != agent.StateBroken || s.Hint == "" {
		t.Errorf("another program is %+v", s)
	}
	missing := claude.New(claude.Options{Environ: []string{"PATH=" + t.TempDir()}})
	if s := missing.Probe(t.Context()); s.State != agent.StateNotInstalled || !strings.Contains(s.Hint, "npm install -g @anthropic-ai/claude-code") {
		t.Errorf("a missing program is %+v", s)
	}
	dir := t.TempDir()
	script(t, dir, "exit 3", 0o644)
	if s := claude.New(claude.Options{Environ: []string{"PATH=" + dir}}).Probe(t.Context()); s.State != agent.StateBroken || !strings.Contains(s.Hint, "chmod") {
		t.Errorf("a program that may not be executed is %+v", s)
	}
}

func TestProbe_programThatDoesNotRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script(t, dir, "echo cannot find module >&2; exit 1", 0o755)
	p := claude.New(claude.Options{Environ: []string{"PATH=" + dir}})
	s := p.Probe(t.Context())
	if s.State != agent.StateBroken || !strings.Contains(s.Message, "cannot find module") || s.Hint == "" {
		t.Errorf("it is %+v", s)
	}
}

func TestProbe_programThatHangs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script(t, dir, "/bin/sleep 600 & wait", 0o755)
	p := claude.New(claude.Options{Environ: []string{"PATH=" + dir + ":/bin"}})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if s := p.Probe(ctx); s.State != agent.StateBroken || !strings.Contains(s.Message, "in time") {
		t.Errorf("it is %+v", s)
	}
}

func TestProbe_signIn(t *testing.T) {
	t.Parallel()
	signed, empty := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(signed, ".credentials.json"), []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		env  map[string]string
		note bool
	}{
		{"a key", map[string]string{"ANTHROPIC_API_KEY": "k", "CLAUDE_CONFIG_DIR": empty}, false},
		{"an empty key", map[string]string{"ANTHROPIC_API_KEY": "", "CLAUDE_CONFIG_DIR": empty}, true},
		{"a sign-in", map[string]string{"CLAUDE_CONFIG_DIR": signed}, false},
		{"nothing", map[string]string{"CLAUDE_CONFIG_DIR": empty}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.env[fake.Variable] = "{}"
			s := claude.New(claude.Options{Path: exe, Env: tt.env, Environ: []string{"HOME=" + empty}}).Probe(t.Context())
			if s.State != agent.StateReady {
				t.Fatalf("it is %+v", s)
			}
			if noted := s.Message != ""; noted != tt.note && runtime.GOOS != "darwin" {
				t.Errorf("it is %+v", s)
			}
		})
	}
}

// What the CLI says of itself is what is offered and what is known of the sign-in.
func TestProbe_asksTheCLI(t *testing.T) {
	t.Parallel()
	answers, err := filepath.Abs(filepath.Join("testdata", "probe", "initialize.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, edit string
		state      agent.State
		want       agent.SignIn
		models     int
	}{
		{"no sign-in", "cat", agent.StateNotSignedIn, agent.SignInMissing, 5},
		{"signed in", `sed 's/"tokenSource":"none"/"tokenSource":"claude.ai"/'`, agent.StateReady, agent.SignInFound, 5},
		{"a key of its own", `sed 's/"tokenSource":"none"/&,"apiKeySource":"apiKeyHelper"/'`, agent.StateReady, agent.SignInFound, 5},
		{"a cloud", `sed 's/firstParty/bedrock/'`, agent.StateReady, agent.SignInFound, 5},
		{"an old one that does not say", "head -n 0", agent.StateReady, agent.SignInMissing, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script(t, dir, "[ $1 != --version ] || { echo 2.1.332; exit; }\n"+tt.edit+" < '"+answers+"'; read never", 0o755)
			p := claude.New(claude.Options{Environ: []string{"PATH=" + dir + ":/bin:/usr/bin", "HOME=" + dir}})
			s := p.Probe(t.Context())
			if runtime.GOOS != "darwin" && (s.State != tt.state || s.SignIn != tt.want) || s.Tested != claude.Tested {
				t.Errorf("it is %+v, want %s", s, tt.want)
			}
			if got := p.Info().Models; len(got) != tt.models || got[0].Value != "default" {
				t.Errorf("it offers %+v", got)
			}
		})
	}
}

// script writes a program named claude into dir.
func script(t *testing.T, dir, body string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\n"+body+"\n"), mode); err != nil {
		t.Fatal(err)
	}
}
