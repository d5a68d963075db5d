package chat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/backend/chat"
	"signalbox/backend/wire"
)

func TestCalls_tellsWhatNamedToolsDid(t *testing.T) {
	t.Parallel()
	input := json.RawMessage(`{"name":"Edit","path":"a"}`)
	l := &log{t: t}
	for _, tt := range []struct {
		event wire.Event
		want  bool
	}{
		{wire.User{Text: "Edit", ClientID: "a", By: ann}, false},
		{wire.RunStarted{}, true},
		{wire.ToolUseStart{ToolID: "1", Name: "Edit", Input: input}, true},
		{wire.ToolUseEnd{ToolID: "1", Name: "Edit", OK: true}, true},
		{wire.ToolUseStart{ToolID: "2", Name: "apply_patch", Input: input}, true},
		{wire.ToolUseStart{ToolID: "3", Name: "Apply.Patch", Input: input}, true},
		{wire.ToolUseStart{ToolID: "4", Name: "Edit", Server: "other", Input: input}, false},
		{wire.ToolUseStart{ToolID: "5", Name: "Read", Input: input}, false},
		{wire.ToolUseEnd{ToolID: "5", Name: "Read", Output: "edit"}, false},
		{wire.ToolUseEnd{ToolID: "6", OK: true}, true},
		{wire.AssistantText{Item: "i", Delta: "Edit"}, false},
		{wire.Complete{Status: wire.StatusOK}, true},
	} {
		l.add("r_1", tt.event)
		line := l.lines[len(l.lines)-1]
		if got := chat.Calls([]string{"edit", "applypatch"})(line); got != tt.want {
			t.Errorf("%s: %v, want %v", line, got, tt.want)
		}
	}
	tells := chat.Calls([]string{"edit"})
	for _, line := range []string{"", "{", `{"seq":1}`, `{"type":"tool_use_start"}`, strings.Repeat("[", 1000)} {
		if tells([]byte(line)) {
			t.Errorf("%.20q is told", line)
		}
	}
}
