package claude_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/claude"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// translated returns the events of lines.
func translated(t *testing.T, req agent.Request, lines ...string) []wire.Event {
	t.Helper()
	tr := claude.Translate(req)
	var events []wire.Event
	for _, line := range lines {
		events = append(events, tr.Line([]byte(line), clock).Events...)
	}
	return events
}

func whole(id, block string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"m","content":[%s]}}`, id, block)
}

func event(ev string) string {
	return fmt.Sprintf(`{"type":"stream_event","event":%s}`, ev)
}

func begin(id string) string {
	return event(fmt.Sprintf(`{"type":"message_start","message":{"id":%q}}`, id))
}

func blockStart(i int, kind string) string {
	return event(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":%q}}`, i, kind))
}

func piece(i int, text string) string {
	return event(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%q}}`, i, text))
}

func thought(i int, text string) string {
	return event(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"thinking_delta","thinking":%q}}`, i, text))
}

func text(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }

// An end of a turn with fields of another shape ends it, and a request that cannot
// be read is refused: else both sides would wait for ever.
func TestTranslator_oddEnd(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]wire.Status{
		`{"type":"result","subtype":"success","usage":{"input_tokens":1e3,"output_tokens":2.5},"modelUsage":[]}`: wire.StatusOK,
		`{"type":"result","subtype":"success","is_error":false,"errors":"none","result":{"text":"x"}}`:           wire.StatusOK,
		`{"type":"result","subtype":"error_during_execution","is_error":"yes"}`:                                  wire.StatusFailed,
		`{"type":"result","subtype":7}`: wire.StatusFailed,
	} {
		tr := claude.Translate(agent.Request{})
		tr.Line([]byte(`{"type":"system","subtype":"init","session_id":"s"}`), clock)
		if s := tr.Line([]byte(line), clock); !s.Odd {
			t.Errorf("%s is taken for usual", line)
		}
		if tr.Turning() {
			t.Errorf("%s: the turn goes on", line)
		}
		if _, res := tr.Finish(proc.Exit{}, false, clock); res.Status != want {
			t.Errorf("%s: the run ended with %+v, want %s", line, res, want)
		}
	}
	tr := claude.Translate(agent.Request{})
	for range 2 {
		tr.Line([]byte(`{"type":"result","subtype":"success","usage":{"input_tokens":1},"model_usage_since_last_result":{"m":{"inputTokens":1,"costUSD":1.7e308}}}`), clock)
	}
	if _, res := tr.Finish(proc.Exit{}, false, clock); res.Usage == nil || res.Usage.CostUSD != nil {
		t.Errorf("an infinite cost is %+v", res.Usage)
	}
	s := claude.Translate(agent.Request{}).Line([]byte(`{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":5}}`), clock)
	if !s.Odd || len(s.Send) != 1 || !strings.Contains(string(s.Send[0]), `"q"`) {
		t.Errorf("a request that cannot be read = %+v", s)
	}
}

