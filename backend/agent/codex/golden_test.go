package codex_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/codex"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// captures is the folder of the conversations with turns.
const captures = "testdata/two-way"

// asks tells which of the server's requests a person is asked about.
func asks(request gjson.Result) bool {
	method := request.Get("method").Str
	return strings.HasSuffix(method, "/requestApproval") || method == "mcpServer/elicitation/request" ||
		method == "item/tool/requestUserInput"
}

func replay(t *testing.T, c agenttest.Capture) agenttest.Replayed {
	t.Helper()
	tr, program := codex.New(codex.Options{Environ: []string{}}).Translator(c.Request())
	return c.Replay(t, tr, program, "", asks)
}

// What holds for every capture: the contract of all agents, no line that is not
// understood, each text whole and once, the usage that the server told.
func TestTranslator_holdsForEveryCapture(t *testing.T) {
	t.Parallel()
	agenttest.Replays(t, captures, *update, replay, func(t *testing.T, c agenttest.Capture, r agenttest.Replayed) {
		checkText(t, c, r)
		checkUsage(t, c, r)
	})
}

// checkText: every whole message of our turn is seen, and nothing else.
func checkText(t *testing.T, c agenttest.Capture, r agenttest.Replayed) {
	t.Helper()
	if r.Result.Status != wire.StatusOK {
		return // cut in the middle of a message: the pieces are all there is
	}
	var want []string
	for _, line := range turnLines(c, r) {
		item := gjson.GetBytes(line, "params.item")
		if gjson.GetBytes(line, "method").Str != "item/completed" {
			continue
		}
		if kind := item.Get("type").Str; (kind == "agentMessage" || kind == "plan") && item.Get("text").Str != "" {
			want = append(want, item.Get("text").Str)
		}
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), agenttest.Text(r.Events, "")); diff != "" {
		t.Errorf("text (-said +seen):\n%s", diff)
	}
}

// checkUsage: the sum is that of the calls of our turn, subagents included.
func checkUsage(t *testing.T, c agenttest.Capture, r agenttest.Replayed) {
	t.Helper()
	var want wire.Usage
	session := agenttest.Of[wire.Session](r.Events)
	for _, line := range c.Said() {
		p := gjson.GetBytes(line, "params")
		if gjson.GetBytes(line, "method").Str != "thread/tokenUsage/updated" || len(session) == 0 {
			continue
		}
		if p.Get("threadId").Str == session[0].SessionID && p.Get("turnId").Str != r.Result.Turn {
			continue
		}
		last := p.Get("tokenUsage.last")
		cached := last.Get("cachedInputTokens").Int()
		want.Input += last.Get("inputTokens").Int() - cached
		want.CacheRead += cached
		want.Output += last.Get("outputTokens").Int()
		want.Reasoning += last.Get("reasoningOutputTokens").Int()
	}
	got := wire.Usage{}
	if u := r.Result.Usage; u != nil {
		got = wire.Usage{Input: u.Input, CacheRead: u.CacheRead, Output: u.Output, Reasoning: u.Reasoning}
		if u.Model == "" || u.Context == 0 || u.ContextMax == 0 || u.CostUSD != nil {
			t.Errorf("usage %+v, want a model, a context and no cost", *u)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("usage (-told +seen):\n%s", diff)
	}
}

// turnLines are the lines of the capture that belong to our turn.
func turnLines(c agenttest.Capture, r agenttest.Replayed) [][]byte {
	var lines [][]byte
	for _, line := range c.Said() {
		if gjson.GetBytes(line, "params.turnId").Str == r.Result.Turn {
			lines = append(lines, line)
		}
	}
	return lines
}

// begun is how a conversation begins; a tool runs.
var begun = []string{
	`{"id":1,"result":{}}`,
	`{"id":2,"result":{"thread":{"id":"t"},"model":"m"}}`,
	`{"id":3,"result":{"turn":{"id":"u"}}}`,
	`{"method":"item/started","params":{"threadId":"t","turnId":"u","item":{"type":"commandExecution","id":"c","command":"ls"}}}`,
}

func TestTranslator_knowsOtherConversations(t *testing.T) {
	t.Parallel()
	agenttest.Known(t, "testdata/beside", translator)
}

func FuzzTranslator(f *testing.F) { agenttest.Fuzz(f, captures, begun, translator) }

// translator is one of a run that has just begun.
func translator() dialog.Translator {
	tr, _ := codex.New(codex.Options{Environ: []string{}}).Translator(agent.Request{Run: "r_1", Cwd: "/workspace"})
	return tr
}

func TestShellWord(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`/bin/bash -lc 'echo hi'`:                 "echo hi",
		`/bin/bash -lc "head -c 10 | tr '\\0' x"`: `head -c 10 | tr '\0' x`,
		`/bin/zsh -lc 'it'"'"'s'`:                 "it's",
		`bash -lc ls`:                             "ls",
		`/bin/bash -lc 'x`:                        "'x",
		`/bin/bash -lc '`:                         "'",
		`echo bash -lc 'x'`:                       `echo bash -lc 'x'`,
		`git log`:                                 "git log",
		`/tmp/mine/bash -lc 'ls'`:                 `/tmp/mine/bash -lc 'ls'`,
		``:                                        "",
	} {
		if got := codex.ShellWord(in); got != want {
			t.Errorf("ShellWord(%s) = %s, want %s", in, got, want)
		}
	}
}
