package kimi_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/agent/kimi"
	"signalbox/backend/wire"
)

const session = "session_00000000-0000-4000-8000-000000000000"

// cli is the other side, played by hand in fake time, and its record.
type cli struct {
	*agenttest.Puppet
	t    *testing.T
	file string
	done chan agent.Result
}

func play(ctx context.Context, t *testing.T, d *agenttest.Diary, req agent.Request) *cli {
	t.Helper()
	home := t.TempDir()
	c := &cli{
		Puppet: agenttest.NewPuppet(), t: t, done: make(chan agent.Result, 1),
		file: filepath.Join(home, "sessions", "wd_x", session, "agents", "main", "wire.jsonl"),
	}
	if err := os.MkdirAll(filepath.Dir(c.file), 0o700); err != nil {
		t.Fatal(err)
	}
	req.Run, req.Cwd = "r_1", "/w"
	tr, program := kimi.New(kimi.Options{Environ: []string{"KIMI_CODE_HOME=" + home}}).Translator(req)
	go func() {
		res, err := dialog.Follow(ctx, c, d, tr, program, agenttest.Logger(t))
		if err != nil {
			t.Error(err)
		}
		c.done <- res
	}()
	return c
}

// record adds lines to the CLI's record of the session.
func (c *cli) record(lines ...string) {
	c.t.Helper()
	f, err := os.OpenFile(c.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// heard waits for a line with a method.
func (c *cli) heard(method string) string {
	for line := range c.Written {
		if gjson.Get(line, "method").Str == method {
			return line
		}
	}
	return ""
}

// answer answers the request with a method.
func (c *cli) answer(method, result string) string {
	line := c.heard(method)
	c.Lines <- `{"jsonrpc":"2.0","id":` + gjson.Get(line, "id").Raw + `,"result":` + result + `}`
	return line
}

func (c *cli) update(u string) {
	c.Lines <- `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":` + u + `}}`
}

// begin plays up to the prompt and returns it.
func (c *cli) begin() (prompt string) {
	c.answer("initialize", `{}`)
	c.answer("session/new", `{"sessionId":"`+session+`","configOptions":[{"id":"model","currentValue":"m","options":[{"value":"m","name":"Model"}]},`+
		`{"id":"thinking","currentValue":"on","options":[{"value":"off"},{"value":"on"}]}]}`)
	c.answer("session/set_mode", `{}`)
	return c.heard("session/prompt")
}

func (c *cli) end(prompt, reason string) {
	c.Lines <- `{"jsonrpc":"2.0","id":` + gjson.Get(prompt, "id").Raw + `,"result":{"stopReason":"` + reason + `"}}`
}

func (c *cli) exit() agent.Result {
	<-c.Closed
	c.Exit()
	return <-c.done
}

const chunk = `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"This will be cut"}}`

// The record is written a while after the answer; what stands in it of earlier
// turns is not this one's. What was said twice, or in halves of a character, is
// put right.
func TestRun_readsTheRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &agenttest.Diary{}
		c := play(t.Context(), t, d, agent.Request{Text: "go"})
		usage := func(n string) string {
			return `{"type":"usage.record","time":` + n + `,"usage":{"inputOther":` + n + `,"output":1,"inputCacheRead":2,"inputCacheCreation":3}}`
		}
		c.record(usage("1000"), `{"type":"turn.ended","reason":"failed","error":{"code":"provider.rate_limit"}}`)
		prompt := c.begin()
		c.update(chunk)
		c.update(chunk)
		c.end(prompt, "end_turn")
		c.update(`{"sessionUpdate":"usage_update","used":77,"size":100}`)
		time.Sleep(40 * time.Millisecond)
		c.record(
			`{"type":"context.append_loop_event","event":{"type":"content.part","part":{"type":"text","text":"This will be cut"}}}`,
			usage("10"), `{"half a line`,
		)
		time.Sleep(40 * time.Millisecond)
		c.record(usage("20"), `{"type":"turn.ended","reason":"completed"}`)
		res := c.exit()
		agenttest.Check(t, d.Events(), res)
		if res.Status != wire.StatusOK || agenttest.Text(d.Events(), "") != "This will be cut" {
			t.Errorf("ended %+v, said %q", res, agenttest.Text(d.Events(), ""))
		}
		want := wire.Usage{Input: 30, Output: 2, CacheRead: 4, CacheWrite: 6, Model: "Model", Context: 77, ContextMax: 100}
		if res.Usage == nil || *res.Usage != want {
			t.Errorf("usage %+v, want %+v", res.Usage, want)
		}
	})
}

