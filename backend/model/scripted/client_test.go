package scripted_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"signalbox/backend/model/modeltest"
	"signalbox/backend/model/scripted"
)

// client speaks the Messages API to a scripted server, as an agent would.
type client struct {
	t    *testing.T
	s    *scripted.Server
	base string
	http *http.Client
}

func newClient(t *testing.T, opts scripted.Options) *client {
	t.Helper()
	s, base := modeltest.Start(t, opts)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{t: t, s: s, base: base, http: &http.Client{Transport: transport}}
}

// ask is the body of a streaming request with one prompt and the usual tools.
func ask(prompt string, more ...any) map[string]any {
	return map[string]any{
		"model": "m-1", "stream": true, "max_tokens": 100,
		"system":   "You are an agent. Primary working directory: /srv/work",
		"tools":    []any{map[string]any{"name": "Bash"}, map[string]any{"name": "Write"}, map[string]any{"name": "TaskCreate"}, map[string]any{"name": "TaskUpdate"}, map[string]any{"name": "Agent"}},
		"messages": append([]any{user(prompt)}, more...),
	}
}

func user(text string) any { return map[string]any{"role": "user", "content": text} }

// used is an assistant's tool call and its result, as agents send them back.
func used(ids ...string) []any {
	var calls, results []any
	for _, id := range ids {
		calls = append(calls, map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{}})
		results = append(results, map[string]any{"type": "tool_result", "tool_use_id": id, "content": "ok " + id})
	}
	return []any{map[string]any{"role": "assistant", "content": calls}, map[string]any{"role": "user", "content": results}}
}

func (c *client) post(path string, body any) *http.Response {
	c.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.send(http.MethodPost, path, bytes.NewReader(b), "sk-secret")
}

func (c *client) send(method, path string, body io.Reader, key string) *http.Response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("X-Api-Key", key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		if err := resp.Body.Close(); err != nil {
			c.t.Error(err)
		}
	})
	return resp
}

// answer is an answer put together from its stream.
type answer struct {
	Status   int
	Text     string
	Thinking string
	Calls    []call
	Stop     string
	Usage    usage
	Error    string // the type of an error, in or in place of the stream
	Cut      bool   // the stream ended without its end
	Raw      string
}

type call struct{ Name, Input string }

type usage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

// streamEvent is every event of a stream at once.
type streamEvent struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
	Block struct {
		Type, Name string
	} `json:"content_block"`
	Delta struct {
		Type, Text, Thinking string
		Partial              string `json:"partial_json"`
		Stop                 string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
	Error struct{ Type string }
}

func (c *client) read(resp *http.Response) answer {
	c.t.Helper()
	a := answer{Status: resp.StatusCode}
	raw, err := io.ReadAll(resp.Body)
	a.Raw, a.Cut = string(raw), err != nil
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		c.t.Fatalf("read the stream: %v", err)
	}
	if resp.StatusCode != http.StatusOK {
		var ev streamEvent
		if err := json.Unmarshal(raw, &ev); err != nil {
			c.t.Fatal(err)
		}
		a.Error = ev.Error.Type
		return a
	}
	sc := bufio.NewScanner(bytes.NewReader(raw))
	for sc.Scan() {
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		if !ok {
			continue
		}
		var ev streamEvent
		if err := json.Unmarshal([]byte(data), &ev); err != nil {
			c.t.Fatalf("event %q: %v", data, err)
		}
		a.take(ev)
	}
	return a
}

func (a *answer) take(ev streamEvent) {
	switch ev.Type {
	case "content_block_start":
		if ev.Block.Type == "tool_use" {
			a.Calls = append(a.Calls, call{Name: ev.Block.Name})
		}
	case "content_block_delta":
		a.Text += ev.Delta.Text
		a.Thinking += ev.Delta.Thinking
		if ev.Delta.Partial != "" {
			a.Calls[len(a.Calls)-1].Input += ev.Delta.Partial
		}
	case "message_delta":
		a.Stop, a.Usage = ev.Delta.Stop, ev.Usage
	case "error":
		a.Error = ev.Error.Type
	}
}

// play asks for a scenario and reads the answer.
func (c *client) play(prompt string, more ...any) answer {
	c.t.Helper()
	return c.read(c.post("/v1/messages", ask(prompt, more...)))
}

// last returns the newest request once its answer has ended.
func (c *client) last(n int) scripted.Request {
	c.t.Helper()
	req, err := c.s.Wait(c.t.Context(), func(r scripted.Request) bool { return r.N == n && r.End != scripted.EndOpen })
	if err != nil {
		c.t.Fatal(err)
	}
	return req
}
