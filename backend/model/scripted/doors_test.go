package scripted_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"signalbox/backend/model/scripted"
)

// whole is an answer that was put together from its stream, of any door.
type whole struct {
	Text, Thinking string
	Calls          []call
	Stop           string // of chat completions, or the type of the last event
	Usage          scripted.Usage
}

// events returns the data of a stream's events.
func (c *client) events(resp *http.Response) []gjson.Result {
	c.t.Helper()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		c.t.Fatalf("status %d, %v: %s", resp.StatusCode, err, raw)
	}
	var list []gjson.Result
	for line := range strings.Lines(string(raw)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok && strings.TrimSpace(data) != "[DONE]" {
			list = append(list, gjson.Parse(data))
		}
	}
	return list
}

func (c *client) responses(tools any, input ...any) whole {
	c.t.Helper()
	var w whole
	body := map[string]any{"model": "m-1", "stream": true, "instructions": "You are an agent.", "tools": tools, "input": input}
	for _, ev := range c.events(c.post("/v1/responses", body)) {
		w.Stop = ev.Get("type").Str
		switch w.Stop {
		case "response.output_text.delta":
			w.Text += ev.Get("delta").Str
		case "response.reasoning_summary_text.delta":
			w.Thinking += ev.Get("delta").Str
		case "response.output_item.done":
			if item := ev.Get("item"); item.Get("call_id").Exists() {
				w.Calls = append(w.Calls, call{item.Get("name").Str, item.Get("arguments").Str + item.Get("input").Str})
			}
		case "response.completed", "response.incomplete":
			u := ev.Get("response.usage")
			cached := u.Get("input_tokens_details.cached_tokens").Int()
			w.Usage = scripted.Usage{Input: u.Get("input_tokens").Int() - cached, CacheRead: cached, Output: u.Get("output_tokens").Int()}
		}
	}
	return w
}

func (c *client) completions(messages ...any) whole {
	c.t.Helper()
	var w whole
	tools := []any{map[string]any{"type": "function", "function": map[string]any{"name": "Bash"}}}
	body := map[string]any{"model": "m-1", "stream": true, "tools": tools, "messages": messages}
	for _, ev := range c.events(c.post("/v1/chat/completions", body)) {
		delta := ev.Get("choices.0.delta")
		w.Text += delta.Get("content").Str
		w.Thinking += delta.Get("reasoning_content").Str
		for _, f := range delta.Get("tool_calls").Array() {
			if name := f.Get("function.name").Str; name != "" {
				w.Calls = append(w.Calls, call{Name: name})
			}
			w.Calls[f.Get("index").Int()].Input += f.Get("function.arguments").Str
		}
		if s := ev.Get("choices.0.finish_reason").Str; s != "" {
			w.Stop = s
		}
		if u := ev.Get("usage"); u.Exists() {
			cached := u.Get("prompt_tokens_details.cached_tokens").Int()
			w.Usage = scripted.Usage{Input: u.Get("prompt_tokens").Int() - cached, CacheRead: cached, Output: u.Get("completion_tokens").Int()}
		}
	}
	return w
}

func person(text string) any {
	return map[string]any{"type": "message", "role": "user", "content": []any{map[string]any{"type": "input_text", "text": text}}}
}

func result(text string) any {
	return map[string]any{"type": "function_call_output", "call_id": "c", "output": text}
}