func TestRun_ends(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		chunk  bool
		reason string
		record string
		status wire.Status
		code   string
	}{
		{"well", true, "end_turn", `{"type":"turn.ended","reason":"completed"}`, wire.StatusOK, ""},
		{"well, and no record", true, "end_turn", "", wire.StatusOK, ""},
		{"without a word and no record", false, "end_turn", "", wire.StatusFailed, "no_result"},
		{"failed, as the record says", true, "end_turn", `{"type":"turn.ended","reason":"failed","error":{"code":"provider.overloaded","message":"529 Overloaded"}}`, wire.StatusFailed, "overloaded"},
		{"cut off", true, "end_turn", `{"type":"context.append_loop_event","event":{"type":"step.end","finishReason":"max_tokens"}}` + "\n" + `{"type":"turn.ended","reason":"completed"}`, wire.StatusFailed, "output_limit"},
		{"cut off, by the protocol", true, "max_tokens", `{"type":"turn.ended","reason":"completed"}`, wire.StatusFailed, "output_limit"},
		{"declined", true, "refusal", "", wire.StatusFailed, "refused"},
		{"too many steps", true, "max_turn_requests", "", wire.StatusMaxIterations, ""},
		{"interrupted by somebody else", true, "cancelled", "", wire.StatusInterrupted, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &agenttest.Diary{}
				c := play(t.Context(), t, d, agent.Request{Text: "go"})
				prompt := c.begin()
				if tt.chunk {
					c.update(chunk)
				}
				if tt.record != "" {
					c.record(tt.record)
				}
				c.end(prompt, tt.reason)
				res := c.exit()
				agenttest.Check(t, d.Events(), res)
				if res.Status != tt.status || res.Code != tt.code {
					t.Errorf("ended %+v, want %s %q", res, tt.status, tt.code)
				}
			})
		})
	}
}

// The CLI tries again and again without a word; that is bounded. A tool may take
// as long as it takes.
func TestRun_silenceIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &agenttest.Diary{}
		c := play(t.Context(), t, d, agent.Request{Text: "go"})
		prompt := c.begin()
		c.update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Bash"}`)
		time.Sleep(5 * time.Hour)
		c.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","rawOutput":"done"}`)
		quiet := time.Now()
		c.heard("session/cancel")
		if took := time.Since(quiet); took != 5*time.Minute {
			t.Errorf("it was given up after %v", took)
		}
		c.end(prompt, "cancelled")
		res := c.exit()
		agenttest.Check(t, d.Events(), res)
		if res.Code != dialog.CodeSilent {
			t.Errorf("ended %+v", res)
		}
	})
}

// What a person wants instead is given when the turn is over: the CLI takes a no
// and no reason.
func TestRun_remarks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &agenttest.Diary{Answer: func(context.Context, agent.Ask) (agent.Answer, error) {
			return agent.Answer{Reason: "Ann wants this instead: tea", Instead: "tea"}, nil
		}}
		c := play(t.Context(), t, d, agent.Request{Text: "go"})
		prompt := c.begin()
		c.Lines <- `{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"` + session + `",` +
			`"options":[{"optionId":"y","kind":"allow_once"},{"optionId":"a","kind":"allow_always"},{"optionId":"n","kind":"reject_once"}],` +
			`"toolCall":{"toolCallId":"c","title":"Bash"}}}`
		if line := c.heard(""); gjson.Get(line, "result.outcome.optionId").Str != "n" {
			t.Errorf("answered %s", line)
		}
		c.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","rawOutput":"rejected"}`)
		c.record(`{"type":"turn.ended","reason":"completed"}`)
		c.end(prompt, "end_turn")
		c.answer("session/set_mode", `{}`)
		second := c.heard("session/prompt")
		if got := gjson.Get(second, "params.prompt.0.text").Str; got != "Ann wants this instead: tea" {
			t.Errorf("the second prompt is %q", got)
		}
		c.update(chunk)
		c.record(`{"type":"turn.ended","reason":"completed"}`)
		c.end(second, "end_turn")
		res := c.exit()
		agenttest.Check(t, d.Events(), res)
		if res.Status != wire.StatusOK {
			t.Errorf("ended %+v", res)
		}
	})
}

