package kimi

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"signalbox/backend/agent"
)

// Probe asks the CLI for its version and reads from its settings which models there are
// and whether it is signed in. To ask it for them would begin a session. Where no sign-in
// is found there is none: all that the CLI has is there.
func (p *Provider) Probe(ctx context.Context) agent.Status {
	s := p.program.Probe(ctx)
	switch {
	case s.State == agent.StateBroken && s.Path != "":
		if said := oldNode(s.Message); said != "" {
			s.Message, s.Hint = said, nodeHint
		}
	case s.State == agent.StateReady:
		p.models.Set(p.configured())
		s = p.program.WithSignIn(s, p.signedIn(), true)
	}
	return s
}

// signedIn reports whether there is a sign-in or a configured model, as far as
// can be seen from here.
func (p *Provider) signedIn() bool {
	if v, ok := agent.Lookup(p.program.Env, "KIMI_MODEL_API_KEY"); ok && v != "" {
		return true
	}
	for _, name := range []string{settingsFile, "credentials"} {
		st, err := os.Stat(filepath.Join(p.home, name))
		if err == nil && (st.IsDir() || st.Size() > 0) {
			return true
		}
	}
	return false
}

// settingsFile holds the CLI's settings, below its folder.
const settingsFile = "config.toml"

// maxSettings and maxModels bound what is read of it.
const (
	maxSettings = 1 << 20
	maxModels   = 200
)

// modelTable is the head of a model's table in the settings.
var modelTable = regexp.MustCompile(`(?m)^\s*\[models\.(?:"([^"\n\\]+)"|([A-Za-z0-9_-]+))\]`)

// configured are the models of the settings.
func (p *Provider) configured() []agent.Choice {
	f, err := os.Open(filepath.Join(p.home, settingsFile))
	if err != nil {
		return nil
	}
	defer f.Close() // it is only read
	b, err := io.ReadAll(io.LimitReader(f, maxSettings))
	if err != nil {
		return nil
	}
	list := []agent.Choice{{Value: defaultModel, Name: "Default", Note: "What Kimi Code is set to"}}
	for _, m := range modelTable.FindAllSubmatch(b, maxModels) {
		name := string(m[1]) + string(m[2])
		list = append(list, agent.Choice{Value: name, Name: name})
	}
	if len(list) == 1 {
		return nil
	}
	return list
}

// nodeHint is the next step where Node is too old.
const nodeHint = "Install Node 22.19 or newer and put it first in the PATH of the daemon."

// nodeVersion is what Node ends its complaints with.
var nodeVersion = regexp.MustCompile(`Node\.js v(\d+\.\d+\.\d+)`)

// oldNode puts into words that the CLI ended because Node is too old; empty if
// that is not why.
func oldNode(said string) string {
	m := nodeVersion.FindStringSubmatch(said)
	if m == nil {
		return ""
	}
	return "Kimi Code needs Node 22.19 or newer; the one that it finds is " + strings.TrimSuffix(m[1], ".") + "."
}