// The whole message is right, and nothing of it is seen twice.
func TestTranslator_text(t *testing.T) {
	t.Parallel()
	const stop = `{"type":"stream_event","event":{"type":"message_stop"},"abandoned_blocks":{"from_block_index":0}}`
	say := func(item, delta, final string) wire.Event {
		return wire.AssistantText{Item: item, Delta: delta, Final: final}
	}
	tests := []struct {
		name  string
		lines []string
		want  []wire.Event
		text  string
	}{
		{
			name:  "pieces, then the same whole",
			lines: []string{begin("m"), blockStart(0, "text"), piece(0, "a"), piece(0, ""), piece(0, "b"), whole("m", text("ab"))},
			want:  []wire.Event{say("m/0", "a", ""), say("m/0", "b", "")}, text: "ab",
		},
		{
			name:  "pieces that say something else",
			lines: []string{begin("m"), blockStart(0, "text"), piece(0, "a?"), whole("m", text("ab"))},
			want:  []wire.Event{say("m/0", "a?", ""), say("m/0", "", "ab")}, text: "ab",
		},
		{
			name:  "no pieces",
			lines: []string{whole("m", text("one")), whole("m", text("two")), whole("m", text(""))},
			want:  []wire.Event{say("m/w1", "one", ""), say("m/w2", "two", "")}, text: "one\ntwo",
		},
		{
			name:  "a block without pieces between others",
			lines: []string{begin("m"), blockStart(0, "text"), whole("m", text("ab"))},
			want:  []wire.Event{say("m/0", "ab", "")}, text: "ab",
		},
		{
			name: "cut, then whole under another id",
			lines: []string{
				begin("m"), blockStart(0, "text"), piece(0, "This w"), stop,
				whole("n", text("This will")), whole("n", text("more")),
			},
			want: []wire.Event{say("m/0", "This w", ""), say("m/0", "", "This will"), say("n/w1", "more", "")},
			text: "This will\nmore",
		},
		{
			name: "cut without a word, then in pieces again",
			lines: []string{
				begin("m"), blockStart(0, "text"), piece(0, "This w"),
				begin("n"), blockStart(0, "text"), piece(0, "Th"), piece(0, "is will"), whole("n", text("This will")),
			},
			want: []wire.Event{say("m/0", "This w", ""), say("m/0", "", "Th"), say("m/0", "is will", "")},
			text: "This will",
		},
		{
			name: "cut twice, then whole",
			lines: []string{
				begin("m"), blockStart(0, "text"), piece(0, "a"),
				begin("n"), blockStart(0, "text"),
				whole("o", text("abc")),
			},
			want: []wire.Event{say("m/0", "a", ""), say("m/0", "", "abc")}, text: "abc",
		},
		{
			name: "whole, and abandoned all the same",
			lines: []string{
				begin("m"), blockStart(0, "text"), piece(0, "This will"), whole("m", text("This will")), stop,
				whole("n", text("This will")), whole("n", text("more")),
			},
			want: []wire.Event{say("m/0", "This will", ""), say("n/w1", "more", "")},
			text: "This will\nmore",
		},
		{
			name: "what is abandoned from its second block on keeps the first",
			lines: []string{
				begin("m"), blockStart(0, "text"), piece(0, "one"), whole("m", text("one")),
				blockStart(1, "text"), piece(1, "tw"), strings.Replace(stop, "index\":0", "index\":1", 1),
				whole("n", text("two")),
			},
			want: []wire.Event{say("m/0", "one", ""), say("m/1", "tw", ""), say("m/1", "", "two")},
			text: "one\ntwo",
		},
		{
			name: "a cut before the first piece leaves nothing to replace",
			lines: []string{
				begin("m"), blockStart(0, "text"), stop, whole("n", text("abc")),
			},
			want: []wire.Event{say("n/w1", "abc", "")}, text: "abc",
		},
		{
			name: "thinking is not taken over by text",
			lines: []string{
				begin("m"), blockStart(0, "thinking"), thought(0, "hm"), stop, whole("n", text("abc")),
			},
			want: []wire.Event{wire.Thinking{Item: "m/0", Delta: "hm"}, say("n/w1", "abc", "")}, text: "abc",
		},
		{
			name:  "the CLI's own words about an error are no answer",
			lines: []string{`{"type":"assistant","error":"rate_limit","is_api_error_message":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}`},
		},
		{
			name:  "content as a string",
			lines: []string{`{"type":"assistant","message":{"id":"m","content":"plain"}}`},
			want:  []wire.Event{say("m/w1", "plain", "")}, text: "plain",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := translated(t, agent.Request{}, tt.lines...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if got := agenttest.Text(got, ""); got != tt.text {
				t.Errorf("a reader sees %q, want %q", got, tt.text)
			}
		})
	}
}

func use(id, name, input string) string {
	return whole("m", fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, id, name, input))
}

func result(id, content string, failed bool, detail string) string {
	return fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":%s,"is_error":%v}]},"tool_use_result":%s}`,
		id, content, failed, detail)
}

