package claude_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
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

var update = flag.Bool("update", false, "rewrite the golden files")

// clock is the time of every line, so that golden files hold no durations.
var clock = time.Date(2026, 11, 30, 16, 0, 0, 0, time.UTC)

// capture is what a CLI once printed.
type capture struct {
	name  string
	lines [][]byte
	exit  proc.Exit
	req   agent.Request
}

func captures(t testing.TB, folder string) []capture {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures in %s: %v", folder, err)
	}
	var list []capture
	for _, file := range files {
		base := strings.TrimSuffix(file, ".jsonl")
		if strings.HasSuffix(base, ".stdin") || strings.HasSuffix(base, ".want") {
			continue
		}
		list = append(list, load(t, base))
	}
	return list
}

func load(t testing.TB, base string) capture {
	t.Helper()
	out, err := os.ReadFile(base + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	c := capture{name: filepath.Base(base), req: agent.Request{Cwd: "/workspace"}}
	for line := range bytes.Lines(out) {
		c.lines = append(c.lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	stderr, _ := os.ReadFile(base + ".stderr") // most have none
	c.exit.Stderr = string(stderr)
	words := strings.TrimSpace(string(read(base + ".exit")))
	switch code, err := strconv.Atoi(words); {
	case err != nil || code < 0:
		c.exit.Code, c.exit.Signal = -1, "killed"
	default:
		c.exit.Code = code
	}
	args := strings.Fields(string(read(base + ".cmd")))
	for i, arg := range args {
		if arg == "--resume" {
			c.req.Session = args[i+1]
		}
	}
	return c
}

func read(file string) []byte {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return b
}

// played is a capture after its translation.
type played struct {
	events  []wire.Event
	res     agent.Result
	golden  []byte
	tr      claude.Translation
	asks    int
	replies int
}

func play(t *testing.T, c capture) played {
	t.Helper()
	p := played{tr: claude.Translate(c.req)}
	emit := func(ev wire.Event) {
		p.events = append(p.events, ev)
		d, err := wire.NewDraft("", ev)
		if err != nil {
			t.Fatal(err)
		}
		line, _ := bytes.CutPrefix(d.AppendLine(nil, 0, wire.Time{Time: clock}), []byte(`{"seq":0,"t":"2026-11-30T16:00:00.000Z",`))
		p.golden = append(append(p.golden, '{'), line...)
	}
	note := func(kind string, v any) {
		b, err := json.Marshal(map[string]any{kind: v})
		if err != nil {
			t.Fatal(err)
		}
		p.golden = append(append(p.golden, b...), '\n')
	}
	for _, line := range c.lines {
		step := p.tr.Line(line, clock)
		for _, ev := range step.Events {
			emit(ev)
		}
		for _, a := range step.Asks {
			ask := a.Ask
			p.asks++
			note("ask", map[string]any{"kind": ask.Kind, "tool": ask.ToolID, "title": ask.Title, "detail": ask.Detail, "paths": ask.Paths, "readOnly": ask.ReadOnly})
		}
		for _, id := range step.Withdrawn {
			note("withdrawn", id)
		}
		for _, reply := range step.Send {
			p.replies++
			note("reply", json.RawMessage(bytes.TrimSpace(reply)))
		}
	}
	last, res := p.tr.Finish(c.exit, false, clock)
	for _, ev := range last {
		emit(ev)
	}
	p.res = res
	if p.tr.Lost() {
		note("lost", true) // the prompt is given again, to a new session
		return p
	}
	note("result", res)
	return p
}

func TestTranslator_golden(t *testing.T) {
	t.Parallel()
	for _, c := range captures(t, "two-way") {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			agenttest.Golden(t, filepath.Join("testdata", "two-way", c.name+".want.jsonl"), play(t, c).golden, *update)
		})
	}
}

// odd says how many lines of a capture are not understood, where there are any.
var odd = map[string]int{
	"pty-unicode": 1, // a terminal's escape sequence
}

func TestTranslator_holdsForEveryCapture(t *testing.T) {
	t.Parallel()
	for _, c := range append(captures(t, "two-way"), captures(t, "print")...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := play(t, c)
			if n := len(p.tr.Unknown()); n > 0 {
				t.Errorf("unknown lines: %v", p.tr.Unknown())
			}
			if got := p.tr.Garbage(); got != odd[c.name] {
				t.Errorf("%d lines are garbage, want %d", got, odd[c.name])
			}
			checkTools(t, p)
			checkText(t, c, p)
			checkEnd(t, p)
			checkUsage(t, c, p)
			checkSessions(t, c, p)
		})
	}
}

// checkTools: each call begins once and ends once, in this order.
func checkTools(t *testing.T, p played) {
	open, ended := map[string]bool{}, map[string]bool{}
	for _, ev := range p.events {
		switch e := ev.(type) {
		case wire.ToolUseStart:
			if open[e.ToolID] || ended[e.ToolID] {
				t.Errorf("tool %s starts twice", e.ToolID)
			}
			open[e.ToolID] = true
			if !json.Valid(e.Input) {
				t.Errorf("tool %s has the input %s", e.ToolID, e.Input)
			}
		case wire.ToolUseEnd:
			if !open[e.ToolID] {
				t.Errorf("tool %s ends but did not start", e.ToolID)
			}
			delete(open, e.ToolID)
			ended[e.ToolID] = true
		}
	}
	if len(open) > 0 {
		t.Errorf("tools that never end: %v", open)
	}
}