// Review stands on the CLI's plan mode, which no plan may end there: nobody is
// asked.
func TestRun_reviewIsEndedByNoPlan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &agenttest.Diary{Answer: func(_ context.Context, a agent.Ask) (agent.Answer, error) {
			t.Errorf("asked %+v", a)
			return agent.Answer{Allow: true}, nil
		}}
		c := play(t.Context(), t, d, agent.Request{Text: "go", Selection: wire.Selection{Mode: wire.ModeReview}})
		prompt := c.begin()
		c.Lines <- `{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"` + session + `",` +
			`"options":[{"optionId":"plan_approve","kind":"allow_once"},{"optionId":"plan_revise","kind":"reject_once"},{"optionId":"plan_reject_and_exit","kind":"reject_once"}],` +
			`"toolCall":{"toolCallId":"c","title":"ExitPlanMode"}}}`
		if line := c.heard(""); gjson.Get(line, "result.outcome.optionId").Str != "plan_reject_and_exit" {
			t.Errorf("answered %s", line)
		}
		c.record(`{"type":"turn.ended","reason":"completed"}`)
		c.end(prompt, "end_turn")
		res := c.exit()
		agenttest.Check(t, d.Events(), res)
	})
}

func TestRun_settings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		sel  wire.Selection
		mode string
		set  map[string]string // by option
	}{
		{"nothing chosen", wire.Selection{}, "plan", nil}, // an unknown mode writes nothing
		{"the CLI's own model", wire.Selection{Mode: wire.ModeCode, Model: "default"}, "default", nil},
		{"all chosen", wire.Selection{Mode: wire.ModeFullAuto, Model: "other", Effort: "off"}, "default", map[string]string{"model": "other", "thinking": "off"}},
		{"a level where there are none", wire.Selection{Mode: wire.ModePlan, Effort: "high"}, "plan", map[string]string{"thinking": "on"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &agenttest.Diary{}
				c := play(t.Context(), t, d, agent.Request{Text: "go", Selection: tt.sel})
				c.answer("initialize", `{}`)
				c.answer("session/new", `{"sessionId":"`+session+`","configOptions":[{"id":"thinking","options":[{"value":"off"},{"value":"on"}]}]}`)
				if got := gjson.Get(c.answer("session/set_mode", `{}`), "params.modeId").Str; got != tt.mode {
					t.Errorf("mode %q, want %q", got, tt.mode)
				}
				for range tt.set {
					line := c.answer("session/set_config_option", `{}`)
					if want, got := tt.set[gjson.Get(line, "params.configId").Str], gjson.Get(line, "params.value").Str; got != want {
						t.Errorf("set %s", line)
					}
				}
				c.update(chunk)
				c.end(c.heard("session/prompt"), "end_turn")
				res := c.exit()
				agenttest.Check(t, d.Events(), res)
			})
		})
	}
}

