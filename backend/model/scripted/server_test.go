package scripted_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/model/scripted"
)

func TestServer_stepFollowsToolResults(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	write := call{"Write", `{"content":"alpha\nbeta\ngamma\n","file_path":"/srv/work/notes.txt"}`}
	edit := call{"Edit", `{"file_path":"/srv/work/notes.txt","new_string":"BETA","old_string":"beta"}`}
	reminder := user("<system-reminder>Be careful.</system-reminder>")
	tests := []struct {
		name string
		more []any
		want answer
	}{
		{"first", nil, answer{Thinking: "Create the file, then change it.", Calls: []call{write}, Stop: "tool_use"}},
		{"again after a failed try", []any{reminder}, answer{Thinking: "Create the file, then change it.", Calls: []call{write}, Stop: "tool_use"}},
		{"after one result", used("a"), answer{Calls: []call{edit}, Stop: "tool_use"}},
		{"two results of one message are one step", used("a", "b"), answer{Calls: []call{edit}, Stop: "tool_use"}},
		{"after two", append(used("a"), used("b")...), answer{Text: "I created notes.txt and changed beta to BETA.", Stop: "end_turn"}},
		{"after the last", append(append(used("a"), used("b")...), used("c")...), answer{Text: "I created notes.txt and changed beta to BETA.", Stop: "end_turn"}},
	}
	for _, tt := range tests {
		got := c.play("please SCENARIO edit", tt.more...)
		got.Raw, got.Usage, got.Status = "", usage{}, 0
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestServer_lastScenarioOfTheConversationCounts(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	said := func(text string) any { return map[string]any{"role": "assistant", "content": text} }
	got := c.play("SCENARIO text one", said("hello"), user("SCENARIO edit"), said("done"), user("SCENARIO recall now"))
	if want := "Earlier prompts: text one; edit."; got.Text != want {
		t.Errorf("text = %q, want %q", got.Text, want)
	}
	req := c.last(0)
	if req.Scenario != "recall" || req.Step != 0 || req.Model != "m-1" {
		t.Errorf("logged as %s step %d of %s", req.Scenario, req.Step, req.Model)
	}
}

func TestServer_answersByName(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{Scenarios: []scripted.Scenario{{
		Name: "mine",
		Steps: func(scripted.Turn) []scripted.Step {
			return []scripted.Step{{Blocks: []scripted.Block{scripted.Text("my own")}}}
		},
	}}})
	tests := []struct {
		prompt, want string
	}{
		{"hello", "Hello from the scripted model. This is prompt 1."},
		{"SCENARIO mine", "my own"},
		{"SCENARIO no-such-thing", `There is no scenario "no-such-thing".`},
		{"SCENARIO unicode-split", "Grüße 世界 🚀 👩‍💻 é — ☃"},
	}
	for _, tt := range tests {
		if got := c.play(tt.prompt).Text; got != tt.want {
			t.Errorf("%q: text = %q, want %q", tt.prompt, got, tt.want)
		}
	}
	long := c.play("SCENARIO long")
	if len(long.Text) != 270_000 || long.Stop != "end_turn" {
		t.Errorf("long: %d characters, stop %q", len(long.Text), long.Stop)
	}
	if got := c.play("SCENARIO unicode-surrogate"); !strings.Contains(got.Raw, `"text":"\ud83d"`) || !strings.Contains(got.Raw, `"text":"\ude80"`) {
		t.Errorf("the halves of a pair are not in deltas of their own:\n%s", got.Raw)
	}
	for prompt, stop := range map[string]string{"SCENARIO max-tokens": "max_tokens", "SCENARIO refusal": "refusal"} {
		if got := c.play(prompt); got.Stop != stop {
			t.Errorf("%s: stop = %q, want %q", prompt, got.Stop, stop)
		}
	}
}

func TestServer_todoIsSpelledForTheToolsOnOffer(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	if got := c.play("SCENARIO todo"); len(got.Calls) != 2 || got.Calls[0].Name != "TaskCreate" {
		t.Errorf("with TaskCreate on offer: %v", got.Calls)
	}
	body := ask("SCENARIO todo", used("a")...)
	body["tools"] = []any{map[string]any{"name": "TodoWrite"}}
	got := c.read(c.post("/v1/messages", body))
	want := []call{{"TodoWrite", `{"todos":[{"activeForm":"Read the code","content":"Read the code","status":"in_progress"},` +
		`{"activeForm":"Write a test","content":"Write a test","status":"pending"}]}`}}
	if diff := cmp.Diff(want, got.Calls); diff != "" {
		t.Errorf("with TodoWrite on offer (-want +got):\n%s", diff)
	}
}

func TestServer_withoutToolsNothingIsCalled(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	body := ask("SCENARIO write")
	delete(body, "tools")
	if got := c.read(c.post("/v1/messages", body)); len(got.Calls) != 0 || got.Text != "No tools were offered." || got.Stop != "end_turn" {
		t.Errorf("got %+v", got)
	}
}

func TestServer_wholeAnswerEqualsTheStream(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	body := ask("SCENARIO edit")
	body["stream"] = false
	resp := c.post("/v1/messages", body)
	var got struct {
		Content []struct {
			Type, Text, Thinking, Name, ID, Signature string
			Input                                     json.RawMessage
		}
		Stop  string `json:"stop_reason"`
		Usage usage
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	streamed := c.play("SCENARIO edit")
	if len(got.Content) != 2 || got.Content[0].Thinking != streamed.Thinking || string(got.Content[1].Input) != streamed.Calls[0].Input {
		t.Errorf("whole answer %+v, streamed %+v", got.Content, streamed)
	}
	if got.Stop != streamed.Stop || got.Usage.Output != streamed.Usage.Output {
		t.Errorf("whole: stop %q, usage %+v; streamed: %q, %+v", got.Stop, got.Usage, streamed.Stop, streamed.Usage)
	}
	if got.Content[1].ID == "" || got.Content[0].Signature == "" {
		t.Errorf("a call without id or reasoning without signature: %+v", got.Content)
	}
}

func TestServer_faults(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	tests := []struct {
		scenario string
		status   int
		kind     string
		cut      bool
		end      scripted.End
	}{
		{"error-400", 400, "invalid_request_error", false, scripted.EndWhole},
		{"error-401", 401, "authentication_error", false, scripted.EndWhole},
		{"error-403", 403, "permission_error", false, scripted.EndWhole},
		{"error-404", 404, "not_found_error", false, scripted.EndWhole},
		{"error-429", 429, "rate_limit_error", false, scripted.EndWhole},
		{"error-500", 500, "api_error", false, scripted.EndWhole},
		{"error-529", 529, "overloaded_error", false, scripted.EndWhole},
		{"overflow", 400, "invalid_request_error", false, scripted.EndWhole},
		{"cut", 200, "", true, scripted.EndCut},
		{"mid-error", 200, "overloaded_error", false, scripted.EndCut},
	}
	for n, tt := range tests {
		resp := c.post("/v1/messages", ask("SCENARIO "+tt.scenario))
		got := c.read(resp)
		if got.Status != tt.status || got.Error != tt.kind || got.Cut != tt.cut || got.Stop != "" {
			t.Errorf("%s: status %d, error %q, cut %t, stop %q", tt.scenario, got.Status, got.Error, got.Cut, got.Stop)
		}
		if tt.scenario == "error-429" && resp.Header.Get("Retry-After") != "1" {
			t.Errorf("429 without Retry-After")
		}
		if req := c.last(n); req.Status != tt.status || req.End != tt.end {
			t.Errorf("%s: logged with status %d, end %q", tt.scenario, req.Status, req.End)
		}
	}
}

func TestServer_aPassingFaultComesBackForTheNextPrompt(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	for round := range 2 {
		if got := c.play("SCENARIO once-429"); got.Status != http.StatusTooManyRequests {
			t.Errorf("round %d, first try: status %d", round, got.Status)
		}
		if got := c.play("SCENARIO once-429"); got.Text != "Recovered after a rate limit." {
			t.Errorf("round %d, second try: %+v", round, got)
		}
	}
}

func TestServer_hangSendsNothingUntilTheClientLeaves(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	body, err := json.Marshal(ask("SCENARIO hang"))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1/messages", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-secret")
	failed := make(chan error, 1) // one value
	go func() {
		resp, err := c.http.Do(req)
		if err == nil {
			err = resp.Body.Close()
		}
		failed <- err
	}()
	if _, err := c.s.Wait(t.Context(), func(r scripted.Request) bool { return r.Scenario == "hang" }); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-failed; err == nil {
		t.Error("the hanging request was answered")
	}
	if got := c.last(0); got.End != scripted.EndGone || got.Status != 0 {
		t.Errorf("logged with status %d, end %q", got.Status, got.End)
	}
}

func TestServer_aClientThatLeavesEndsTheStream(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	body, err := json.Marshal(ask("SCENARIO slow"))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1/messages", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "sk-secret")
	resp, err := c.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := resp.Body.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	if got := c.last(0); got.End != scripted.EndGone {
		t.Errorf("end = %q, want %q", got.End, scripted.EndGone)
	}
}

func TestServer_usageIsWhatTheStreamSaid(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	first, second := c.play("SCENARIO text"), c.play("SCENARIO text")
	if first.Usage.CacheWrite == 0 || first.Usage.CacheRead != 0 || second.Usage.CacheRead != first.Usage.CacheWrite || second.Usage.CacheWrite != 0 {
		t.Errorf("the same instructions are cached by the first request: %+v, %+v", first.Usage, second.Usage)
	}
	if want := int64(len(first.Text)+3) / 4; first.Usage.Output != want {
		t.Errorf("output = %d, want %d", first.Usage.Output, want)
	}
	for n, told := range []usage{first.Usage, second.Usage} {
		logged := c.last(n).Usage
		if diff := cmp.Diff(scripted.Usage{Input: told.Input, Output: told.Output, CacheRead: told.CacheRead, CacheWrite: told.CacheWrite}, logged); diff != "" {
			t.Errorf("request %d (-told +logged):\n%s", n, diff)
		}
	}
	var counted struct {
		Input int64 `json:"input_tokens"`
	}
	if err := json.NewDecoder(c.post("/v1/messages/count_tokens", ask("SCENARIO text")).Body).Decode(&counted); err != nil {
		t.Fatal(err)
	}
	if want := first.Usage.Input + first.Usage.CacheWrite; counted.Input != want {
		t.Errorf("count_tokens = %d, want %d", counted.Input, want)
	}
}

func TestServer_refusesWhatIsNotARequest(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	tests := []struct {
		name, method, path, body, key string
		status                        int
		kind                          string
	}{
		{"no key", "POST", "/v1/messages", `{"model":"m","messages":[{"role":"user","content":"x"}]}`, "", 401, "authentication_error"},
		{"no JSON", "POST", "/v1/messages", `{"model":`, "k", 400, "invalid_request_error"},
		{"no model", "POST", "/v1/messages", `{"messages":[{"role":"user","content":"x"}]}`, "k", 400, "invalid_request_error"},
		{"no message", "POST", "/v1/messages", `{"model":"m","messages":[]}`, "k", 400, "invalid_request_error"},
		{"odd content", "POST", "/v1/messages", `{"model":"m","messages":[{"role":"user","content":7}]}`, "k", 400, "invalid_request_error"},
		{"odd tools", "POST", "/v1/messages", `{"model":"m","tools":{},"messages":[{"role":"user","content":"x"}]}`, "k", 400, "invalid_request_error"},
		{"no such route", "GET", "/v2/else", "", "k", 404, "not_found_error"},
		{"too large", "POST", "/v1/messages", strings.Repeat(" ", 33<<20), "k", 413, "request_too_large"},
	}
	for _, tt := range tests {
		got := c.read(c.send(tt.method, tt.path, strings.NewReader(tt.body), tt.key))
		if got.Status != tt.status || got.Error != tt.kind {
			t.Errorf("%s: status %d, error %q, want %d, %q", tt.name, got.Status, got.Error, tt.status, tt.kind)
		}
	}
	if got := c.read(c.send("GET", "/v1/models", http.NoBody, "k")); !strings.Contains(got.Raw, `"id":"scripted-model"`) {
		t.Errorf("models: %s", got.Raw)
	}
}

func TestServer_logIsBoundedAndHoldsNoKey(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{Keep: 2})
	for range 3 {
		c.play("SCENARIO text")
	}
	c.last(2)
	reqs := c.s.Requests()
	if len(reqs) != 2 || reqs[0].N != 1 || c.s.Dropped() != 1 {
		t.Errorf("%d kept from %d on, %d dropped", len(reqs), reqs[0].N, c.s.Dropped())
	}
	b, err := json.Marshal(reqs)
	if err != nil {
		t.Fatal(err)
	}
	served, err := io.ReadAll(c.send("GET", "/requests", http.NoBody, "").Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{string(b), string(served)} {
		if strings.Contains(s, "sk-secret") || !strings.Contains(s, "[redacted]") {
			t.Errorf("the log holds a key: %s", s)
		}
	}
	if strings.Contains(string(served), "SCENARIO text") {
		t.Errorf("the served log holds bodies: %s", served)
	}
}

func TestServer_heard(t *testing.T) {
	t.Parallel()
	got := newClient(t, scripted.Options{}).play("Please\nSCENARIO heard")
	if want := "```text\nPlease\nSCENARIO heard\n```\n"; got.Text != want {
		t.Errorf("text = %q, want %q", got.Text, want)
	}
}

func TestServer_WaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	c := newClient(t, scripted.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.s.Wait(ctx, func(scripted.Request) bool { return true }); err != context.DeadlineExceeded {
		t.Errorf("Wait = %v", err)
	}
}

func TestStandard_namesAreUniqueAndExplained(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, sc := range scripted.Standard() {
		if seen[sc.Name] || sc.Note == "" {
			t.Errorf("%q is there twice or has no note", sc.Name)
		}
		seen[sc.Name] = true
	}
}
