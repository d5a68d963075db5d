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
	"signalbox/backend/agent/dialog"
	"signalbox/backend/agent/kimi"
	"signalbox/backend/wire"
)

const kimiID = kimi.ID

// Key is the key that agents are given for the scripted model.
const Key = "sk-scripted"

// Offline returns an agent that has a home of its own and talks to the model at url
// alone.
func Offline(s Subject, home, url string) (agent.Provider, error) {
	environ := slices.DeleteFunc(slices.Clone(s.Environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "HOME" || strings.HasSuffix(name, "_HOME") || strings.HasSuffix(name, "_CONFIG_DIR") || isProxy(name)
	})
	env, err := Settle(s.ID, home, url)
	if err != nil {
		return nil, err
	}
	opts := dialog.Options{Path: s.Path, Environ: append(environ, "HOME="+home), Env: env}
	switch s.ID {
	case claude.ID:
		return claude.New(opts), nil
	case codex.ID:
		return codex.New(opts), nil
	default:
		return kimi.New(opts), nil
	}
}

// Settle sets a home up for an agent that talks to the model at url alone, and returns
// what its environment needs for that. Where a request fails it tries once more.
func Settle(id wire.AgentID, home, url string) (env map[string]string, err error) {
	files := map[string]string{}
	switch id {
	case claude.ID:
		env = map[string]string{
			"ANTHROPIC_BASE_URL":      url,
			"ANTHROPIC_API_KEY":       Key,
			"CLAUDE_CODE_MAX_RETRIES": "1", // the waits between more of them are long
		}
	case codex.ID:
		env = map[string]string{"SCRIPTED_KEY": Key}
		files[".codex/config.toml"] = `model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "` + url + `/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`
	case kimi.ID:
		env = map[string]string{
			"KIMI_MODEL_NAME":     "scripted-model",
			"KIMI_MODEL_API_KEY":  Key,
			"KIMI_MODEL_BASE_URL": url + "/v1",
		}
		files[".kimi-code/config.toml"] = "[loop_control]\nmax_attempts_per_step = 2\n"
	default:
		return nil, fmt.Errorf("the agent %q cannot be tested offline", id)
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, fmt.Errorf("make a home for %s: %w", id, err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, fmt.Errorf("set up %s: %w", id, err)
		}
		if err := os.WriteFile(file, []byte(files[name]), 0o600); err != nil {
			return nil, fmt.Errorf("set up %s: %w", id, err)
		}
	}
	return env, nil
}

// Agents are the agents that can be tested.
func Agents() []wire.AgentID { return []wire.AgentID{claude.ID, codex.ID, kimi.ID} }

// isProxy reports whether a variable sends requests elsewhere: the model is here.
func isProxy(name string) bool { return strings.HasSuffix(strings.ToLower(name), "_proxy") }