func TestTranslator_tools(t *testing.T) {
	t.Parallel()
	three := 3
	tests := []struct {
		name  string
		lines []string
		want  wire.ToolUseEnd
	}{
		{
			"a result in parts",
			[]string{use("t", "Read", `{}`), result("t", `[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]`, false, `{"x":1}`)},
			wire.ToolUseEnd{ToolID: "t", Name: "Read", OK: true, Output: "a\n[image]\nb", Detail: []byte(`{"x":1}`)},
		},
		{
			"an exit code",
			[]string{use("t", "Bash", `{}`), result("t", `"Exit code 3\nbad"`, true, `"Error: Exit code 3\nbad"`)},
			wire.ToolUseEnd{ToolID: "t", Name: "Bash", Output: "Exit code 3\nbad", ExitCode: &three},
		},
		{
			"an exit code alone",
			[]string{use("t", "Bash", `{}`), result("t", `"Exit code 3"`, true, `null`)},
			wire.ToolUseEnd{ToolID: "t", Name: "Bash", Output: "Exit code 3", ExitCode: &three},
		},
		{
			"words like an exit code in an output that is well",
			[]string{use("t", "Bash", `{}`), result("t", `"Exit code 3\n"`, false, `{}`)},
			wire.ToolUseEnd{ToolID: "t", Name: "Bash", OK: true, Output: "Exit code 3\n", Detail: []byte(`{}`)},
		},
		{
			"words like an exit code later on",
			[]string{use("t", "Bash", `{}`), result("t", `"it said Exit code 3"`, true, `null`)},
			wire.ToolUseEnd{ToolID: "t", Name: "Bash", Output: "it said Exit code 3"},
		},
		{
			"a tool of an MCP server",
			[]string{use("t", "mcp__lab__add", `{}`), result("t", `"42"`, false, `null`)},
			wire.ToolUseEnd{ToolID: "t", Name: "add", OK: true, Output: "42"},
		},
		{
			"no content",
			[]string{use("t", "Bash", `{}`), result("t", `null`, false, `null`)},
			wire.ToolUseEnd{ToolID: "t", Name: "Bash", OK: true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ends := agenttest.Of[wire.ToolUseEnd](translated(t, agent.Request{}, tt.lines...))
			if len(ends) != 1 {
				t.Fatalf("%d ends", len(ends))
			}
			if diff := cmp.Diff(tt.want, ends[0]); diff != "" {
				t.Errorf("end (-want +got):\n%s", diff)
			}
		})
	}
}

