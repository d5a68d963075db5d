package claude

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
)

// Probe asks the CLI for its version, its models and its sign-in, without the network.
// Where the CLI does not say, and no sign-in is seen from here, it is ready with a note:
// a key may come from a helper that only the CLI knows.
func (p *Provider) Probe(ctx context.Context) agent.Status {
	s := p.program.Probe(ctx)
	if s.State != agent.StateReady {
		return s
	}
	found := p.signedIn()
	said, told := p.inquire(ctx, s.Path)
	return p.program.WithSignIn(s, found || said, told)
}

// about is the CLI's answer to the first request, as far as it tells of the CLI.
type about struct {
	Type     string `json:"type"`
	Response struct {
		Response struct {
			Models []struct {
				Value string `json:"value"`
				Name  string `json:"displayName"`
				Note  string `json:"description"`
			} `json:"models"`
			Account struct {
				Provider string `json:"apiProvider"`
				Token    string `json:"tokenSource"`
				Key      string `json:"apiKeySource"`
			} `json:"account"`
		} `json:"response"`
	} `json:"response"`
}

// inquire asks the CLI what it offers, and reports whether it is signed in; false,
// false where it does not say. Neither the person's hooks nor their servers are run
// for that.
func (p *Provider) inquire(ctx context.Context, path string) (signedIn, told bool) {
	var a about
	err := p.program.Inquire(ctx, path, dialog.Question{
		Args: []string{
			"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
			"--strict-mcp-config", "--settings", `{"disableAllHooks":true}`,
		},
		Lines: [][]byte{initializeLine()},
		Take: func(line []byte) bool {
			return json.Unmarshal(line, &a) == nil && a.Type == "control_response"
		},
	})
	if err != nil {
		p.log.Debug("agent not asked for its models", "err", err)
		return false, false
	}
	r := a.Response.Response
	models := make([]agent.Choice, 0, len(r.Models))
	for _, m := range r.Models {
		if m.Value != "" && m.Name != "" {
			models = append(models, agent.Choice{Value: m.Value, Name: m.Name, Note: dialog.Clip(m.Note)})
		}
	}
	p.models.Set(models)
	const own, none = "firstParty", "none" // clouds have sign-ins of their own
	is := r.Account
	return is.Provider != own && is.Provider != "" || is.Token != none && is.Token != "" || is.Key != none && is.Key != "", is.Provider != ""
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
