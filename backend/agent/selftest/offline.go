package selftest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/agent/claude"
	"signalbox/backend/agent/codex"
	"signalbox/backend/agent/kimi"
	"signalbox/backend/wire"
)

const kimiID = kimi.ID

// Key is the key that agents are given for the scripted model.
const Key = "sk-scripted"

// Offline returns an agent that has a home of its own and talks to the model at url
// alone. It tries again once where that fails.
func Offline(s Subject, home, url string) (agent.Provider, error) {
	environ := slices.DeleteFunc(slices.Clone(s.Environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "HOME" || strings.HasSuffix(name, "_HOME") || strings.HasSuffix(name, "_CONFIG_DIR") || isProxy(name)
	})
	environ = append(environ, "HOME="+home)
	files := map[string]string{}
	var provider agent.Provider
	switch s.ID {
	case claude.ID:
		provider = claude.New(claude.Options{Path: s.Path, Environ: environ, Env: map[string]string{
			"ANTHROPIC_BASE_URL":      url,
			"ANTHROPIC_API_KEY":       Key,
			"CLAUDE_CODE_MAX_RETRIES": "1", // the waits between more of them are long
		}})
	case codex.ID:
		files[".codex/config.toml"] = `model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "` + url + `/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`
		provider = codex.New(codex.Options{Path: s.Path, Environ: environ, Env: map[string]string{"SCRIPTED_KEY": Key}})
	case kimi.ID:
		files[".kimi-code/config.toml"] = "[loop_control]\nmax_attempts_per_step = 2\n"
		provider = kimi.New(kimi.Options{Path: s.Path, Environ: environ, Env: map[string]string{
			"KIMI_MODEL_NAME":     "scripted-model",
			"KIMI_MODEL_API_KEY":  Key,
			"KIMI_MODEL_BASE_URL": url + "/v1",
		}})
	default:
		return nil, fmt.Errorf("the agent %q cannot be tested offline", s.ID)
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, fmt.Errorf("make a home for %s: %w", s.ID, err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, fmt.Errorf("set up %s: %w", s.ID, err)
		}
		if err := os.WriteFile(file, []byte(files[name]), 0o600); err != nil {
			return nil, fmt.Errorf("set up %s: %w", s.ID, err)
		}
	}
	return provider, nil
}

// Agents are the agents that can be tested.
func Agents() []wire.AgentID { return []wire.AgentID{claude.ID, codex.ID, kimi.ID} }

// isProxy reports whether a variable sends requests elsewhere: the model is here.
func isProxy(name string) bool { return strings.HasSuffix(strings.ToLower(name), "_proxy") }