// A command's stream that is the output letter for letter is held once, and what is
// left of the detail stays JSON however it was written.
func TestTranslator_outputIsHeldOnce(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat(`a \"line\",\n`, 50) + `"`
	for _, tt := range []struct{ name, output, detail, want string }{
		{"as the CLI writes it", long, `{"stdout":` + long + `,"stderr":"","interrupted":false}`, `{"stderr":"","interrupted":false}`},
		{"the last field", long, `{"stderr":"","stdout":` + long + `}`, `{"stderr":""}`},
		{"the only field", long, `{"stdout":` + long + `}`, `{}`},
		{"with blanks before commas", long, `{ "stdout":` + long + ` , "stderr":"" }`, `{  "stderr":"" }`},
		{"the last field, with blanks", long, `{"stderr":"" , "stdout":` + long + ` }`, `{"stderr":""}`},
		{"below another field", long, `{"ran":{"stdout":` + long + `},"more":[1]}`, `{"ran":{},"more":[1]}`},
		{"twice", long, `{"stdout":` + long + `,"stdout":` + long + `}`, `{"stdout":` + long + `}`},
		{"the output has more", `"b` + long[1:], `{"stdout":` + long + `}`, `{"stdout":` + long + `}`},
		{"the stream has more", long, `{"stdout":` + long[:len(long)-1] + `b"}`, `{"stdout":` + long[:len(long)-1] + `b"}`},
		{"short", `"ok"`, `{"stdout":"ok","stderr":""}`, `{"stdout":"ok","stderr":""}`},
		{"a key in a text", long, `{"note":"\"stdout\":` + long[1:] + `}`, `{"note":"\"stdout\":` + long[1:] + `}`},
		{"a key in a key", long, `{"a\"stdout":` + long + `,"b":1}`, `{"a\"stdout":` + long + `,"b":1}`},
		{"on lines that end in CR", long, "{\"stderr\":\"\",\r\"stdout\":" + long + "\r}", `{"stderr":""}`},
		{"on lines that end in CR, more", long, "{\r\"stdout\":" + long + "\r,\"stderr\":\"\"}", "{\r" + `"stderr":""}`},
		{"an output in parts", `[{"type":"text","text":` + long + `}]`, `{"stdout":` + long + `}`, `{"stdout":` + long + `}`},
		{"a stream in parts", `[{"type":"text","text":` + long + `}]`, `{"stdout":[{"type":"text","text":` + long + `}]}`, `{"stdout":[{"type":"text","text":` + long + `}]}`},
		{"a list", long, `[` + long + `]`, `[` + long + `]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ends := agenttest.Of[wire.ToolUseEnd](translated(t, agent.Request{}, use("t", "Bash", `{}`), result("t", tt.output, false, tt.detail)))
			if len(ends) != 1 || ends[0].Output == "" {
				t.Fatalf("ends: %+v", ends)
			}
			if got := string(ends[0].Detail); got != tt.want || !json.Valid(ends[0].Detail) {
				t.Errorf("detail %s, want %s", got, tt.want)
			}
		})
	}
}

// A result whose call was not seen, as when its line was cut off, still is a
// whole call on the page. A second result of one call is nothing.
func TestTranslator_resultWithoutACall(t *testing.T) {
	t.Parallel()
	events := translated(t, agent.Request{}, result("t", `"late"`, false, `{}`), use("t2", "Bash", `{}`), use("t2", "Bash", `{}`),
		result("", `"of nothing"`, false, `{}`), result("t2", `"done"`, false, `{}`))
	agenttest.Check(t, events, agent.Result{Status: wire.StatusOK})
	if starts := agenttest.Of[wire.ToolUseStart](events); len(starts) != 2 {
		t.Errorf("starts: %+v", starts)
	}
}

// What was open when the process went away is closed, the oldest first.
func TestTranslator_closesTools(t *testing.T) {
	t.Parallel()
	tr := claude.Translate(agent.Request{})
	var events []wire.Event
	for _, id := range []string{"c", "a", "b"} {
		events = append(events, tr.Line([]byte(use(id, "Bash", `{}`)), clock).Events...)
	}
	last, res := tr.Finish(proc.Exit{Code: -1, Signal: "killed"}, true, clock.Add(2*time.Second))
	events = append(events, last...)
	agenttest.Check(t, events, res)
	var order []string
	for _, e := range agenttest.Of[wire.ToolUseEnd](last) {
		order = append(order, e.ToolID)
		if e.OK || e.Output == "" || e.MS != 2000 {
			t.Errorf("end %+v", e)
		}
	}
	if diff := cmp.Diff([]string{"c", "a", "b"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestTranslator_todo(t *testing.T) {
	t.Parallel()
	create := func(id, subject string) []string {
		return []string{
			use("c"+id, "TaskCreate", fmt.Sprintf(`{"subject":%q}`, subject)),
			result("c"+id, `"ok"`, false, fmt.Sprintf(`{"task":{"id":%q,"subject":%q}}`, id, subject)),
		}
	}
	change := func(id, input string) []string {
		return []string{use("u"+id, "TaskUpdate", input), result("u"+id, `"ok"`, false, `{"success":true}`)}
	}
	join := func(parts ...[]string) (all []string) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	const written = `{"todos":[{"content":"one","status":"completed"},{"content":"two","status":"in_progress"},{"content":"three","status":"odd"}]}`
	tests := []struct {
		name  string
		lines []string
		want  []string // the lists, one after the other
	}{
		{
			"made, begun, done, struck out",
			join(create("1", "read"), create("2", "write"), change("1", `{"taskId":"1","status":"in_progress"}`),
				change("2", `{"taskId":"1","status":"completed"}`), change("3", `{"taskId":"2","status":"deleted"}`)),
			[]string{"read:pending", "read:pending write:pending", "read:in_progress write:pending", "read:completed write:pending", "read:completed"},
		},
		{"renamed", join(create("1", "read"), change("1", `{"taskId":"1","subject":"read all"}`)), []string{"read:pending", "read all:pending"}},
		{"a change that changes nothing", join(create("1", "read"), change("1", `{"taskId":"1","status":"pending"}`)), []string{"read:pending"}},
		{"of an earlier run", change("1", `{"taskId":"7","status":"in_progress"}`), []string{"#7:in_progress"}},
		{
			"the whole list",
			join(change("1", `{"taskId":"7","status":"in_progress"}`), []string{
				use("l", "TaskList", `{}`), result("l", `"ok"`, false, `{"tasks":[{"id":"7","subject":"old","status":"in_progress"}]}`),
				use("l2", "TaskList", `{}`), result("l2", `"ok"`, false, `{"tasks":[{"id":"7","subject":"old","status":"in_progress"}]}`),
			}),
			[]string{"#7:in_progress", "old:in_progress"},
		},
		{"written whole", []string{use("w", "TodoWrite", written), result("w", `"ok"`, false, `{}`)}, []string{"one:completed two:in_progress three:pending"}},
		{"a call that failed", []string{use("w", "TodoWrite", written), result("w", `"No such tool"`, true, `null`)}, nil},
		{"odd input", []string{use("w", "TodoWrite", `{"todos":7}`), result("w", `"ok"`, false, `{}`), use("c", "TaskCreate", `[]`), result("c", `"ok"`, false, `7`)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, todo := range agenttest.Of[wire.Todo](translated(t, agent.Request{}, tt.lines...)) {
				var words []string
				for _, item := range todo.Items {
					words = append(words, item.Text+":"+string(item.Status))
				}
				got = append(got, strings.Join(words, " "))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("lists (-want +got):\n%s", diff)
			}
		})
	}
}

// The older list belongs to the agent that writes it, the newer to the session.
func TestTranslator_todoOfSubagents(t *testing.T) {
	t.Parallel()
	of := func(line, parent string) string {
		return strings.Replace(line, "{", fmt.Sprintf(`{"parent_tool_use_id":%q,`, parent), 1)
	}
	const one = `{"todos":[{"content":"one","status":"pending"}]}`
	events := translated(t, agent.Request{},
		of(use("w", "TodoWrite", one), "sub"), of(result("w", `"ok"`, false, `{}`), "sub"),
		of(use("c", "TaskCreate", `{"subject":"s"}`), "sub"), of(result("c", `"ok"`, false, `{"task":{"id":"1","subject":"s"}}`), "sub"))
	var parents []string
	for _, todo := range agenttest.Of[wire.Todo](events) {
		parents = append(parents, todo.ParentToolID)
	}
	if diff := cmp.Diff([]string{"sub", ""}, parents); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
}

func TestTranslator_asks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, request string
		want          agent.Ask
	}{
		{
			"a command", `"tool_name":"Bash","input":{"command":"make test"},"description":"Run the tests","tool_use_id":"t"`,
			agent.Ask{Kind: wire.ApprovalCommand, Title: "make test", Detail: "Run the tests", ToolID: "t", Tool: "Bash", Input: []byte(`{"command":"make test"}`)},
		},
		{
			"a command that writes", `"tool_name":"Bash","input":{"command":"touch a"},"blocked_path":"/w/../etc/a"`,
			agent.Ask{Kind: wire.ApprovalCommand, Title: "touch a", Tool: "Bash", Input: []byte(`{"command":"touch a"}`), Paths: []string{"/etc/a"}},
		},
		{
			"an edit", `"tool_name":"Edit","input":{"file_path":"/w/a.go"}`,
			agent.Ask{Kind: wire.ApprovalEdit, Title: "/w/a.go", Tool: "Edit", Input: []byte(`{"file_path":"/w/a.go"}`), Paths: []string{"/w/a.go"}},
		},
		{
			"an edit of a relative path", `"tool_name":"Write","input":{"file_path":"../b"}`,
			agent.Ask{Kind: wire.ApprovalEdit, Title: "../b", Tool: "Write", Input: []byte(`{"file_path":"../b"}`), Paths: []string{"/b"}},
		},
		{
			"a notebook", `"tool_name":"NotebookEdit","input":{"notebook_path":"/w/n.ipynb"}`,
			agent.Ask{Kind: wire.ApprovalEdit, Title: "/w/n.ipynb", Tool: "NotebookEdit", Input: []byte(`{"notebook_path":"/w/n.ipynb"}`), Paths: []string{"/w/n.ipynb"}},
		},
		{
			"an edit of nothing", `"tool_name":"Edit","input":[]`,
			agent.Ask{Kind: wire.ApprovalEdit, Title: "Edit", Tool: "Edit", Input: []byte(`[]`)},
		},
		{
			"something that reads", `"tool_name":"Read","input":{"file_path":"/etc/passwd"}`,
			agent.Ask{Kind: wire.ApprovalTool, Title: "Read", Tool: "Read", Input: []byte(`{"file_path":"/etc/passwd"}`), ReadOnly: true},
		},
		{
			"a tool of an MCP server", `"tool_name":"mcp__lab__add","input":{"a":2}`,
			agent.Ask{Kind: wire.ApprovalTool, Title: "add (lab)", Tool: "mcp__lab__add", Input: []byte(`{"a":2}`)},
		},
		{
			"an MCP tool named like one that reads", `"tool_name":"mcp__lab__Read","input":{}`,
			agent.Ask{Kind: wire.ApprovalTool, Title: "Read (lab)", Tool: "mcp__lab__Read", Input: []byte(`{}`)},
		},
		{
			"a tool of the future", `"tool_name":"Teleport","input":{"x":1}`,
			agent.Ask{Kind: wire.ApprovalTool, Title: "Teleport", Tool: "Teleport", Input: []byte(`{"x":1}`)},
		},
		{
			"a plan", `"tool_name":"ExitPlanMode","input":{"plan":"1. do it"}`,
			agent.Ask{Kind: wire.ApprovalPlan, Title: "The plan", Detail: "1. do it", Tool: "ExitPlanMode", Input: []byte(`{"plan":"1. do it"}`)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := claude.Translate(agent.Request{Cwd: "/w"})
			o := tr.Line([]byte(`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool",`+tt.request+`}}`), clock)
			if len(o.Asks) != 1 || o.Asks[0].ID != "r" {
				t.Fatalf("asks %+v", o)
			}
			tt.want.Cwd = "/w"
			if diff := cmp.Diff(tt.want, o.Asks[0].Ask); diff != "" {
				t.Errorf("ask (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTranslator_notices(t *testing.T) {
	t.Parallel()
	share, reset := 0.91, wire.Time{Time: time.Unix(1999999999, 0).UTC()}
	tests := []struct {
		name, line string
		want       []wire.Event
	}{
		{
			"a limit", `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1999999999,"rateLimitType":"five_hour","utilization":0.91}}`,
			[]wire.Event{wire.RateLimit{Scope: "five_hour", UsedShare: &share, ResetsAt: &reset}},
		},
		{
			"a limit without numbers", `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","rateLimitType":"seven_day"}}`,
			[]wire.Event{wire.RateLimit{Scope: "seven_day"}},
		},
		{
			"a server that did not start, told once", `{"type":"system","subtype":"init","mcp_servers":[{"name":"lab","status":"failed"},{"name":"lab","status":"failed"},{"name":"ok","status":"connected"}]}`,
			[]wire.Event{wire.System{Level: wire.LevelWarn, Code: "mcp_failed", Text: "The MCP server lab did not start; its tools are missing."}},
		},
		{
			"a denial", `{"type":"system","subtype":"permission_denied","message":"No."}`,
			[]wire.Event{wire.System{Level: wire.LevelWarn, Code: "permission_denied", Text: "No."}},
		},
		{
			"a notice", `{"type":"system","subtype":"informational","content":"By the way.","level":"notice"}`,
			[]wire.Event{wire.System{Level: wire.LevelInfo, Code: "notice", Text: "By the way."}},
		},
		{"a notice in another shape", `{"type":"system","subtype":"informational","content":[1]}`, nil},
		{
			"making room", `{"type":"system","subtype":"status","status":"compacting"}`,
			[]wire.Event{wire.System{Level: wire.LevelInfo, Code: "compacting", Text: "Claude Code is summing up the conversation to make room."}},
		},
		{"a status", `{"type":"system","subtype":"status","status":"requesting"}`, nil},
		{"an interrupt's echo", `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, translated(t, agent.Request{}, tt.line)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// A limit that was told with its end gives the person the time.
func TestTranslator_limitSaysWhen(t *testing.T) {
	t.Parallel()
	tr := claude.Translate(agent.Request{})
	for _, line := range []string{
		`{"type":"system","subtype":"init","session_id":"s"}`,
		`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1999999999,"rateLimitType":"five_hour"}}`,
		`{"type":"result","is_error":true,"subtype":"success","terminal_reason":"api_error","api_error_status":429,"result":"limit"}`,
	} {
		tr.Line([]byte(line), clock)
	}
	events, res := tr.Finish(proc.Exit{Code: 1}, false, clock)
	e := agenttest.Of[wire.Error](events)
	if res.Code != "rate_limited" || len(e) != 1 || !strings.Contains(e[0].Hint, "2033-05-18 03:33 UTC") || !e[0].Retryable {
		t.Errorf("ended %+v with %+v", res, e)
	}
}

// A version without the difference to the last end: tokens of the turn, and the
// cost only where the session's total is known from its beginning.
func TestTranslator_usageOfOlderVersions(t *testing.T) {
	t.Parallel()
	end := func(total float64) string {
		return fmt.Sprintf(`{"type":"result","is_error":false,"total_cost_usd":%v,"usage":{"input_tokens":10,"output_tokens":5}}`, total)
	}
	for _, resumed := range []bool{false, true} {
		req := agent.Request{}
		if resumed {
			req.Session = "s"
		}
		tr := claude.Translate(req)
		tr.Line([]byte(end(1)), clock)
		tr.Line([]byte(end(1.5)), clock)
		_, res := tr.Finish(proc.Exit{}, false, clock)
		u := res.Usage
		if u == nil || u.Input != 20 || u.Output != 10 {
			t.Fatalf("usage %+v", u)
		}
		if resumed && u.CostUSD != nil {
			t.Errorf("resumed: the cost %v holds that of earlier runs", *u.CostUSD)
		}
		if !resumed && (u.CostUSD == nil || *u.CostUSD != 1.5) {
			t.Errorf("the cost is %v, want 1.5", u.CostUSD)
		}
	}
}

func TestTranslator_guessedPriceIsAnEstimate(t *testing.T) {
	t.Parallel()
	tr := claude.Translate(agent.Request{})
	tr.Line([]byte(`{"type":"result","modelUsage":{"x":{"contextWindow":7}},"model_usage_since_last_result":{"x":{"inputTokens":1,"costUSD":1,"costBasis":"unknown"}}}`), clock)
	_, res := tr.Finish(proc.Exit{}, false, clock)
	if u := res.Usage; u == nil || u.CostKind != wire.CostEstimated || u.Model != "x" || u.ContextMax != 7 {
		t.Errorf("usage %+v", u)
	}
}

// What a turn has used is told while it goes on, once for each message as far as it
// came, and for a second turn with what the first one used.
func TestTranslator_usageSoFar(t *testing.T) {
	t.Parallel()
	start := func(id string, in int) string {
		return event(fmt.Sprintf(`{"type":"message_start","message":{"id":%q,"usage":{"input_tokens":%d,"output_tokens":1}}}`, id, in))
	}
	delta := func(out int) string {
		return event(fmt.Sprintf(`{"type":"message_delta","usage":{"output_tokens":%d}}`, out))
	}
	tr := claude.Translate(agent.Request{})
	var got []int64
	for _, line := range []string{
		start("1", 100), delta(5), delta(20), start("2", 200), delta(30),
		`{"type":"result","subtype":"success","result":"","usage":{"input_tokens":300,"output_tokens":50},"modelUsage":{}}`,
		start("3", 10), delta(4),
	} {
		for _, f := range tr.Line([]byte(line), clock).Frames {
			if u, ok := f.(wire.RunUsage); ok {
				got = append(got, u.Usage.Total())
			}
		}
	}
	if diff := cmp.Diff([]int64{105, 120, 350, 364}, got); diff != "" {
		t.Errorf("tokens so far (-want +got):\n%s", diff)
	}
}
