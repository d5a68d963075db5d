package kimi_test

import (
	"bytes"
	"flag"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/kimi"
	"signalbox/backend/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// captures are the conversations with turns.
func captures(tb testing.TB) []agenttest.Capture {
	tb.Helper()
	return agenttest.Captures(tb, "testdata/two-way")
}

// asks tells which of the CLI's requests a person is asked about.
func asks(request gjson.Result) bool {
	return request.Get("method").Str == "elicitation/create" || request.Get("method").Str == "session/request_permission" &&
		!strings.HasPrefix(request.Get("params.options.0.optionId").Str, "q0_")
}

func replay(t *testing.T, c agenttest.Capture) agenttest.Replayed {
	t.Helper()
	req := agent.Request{Run: "r_1", Text: "go", Cwd: "/workspace", Session: c.Session, Fork: c.Fork, Turn: c.Turn, Selection: wire.Selection{Mode: wire.ModeCode}}
	if c.Plan {
		req.Selection.Mode = wire.ModePlan
	}
	home := t.TempDir()
	tr, program := kimi.New(kimi.Options{Environ: []string{"KIMI_CODE_HOME=" + home}}).Translator(req)
	return c.Replay(t, tr, program, home, asks)
}

func TestTranslator_golden(t *testing.T) {
	t.Parallel()
	for _, c := range captures(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			agenttest.Golden(t, c.Base+".want.jsonl", replay(t, c).Golden(t), *update)
		})
	}
}

// What holds for every capture: the contract of all agents and no line that is
// not understood.
func TestTranslator_holdsForEveryCapture(t *testing.T) {
	t.Parallel()
	for _, c := range captures(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			r := replay(t, c)
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			agenttest.Check(t, r.Events, r.Result)
			if strings.Contains(r.Log, "not understood") {
				t.Error(r.Log)
			}
			for _, e := range agenttest.Of[wire.Error](r.Events) {
				if e.Code == "failed" {
					t.Errorf("the error says too little: %+v", e)
				}
			}
		})
	}
}

// begun is how a conversation begins; a tool runs.
var begun = []string{
	`{"jsonrpc":"2.0","id":1,"result":{}}`,
	`{"jsonrpc":"2.0","id":2,"result":{"sessionId":"session_1"}}`,
	`{"jsonrpc":"2.0","id":3,"result":{}}`,
	`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session_1","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"Bash"}}}`,
}

func FuzzTranslator(f *testing.F) {
	seen := map[string]bool{}
	for _, c := range captures(f) {
		for _, line := range c.Said() {
			kind := gjson.GetBytes(line, "method").Str + gjson.GetBytes(line, "params.update.sessionUpdate").Str +
				gjson.GetBytes(line, "params.item.type").Str
			if !seen[kind] && len(line) < 2000 {
				seen[kind] = true
				f.Add(line)
			}
		}
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		tr, _ := kimi.New(kimi.Options{Environ: []string{"KIMI_CODE_HOME=/nonexistent"}}).Translator(agent.Request{Run: "r_1", Cwd: "/workspace"})
		var lines [][]byte
		for _, line := range begun {
			lines = append(lines, []byte(line))
		}
		agenttest.Feed(t, tr, append(lines, bytes.Split(out, []byte("\n"))...))
	})
}
