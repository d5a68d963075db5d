package claude

import (
	"context"
	"os"
	"path/filepath"
	"runtime"

	"signalbox/backend/agent"
)

// Probe asks the CLI for its version and looks for a sign-in, without the
// network. Where none is found it still says ready, with a note: a key may come
// from a helper that only the CLI knows.
func (p *Provider) Probe(ctx context.Context) agent.Status {
	s := p.program.Probe(ctx)
	if s.State == agent.StateReady && !p.signedIn() {
		s.Message = "No sign-in was found."
		s.Hint = signIn
	}
	return s
}

// signedIn reports whether there is a sign-in, as far as can be seen from here.
func (p *Provider) signedIn() bool {
	for _, name := range []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
		"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX",
	} {
		if v, ok := agent.Lookup(p.program.Env, name); ok && v != "" {
			return true
		}
	}
	if runtime.GOOS == "darwin" {
		return true // it is in the keychain, which would ask the person
	}
	dir, ok := agent.Lookup(p.program.Env, "CLAUDE_CONFIG_DIR")
	if !ok || dir == "" {
		home, _ := agent.Lookup(p.program.Env, "HOME")
		dir = filepath.Join(home, ".claude")
	}
	st, err := os.Stat(filepath.Join(dir, ".credentials.json"))
	return err == nil && st.Size() > 0
}
