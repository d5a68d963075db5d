package kimi_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/agent/kimi"
	"signalbox/backend/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// captures is the folder of the conversations with turns.
const captures = "testdata/two-way"

// asks tells which of the CLI's requests a person is asked about.
func asks(request gjson.Result) bool {
	return request.Get("method").Str == "elicitation/create" || request.Get("method").Str == "session/request_permission" &&
		!strings.HasPrefix(request.Get("params.options.0.optionId").Str, "q0_")
}

func replay(t *testing.T, c agenttest.Capture) agenttest.Replayed {
	t.Helper()
	home := t.TempDir()
	tr, program := kimi.New(kimi.Options{Environ: []string{"KIMI_CODE_HOME=" + home}}).Translator(c.Request())
	return c.Replay(t, tr, program, home, asks)
}

// What holds for every capture: the contract of all agents and no line that is
// not understood.
func TestTranslator_holdsForEveryCapture(t *testing.T) {
	t.Parallel()
	agenttest.Replays(t, captures, *update, replay, func(t *testing.T, _ agenttest.Capture, r agenttest.Replayed) {
		for _, e := range agenttest.Of[wire.Error](r.Events) {
			if e.Code == "failed" {
				t.Errorf("the error says too little: %+v", e)
			}
		}
	})
}

// begun is how a conversation begins; a tool runs.
var begun = []string{
	`{"jsonrpc":"2.0","id":1,"result":{}}`,
	`{"jsonrpc":"2.0","id":2,"result":{"sessionId":"session_1"}}`,
	`{"jsonrpc":"2.0","id":3,"result":{}}`,
	`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session_1","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"Bash"}}}`,
}

func TestTranslator_knowsOtherConversations(t *testing.T) {
	t.Parallel()
	agenttest.Known(t, "testdata/beside", translator)
}

func FuzzTranslator(f *testing.F) { agenttest.Fuzz(f, captures, begun, translator) }

// translator is one of a run that has just begun.
func translator() dialog.Translator {
	tr, _ := kimi.New(kimi.Options{Environ: []string{"KIMI_CODE_HOME=/nonexistent"}}).Translator(agent.Request{Run: "r_1", Cwd: "/workspace"})
	return tr
}