// A mode that is refused ends the run before the prompt; an effort does not.
func TestRun_settingsThatAreRefused(t *testing.T) {
	t.Parallel()
	refuse := func(c *cli, method string) {
		line := c.heard(method)
		c.Lines <- `{"jsonrpc":"2.0","id":` + gjson.Get(line, "id").Raw + `,"error":{"code":-32603,"message":"Internal error","data":{"details":"Nothing like that."}}}`
	}
	synctest.Test(t, func(t *testing.T) {
		d := &agenttest.Diary{}
		c := play(t.Context(), t, d, agent.Request{Text: "go", Selection: wire.Selection{Mode: wire.ModePlan}})
		c.answer("initialize", `{}`)
		c.answer("session/new", `{"sessionId":"`+session+`"}`)
		refuse(c, "session/set_mode")
		res := c.exit()
		agenttest.Check(t, d.Events(), res)
		if res.Code != dialog.CodeBadFlag {
			t.Errorf("ended %+v", res)
		}
		for len(c.Written) > 0 {
			if line := <-c.Written; strings.Contains(line, "session/prompt") {
				t.Errorf("the prompt was given all the same: %s", line)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		d := &agenttest.Diary{}
		c := play(t.Context(), t, d, agent.Request{Text: "go", Selection: wire.Selection{Mode: wire.ModeCode, Effort: "high"}})
		c.answer("initialize", `{}`)
		c.answer("session/new", `{"sessionId":"`+session+`"}`)
		c.answer("session/set_mode", `{}`)
		refuse(c, "session/set_config_option")
		c.update(chunk)
		c.end(c.heard("session/prompt"), "end_turn")
		res := c.exit()
		agenttest.Check(t, d.Events(), res)
		if n := agenttest.Of[wire.System](d.Events()); res.Status != wire.StatusOK || len(n) != 1 || !strings.Contains(n[0].Text, "Nothing like that.") {
			t.Errorf("ended %+v, notices %+v", res, n)
		}
	})
}

func TestRun_badDays(t *testing.T) {
	t.Parallel()
	code := func(n int) *int { return &n }
	agenttest.BadDays(t, func(t testing.TB, s fake.Script) agent.Provider { return provider(t, s) }, map[string]agenttest.BadDay{
		"stderr is flooded": {Script: fake.Script{Capture: agenttest.TwoWay(t, "text"), StderrBytes: 4 << 20}, Status: wire.StatusOK},
		"garbage and lines of the future": {Script: fake.Script{Capture: agenttest.TwoWay(t, "text"), Before: []string{
			"not json", "", "[1,2]", "null", "{", `{"jsonrpc":"2.0","id":99,"result":{}}`, `{"jsonrpc":"2.0","method":"future/thing"}`,
			`{"jsonrpc":"2.0","method":"session/update","params":7}`, `{"jsonrpc":"2.0","id":"x","method":"future/request"}`, "\xff\xfe",
		}}, Status: wire.StatusOK},
		"a command that is no longer known": {Script: fake.Script{ExitEarly: true, Exit: code(1), Stderr: "error: unknown command 'acp'\n"}, Status: wire.StatusFailed, Code: "bad_flag", Words: "acp"},
		"killed":                            {Script: fake.Script{Capture: agenttest.TwoWay(t, "lose-kill-tool")}, Status: wire.StatusFailed, Code: "killed"},
		"no sign-in":                        {Script: fake.Script{Capture: agenttest.TwoWay(t, "no-login")}, Status: wire.StatusFailed, Code: "not_signed_in"},
	})
}

func TestProbe(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	probe := func(path, version string) agent.Status {
		return kimi.New(kimi.Options{
			Path: path, Env: fake.Script{Version: version}.Env(), Environ: []string{"PATH=/bin", "KIMI_CODE_HOME=" + home},
		}).Probe(t.Context())
	}
	if s := probe(exe, "2.1.0"); s.State != agent.StateNotSignedIn || s.Version != "2.1.0" || s.Hint == "" {
		t.Errorf("without a sign-in it is %+v", s)
	}
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte("default_model = 'x'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := probe(exe, "2.1.0"); s.State != agent.StateReady || s.Message != "" || s.SignIn != agent.SignInFound || s.Tested != kimi.Tested {
		t.Errorf("set up it is %+v", s)
	}
	models := "[models.\"kimi/k3 \"]\nname = 'x'\n  [models.fast]\n[models.a.b]\n# [models.no]\n[models.\"half]\n"
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(models), 0o600); err != nil {
		t.Fatal(err)
	}
	p := kimi.New(kimi.Options{Path: exe, Env: fake.Script{Version: "2.1.0"}.Env(), Environ: []string{"KIMI_CODE_HOME=" + home}})
	p.Probe(t.Context())
	want := []string{"default", "kimi/k3 ", "fast"}
	var got []string
	for _, m := range p.Info().Models {
		got = append(got, m.Value)
	}
	if !slices.Equal(got, want) {
		t.Errorf("it offers %q, want %q", got, want)
	}
	old := filepath.Join(home, "kimi")
	if err := os.WriteFile(old, []byte("#!/bin/sh\necho 'Node.js v20.20.2' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if s := probe(old, ""); s.State != agent.StateBroken || !strings.Contains(s.Message, "Node 22.19") || !strings.Contains(s.Hint, "PATH") {
		t.Errorf("under an old Node it is %+v", s)
	}
	if s := probe("no-such-program", ""); s.State != agent.StateNotInstalled || !strings.Contains(s.Hint, "npm install -g @moonshot-ai/kimi-code") {
		t.Errorf("a missing program is %+v", s)
	}
}

// Whatever a form is answered, it is either what the CLI takes or given in
// words.
func TestForm(t *testing.T) {
	t.Parallel()
	questions := []wire.QuestionItem{
		{Question: "One?", Options: []wire.QuestionOption{{Label: "a"}, {Label: "b"}}},
		{Question: "Some?", MultiSelect: true, Options: []wire.QuestionOption{{Label: "c"}, {Label: "d"}}},
	}
	for _, tt := range []struct {
		name    string
		answers map[string][]string
		want    string // JSON; empty: in words
	}{
		{"chosen", map[string][]string{"One?": {"a"}, "Some?": {"c", "d"}}, `{"q0":"a","q1":["c","d"]}`},
		{"written", map[string][]string{"One?": {"something else"}, "Some?": {"c"}}, ""},
		{"skipped", map[string][]string{"One?": {"a"}}, ""},
		{"none", nil, ""},
	} {
		content, ok := kimi.Form(questions, tt.answers)
		b, err := json.Marshal(content)
		if err != nil || ok != (tt.want != "") || ok && string(b) != tt.want {
			t.Errorf("%s: %s, %t, %v; want %s", tt.name, b, ok, err, tt.want)
		}
	}
	want := "The answers to your questions:\n- One? something else\n- Some? no answer"
	if got := kimi.InWords(questions, map[string][]string{"One?": {"something else"}}); got != want {
		t.Errorf("in words: %q", got)
	}
}
