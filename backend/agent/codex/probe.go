package codex

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/agent/jsonrpc"
)

// Probe asks the CLI for its version, its models and its sign-in, without the network,
// and whether its sandbox works. Where the server does not say, and no sign-in is seen
// from here, it is ready with a note: its provider may have a key of its own.
func (p *Provider) Probe(ctx context.Context) agent.Status {
	s := p.program.Probe(ctx)
	if s.State != agent.StateReady {
		return s
	}
	said, told := p.inquire(ctx, s.Path)
	s = p.program.WithSignIn(s, said || p.signedIn(), told)
	s.Sandbox = p.sandbox(ctx, s.Path)
	if s.Message == "" && s.Sandbox == agent.SandboxFails {
		e := p.program.Failure(dialog.CodeSandbox, "")
		s.Message, s.Hint = "The sandbox of Codex does not work on this machine, so commands fail in all modes but Full Auto.", e.Hint
	}
	return s
}

// signedIn reports whether there is a sign-in, as far as can be seen from here.
func (p *Provider) signedIn() bool {
	for _, name := range []string{"OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN"} {
		if v, ok := agent.Lookup(p.program.Env, name); ok && v != "" {
			return true
		}
	}
	dir, ok := agent.Lookup(p.program.Env, "CODEX_HOME")
	if !ok || dir == "" {
		home, _ := agent.Lookup(p.program.Env, "HOME")
		dir = filepath.Join(home, ".codex")
	}
	st, err := os.Stat(filepath.Join(dir, "auth.json"))
	return err == nil && st.Size() > 0
}

// modelList is the answer to model/list.
type modelList struct {
	Data []struct {
		ID     string `json:"id"`
		Name   string `json:"displayName"`
		Note   string `json:"description"`
		Hidden bool   `json:"hidden"`
	} `json:"data"`
}

// account is the answer to account/read.
type account struct {
	Account json.RawMessage `json:"account"`
	Needed  *bool           `json:"requiresOpenaiAuth"`
}

// inquire asks the server what it offers, and reports whether it can ask its provider;
// false, false where it does not say.
func (p *Provider) inquire(ctx context.Context, path string) (signedIn, told bool) {
	peer := jsonrpc.New(jsonrpc.Unmarked)
	var lines [][]byte
	call := func(method string, params any) {
		line, _, err := peer.Call(method, params)
		if err != nil {
			panic(err) // the values are ours and plain
		}
		lines = append(lines, line)
	}
	call("initialize", initialize())
	ready, err := peer.Notify("initialized", nil)
	if err != nil {
		panic(err) // it has no values
	}
	lines = append(lines, ready)
	call("model/list", struct{}{})
	call("account/read", struct{}{})
	open := 3
	var models modelList
	var is account
	err = p.program.Inquire(ctx, path, dialog.Question{
		Args: []string{"app-server"}, Lines: lines,
		Take: func(line []byte) bool {
			m, err := peer.Take(line)
			if err != nil || m.Kind != jsonrpc.Result && m.Kind != jsonrpc.Failure {
				return false
			}
			open--
			switch { // what cannot be read says nothing
			case m.Kind == jsonrpc.Failure:
			case m.Method == "model/list":
				_ = json.Unmarshal(m.Params, &models)
			case m.Method == "account/read":
				_ = json.Unmarshal(m.Params, &is)
			}
			return open == 0
		},
	})
	if err != nil {
		p.log.Debug("agent not asked for its models", "err", err)
	}
	list := []agent.Choice{{Value: defaultModel, Name: "Default", Note: "What Codex is set to"}}
	for _, m := range models.Data {
		if m.ID != "" && m.Name != "" && !m.Hidden {
			list = append(list, agent.Choice{Value: m.ID, Name: m.Name, Note: dialog.Clip(m.Note)})
		}
	}
	if len(list) > 1 {
		p.models.Set(list)
	}
	has := len(is.Account) > 0 && string(is.Account) != "null"
	return has || is.Needed != nil && !*is.Needed, is.Needed != nil
}

// sandbox runs a command that does nothing in the sandbox. Empty where that says
// nothing: there is no such command, or it fails for another reason.
func (p *Provider) sandbox(ctx context.Context, path string) agent.Sandbox {
	_, err := p.program.Output(ctx, path, "sandbox", "--", "true")
	switch {
	case err == nil:
		return agent.SandboxWorks
	case runtime.GOOS != "linux" || strings.Contains(err.Error(), "execvp"):
		return ""
	case noSandbox.MatchString(err.Error()):
		return agent.SandboxFails
	default:
		return ""
	}
}