// The two ways in which Codex offers its tools, and the steps of a scenario.
func TestResponses_spellsCallsForTheAgent(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	plain := []any{map[string]any{"type": "function", "name": "exec_command"}, map[string]any{"type": "custom", "name": "apply_patch"}}
	code := map[string]any{"type": "additional_tools", "role": "developer", "tools": []any{
		map[string]any{"type": "namespace", "name": "functions", "tools": []any{map[string]any{"name": "exec"}}},
	}}
	const patch = "*** Begin Patch\n*** Add File: notes.txt\n+alpha\n+beta\n+gamma\n*** End Patch"
	quoted, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		tools any
		input []any
		want  whole
	}{
		{"functions", plain, []any{person("SCENARIO edit")}, whole{
			Thinking: "Create the file, then change it.", Calls: []call{{"apply_patch", patch}}, Stop: "response.completed",
		}},
		{"code", nil, []any{code, person("SCENARIO edit")}, whole{
			Thinking: "Create the file, then change it.", Stop: "response.completed",
			Calls: []call{{"exec", "const r = await tools.apply_patch(" + string(quoted) + "); text(r);"}},
		}},
		{"after both", plain, []any{person("SCENARIO edit"), result("ok"), map[string]any{"type": "reasoning"}, result("ok")}, whole{
			Text: "I created notes.txt and changed beta to BETA.", Stop: "response.completed",
		}},
		{"cut off", plain, []any{person("SCENARIO max-tokens")}, whole{Text: "I ran out of", Stop: "response.incomplete"}},
	}
	for _, tt := range tests {
		got := c.responses(tt.tools, tt.input...)
		if got.Usage.Input == 0 || got.Usage.Output == 0 {
			t.Errorf("%s: usage %+v", tt.name, got.Usage)
		}
		got.Usage = scripted.Usage{}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestCompletions_spellsCallsForTheAgent(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	system := map[string]any{"role": "system", "content": "The plan file is /home/user/plans/p.md"}
	tool := map[string]any{"role": "tool", "tool_call_id": "c", "content": "ok"}
	tests := []struct {
		name     string
		messages []any
		want     whole
	}{
		{"a call", []any{user("SCENARIO shell-fail")}, whole{Calls: []call{{"Bash", `{"command":"echo before; echo bad \u003e\u00262; exit 3"}`}}, Stop: "tool_calls"}},
		{"two at once", []any{user("SCENARIO parallel")}, whole{
			Text:  "Two at once.",
			Calls: []call{{"Bash", `{"command":"sleep 1; echo first"}`}, {"Bash", `{"command":"echo second"}`}}, Stop: "tool_calls",
		}},
		{"the plan is written first", []any{system, user("SCENARIO plan")}, whole{
			Calls: []call{{"Write", `{"content":"1. Write made.txt\n2. Run tests","path":"/home/user/plans/p.md"}`}}, Stop: "tool_calls",
		}},
		{"then handed in", []any{system, user("SCENARIO plan"), tool}, whole{Text: "Here is my plan.", Calls: []call{{"ExitPlanMode", "{}"}}, Stop: "tool_calls"}},
		{"reasoning", []any{user("SCENARIO thinking")}, whole{
			Thinking: "First I consider the request. Then I decide to answer briefly.", Text: "Here is the answer after thinking.", Stop: "stop",
		}},
		{"cut off", []any{user("SCENARIO max-tokens")}, whole{Text: "I ran out of", Stop: "length"}},
	}
	for _, tt := range tests {
		got := c.completions(tt.messages...)
		if got.Usage.Input == 0 || got.Usage.Output == 0 {
			t.Errorf("%s: usage %+v", tt.name, got.Usage)
		}
		got.Usage = scripted.Usage{}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// What an answer says that it cost is what the log says, and a prefix that was
// seen before is cached.
func TestDoors_usage(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	for i, w := range []whole{c.responses(nil, person("Hello")), c.responses(nil, person("Hello")), c.completions(user("Hello")), c.completions(user("Hello"))} {
		if diff := cmp.Diff(c.last(i).Usage, w.Usage); diff != "" {
			t.Errorf("request %d (-log +told):\n%s", i, diff)
		}
		if cached := w.Usage.CacheRead > 0; cached != (i%2 == 1) {
			t.Errorf("request %d: usage %+v", i, w.Usage)
		}
	}
}

func TestDoors_failures(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	for scenario, want := range map[string]struct {
		status int
		code   string
	}{
		"error-401": {401, "invalid_api_key"},
		"error-404": {404, "model_not_found"},
		"error-429": {429, "rate_limit_exceeded"},
		"error-503": {503, "server_is_overloaded"},
		"error-529": {529, "overloaded_error"},
		"quota":     {429, "insufficient_quota"},
		"overflow":  {400, "context_length_exceeded"},
	} {
		for path, body := range map[string]map[string]any{
			"/v1/responses":        {"model": "m", "stream": true, "input": []any{person("SCENARIO " + scenario)}},
			"/v1/chat/completions": {"model": "m", "stream": true, "messages": []any{user("SCENARIO " + scenario)}},
		} {
			a := c.read(c.post(path, body))
			if got := gjson.Get(a.Raw, "error.code").Str; a.Status != want.status || got != want.code {
				t.Errorf("%s, %s: %d %s, want %d %s", path, scenario, a.Status, got, want.status, want.code)
			}
		}
	}
}

func TestDoors_requestsThatAreNotRight(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	for _, tt := range []struct{ path, body string }{
		{"/v1/responses", `{"input":"x"}`},
		{"/v1/responses", `{"model":"m","input":7}`},
		{"/v1/responses", `{"model":"m","input":[]}`},
		{"/v1/responses", `{"model":"m","input":"x","tools":{}}`},
		{"/v1/responses", `[`},
		{"/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}]}`},
		{"/v1/chat/completions", `{"model":"m"}`},
		{"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":7}`},
		{"/v1/chat/completions", ``},
	} {
		if a := c.read(c.send(http.MethodPost, tt.path, strings.NewReader(tt.body), "k")); a.Status != http.StatusBadRequest || a.Error == "" {
			t.Errorf("%s %s: %d %s", tt.path, tt.body, a.Status, a.Raw)
		}
	}
}

// An answer that does not stream has the same in one body.
func TestDoors_wholeAnswers(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	for path, tt := range map[string]struct {
		body       map[string]any
		find, want string
	}{
		"/v1/responses":        {map[string]any{"model": "m", "input": "SCENARIO thinking"}, "output.#.type", `["reasoning","message"]`},
		"/v1/chat/completions": {map[string]any{"model": "m", "messages": []any{user("SCENARIO thinking")}}, "choices.0.message.content", `"Here is the answer after thinking."`},
	} {
		raw, err := io.ReadAll(c.post(path, tt.body).Body)
		if got := gjson.GetBytes(raw, tt.find).Raw; err != nil || got != tt.want || gjson.GetBytes(raw, "usage.total_tokens").Int() == 0 {
			t.Errorf("%s: %v, %s", path, err, raw)
		}
	}
}