// checkText: what a reader of the events sees is what the whole messages say.
func checkText(t *testing.T, c capture, p played) {
	items, order := map[string]string{}, []string{}
	for _, ev := range p.events {
		e, ok := ev.(wire.AssistantText)
		if !ok {
			continue
		}
		if _, ok := items[e.Item]; !ok {
			order = append(order, e.Item)
		}
		if e.Final != "" {
			items[e.Item] = e.Final
		}
		items[e.Item] += e.Delta
	}
	var seen []string
	for _, item := range order {
		if items[item] != "" {
			seen = append(seen, items[item])
		}
	}
	want, whole := said(t, c)
	if !whole {
		return // cut in the middle of a message: the pieces are all there is
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("text (-said +seen):\n%s", diff)
	}
}

// said returns the texts of the whole messages, and whether the capture ends
// outside of a message.
func said(t *testing.T, c capture) (texts []string, whole bool) {
	whole = true
	for _, line := range c.lines {
		var l struct {
			Type    string
			APIErr  bool `json:"is_api_error_message"`
			Event   struct{ Type string }
			Message struct {
				Content json.RawMessage
			}
		}
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		switch {
		case l.Type == "stream_event" && l.Event.Type == "message_start":
			whole = false
		case l.Type == "stream_event" && l.Event.Type == "message_stop", l.Type == "result":
			whole = true
		case l.Type == "assistant" && !l.APIErr:
			var blocks []struct{ Type, Text string }
			if err := json.Unmarshal(l.Message.Content, &blocks); err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks {
				if b.Type == "text" && b.Text != "" {
					texts = append(texts, b.Text)
				}
			}
		}
	}
	return texts, whole
}

// checkEnd: a run that failed says why, once, at its end; no other does.
func checkEnd(t *testing.T, p played) {
	var errs []wire.Error
	for _, ev := range p.events {
		if e, ok := ev.(wire.Error); ok {
			errs = append(errs, e)
		}
	}
	if p.tr.Lost() {
		if len(errs) > 0 {
			t.Errorf("a session that is lost is told already: %+v", errs)
		}
		return
	}
	switch p.res.Status {
	case wire.StatusFailed:
		if len(errs) != 1 || p.events[len(p.events)-1] != wire.Event(errs[0]) {
			t.Fatalf("a failed run has the errors %+v", errs)
		}
		if e := errs[0]; e.Code == "" || e.Code != p.res.Code || e.Message == "" || e.Hint == "" || e.Code == "failed" {
			t.Errorf("the error says too little: %+v", e)
		}
	case wire.StatusOK, wire.StatusInterrupted, wire.StatusMaxIterations:
		if len(errs) > 0 {
			t.Errorf("status %s with the errors %+v", p.res.Status, errs)
		}
	default:
		t.Errorf("status %q", p.res.Status)
	}
}

// checkUsage: the sum is that of the differences, and the cost is what the
// session's total grew by.
func checkUsage(t *testing.T, c capture, p played) {
	type models map[string]struct {
		Input, Output, CacheRead int64
		InputTokens              int64   `json:"inputTokens"`
		OutputTokens             int64   `json:"outputTokens"`
		CacheReadInputTokens     int64   `json:"cacheReadInputTokens"`
		CostUSD                  float64 `json:"costUSD"`
	}
	var input, output int64
	var cost, total float64
	for _, line := range c.lines {
		var l struct {
			Type  string
			Since models  `json:"model_usage_since_last_result"`
			Total float64 `json:"total_cost_usd"`
			Usage struct {
				Input  int64 `json:"input_tokens"`
				Output int64 `json:"output_tokens"`
			}
		}
		if json.Unmarshal(line, &l) != nil || l.Type != "result" {
			continue
		}
		if l.Since == nil {
			input += l.Usage.Input
			output += l.Usage.Output
			cost += l.Total
		}
		for _, m := range maps.All(l.Since) {
			input += m.InputTokens
			output += m.OutputTokens
			cost += m.CostUSD
		}
		total = l.Total
	}
	u := p.res.Usage
	if u == nil {
		u = &wire.Usage{}
	}
	if u.Input != input || u.Output != output {
		t.Errorf("usage is %d in, %d out; the capture says %d, %d", u.Input, u.Output, input, output)
	}
	if u.CostUSD != nil && math.Abs(*u.CostUSD-cost) > 1e-9 {
		t.Errorf("cost is %v, the capture says %v", *u.CostUSD, cost)
	}
	fresh := !strings.HasPrefix(c.name, "resume-") && !strings.HasPrefix(c.name, "rewind-") && c.name != "skill"
	if fresh && u.CostUSD != nil && math.Abs(*u.CostUSD-total) > 1e-9 {
		t.Errorf("cost is %v, the session's total %v", *u.CostUSD, total)
	}
	if input > 0 && u.CostUSD == nil {
		t.Error("the cost is unknown")
	}
	if c.name == "format-json" {
		return // the end alone, without the requests
	}
	if input > 0 && (u.Context == 0 || u.ContextMax == 0 || u.Model == "") {
		t.Errorf("the context is unknown: %+v", *u)
	}
}

// checkSessions: the session is told once for each id.
func checkSessions(t *testing.T, c capture, p played) {
	var told []string
	for _, ev := range p.events {
		if s, ok := ev.(wire.Session); ok {
			told = append(told, s.SessionID)
			if s.Resumed != (s.SessionID == c.req.Session) {
				t.Errorf("session %s: resumed is %v", s.SessionID, s.Resumed)
			}
		}
	}
	seen := map[string]bool{}
	for _, id := range told {
		if seen[id] {
			t.Errorf("session %s is told twice", id)
		}
		seen[id] = true
	}
}
