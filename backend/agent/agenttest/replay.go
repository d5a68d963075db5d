package agenttest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// Capture is what a CLI and its client once wrote to each other in JSON-RPC.
type Capture struct {
	Name string
	Base string // its path without the extension
	// Session is the session that the client resumed or, with Fork, copied, to
	// the end of Turn. Plan says that it planned.
	Session string
	Fork    bool
	Turn    string
	Plan    bool
	exit    proc.Exit
	in, out [][]byte
}

// Captures returns the captures in a folder.
func Captures(tb testing.TB, folder string) []Capture {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.cmd"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no captures in %s: %v", folder, err)
	}
	list := make([]Capture, 0, len(files))
	for _, file := range files {
		list = append(list, capture(tb, strings.TrimSuffix(file, ".cmd")))
	}
	return list
}

func capture(tb testing.TB, base string) Capture {
	tb.Helper()
	read := func(ext string) []byte {
		b, err := os.ReadFile(base + ext)
		if err != nil && ext != ".stderr" {
			tb.Fatal(err)
		}
		return b
	}
	c := Capture{Name: filepath.Base(base), Base: base}
	c.in, c.out = bytes.Split(read(".stdin.jsonl"), []byte("\n")), bytes.Split(read(".jsonl"), []byte("\n"))
	c.exit.Stderr = string(read(".stderr"))
	switch code, err := strconv.Atoi(strings.TrimSpace(string(read(".exit")))); {
	case err != nil || code < 0:
		c.exit.Code, c.exit.Signal = -1, "killed"
	default:
		c.exit.Code = code
	}
	for _, line := range c.in {
		root := gjson.ParseBytes(line)
		switch root.Get("method").Str {
		case "thread/resume", "session/resume", "session/load", "thread/fork", "session/fork":
			if c.Session == "" {
				c.Session = root.Get("params.threadId").Str + root.Get("params.sessionId").Str
				c.Fork = strings.HasSuffix(root.Get("method").Str, "/fork")
				c.Turn = root.Get("params.lastTurnId").Str
			}
		}
		if root.Get("params.collaborationMode.mode").Str == "plan" || root.Get("params.modeId").Str == "plan" {
			c.Plan = true
		}
	}
	return c
}

// Said returns the lines of the CLI.
func (c Capture) Said() [][]byte { return c.out }

// answers returns what the captured client answered, in the order of the
// requests that it was asked; nil where it did not.
func (c Capture) answers(asks func(request gjson.Result) bool) [][]byte {
	var answers [][]byte
	for _, line := range c.out {
		root := gjson.ParseBytes(line)
		id := root.Get("id").Raw
		if id == "" || !root.Get("method").Exists() || !asks(root) {
			continue
		}
		var answer []byte
		for _, l := range c.in {
			if r := gjson.ParseBytes(l); r.Get("id").Raw == id && !r.Get("method").Exists() {
				answer = l
				break
			}
		}
		answers = append(answers, answer)
	}
	return answers
}

// Replayed is a capture after its translation.
type Replayed struct {
	Events []wire.Event
	Frames []wire.Frame
	Asks   []agent.Ask
	Sent   [][]byte // to the CLI
	Result agent.Result
	Err    error
	Log    string // of the loop
}

// Request is what the captured client asked for, as a run.
func (c Capture) Request() agent.Request {
	req := agent.Request{
		Run: "r_1", Text: "go", Cwd: "/workspace", Session: c.Session, Fork: c.Fork, Turn: c.Turn,
		Selection: wire.Selection{Mode: wire.ModeCode},
	}
	if c.Plan {
		req.Selection.Mode = wire.ModePlan
	}
	return req
}

// Replays plays every capture of a folder. Each is held to its golden file and to what
// holds for all: the contract of every agent and no line that is not understood;
// check looks at what is particular.
func Replays(t *testing.T, folder string, update bool, play func(*testing.T, Capture) Replayed, check func(*testing.T, Capture, Replayed)) {
	t.Helper()
	for _, c := range Captures(t, folder) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			r := play(t, c)
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			Golden(t, c.Base+".want.jsonl", r.Golden(t), update)
			Check(t, r.Events, r.Result)
			if strings.Contains(r.Log, "not understood") {
				t.Error(r.Log)
			}
			check(t, c, r)
		})
	}
}

// Known gives a translator what a CLI said by itself in conversations that no client of
// ours holds, whose lines lie in a folder: all of it is understood.
func Known(t *testing.T, folder string, translator func() dialog.Translator) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures in %s: %v", folder, err)
	}
	for _, file := range files {
		said, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tr := translator()
		for line := range bytes.Lines(said) {
			root := gjson.ParseBytes(line)
			if !root.Get("method").Exists() || root.Get("id").Exists() {
				continue // it answers, or asks
			}
			if tr.Line(bytes.TrimSpace(line), time.Unix(0, 0)).Odd {
				t.Errorf("%s: not understood: %.200s", filepath.Base(file), line)
			}
		}
	}
}

// Fuzz gives a translator any lines at all after a beginning, with a short line of each
// kind that the captures of a folder hold as seeds.
func Fuzz(f *testing.F, folder string, begun []string, translator func() dialog.Translator) {
	f.Helper()
	seen := map[string]bool{}
	for _, c := range Captures(f, folder) {
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
		var lines [][]byte
		for _, line := range begun {
			lines = append(lines, []byte(line))
		}
		Feed(t, translator(), append(lines, bytes.Split(out, []byte("\n"))...))
	})
}

// Golden is all of it as lines, for a file that a person reviews.
func (r Replayed) Golden(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	note := func(kind string, v any) {
		line, err := json.Marshal(map[string]any{kind: v})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	zero := time.Unix(0, 0)
	for _, ev := range r.Events {
		d, err := wire.NewDraft("", ev)
		if err != nil {
			t.Fatal(err)
		}
		line, _ := bytes.CutPrefix(d.AppendLine(nil, 0, wire.Time{Time: zero}), []byte(`{"seq":0,"t":"1970-01-01T00:00:00.000Z",`))
		b.WriteByte('{')
		b.Write(line)
	}
	note("result", r.Result)
	for _, ask := range r.Asks {
		note("ask", map[string]any{
			"kind": ask.Kind, "tool": ask.ToolID, "name": ask.Tool, "title": ask.Title, "detail": ask.Detail,
			"cwd": ask.Cwd, "paths": ask.Paths, "readOnly": ask.ReadOnly, "input": ask.Input, "parent": ask.ParentToolID,
			"questions": ask.Questions,
		})
	}
	for _, line := range r.Sent {
		if gjson.GetBytes(line, "method").Str == "initialize" {
			continue // always the same
		}
		note("sent", json.RawMessage(line))
	}
	return b.Bytes()
}

// Replay plays a capture to a translator in fake time, with no process. What
// the CLI asks leave for is answered as the captured client did; where that one
// gave no answer there is none here. asks says of which of the CLI's requests a
// person is asked.
func (c Capture) Replay(t *testing.T, tr dialog.Translator, p dialog.Program, home string, asks func(request gjson.Result) bool) Replayed {
	t.Helper()
	var r Replayed
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		host := &replayHost{answers: c.answers(asks)}
		child := newReplayed(c, home, func() {
			synctest.Wait()
			cancel()
		})
		var log bytes.Buffer
		done := make(chan struct{})
		go func() {
			defer close(done)
			child.play(t)
		}()
		r.Result, r.Err = dialog.Follow(ctx, child, host, tr, p, slog.New(slog.NewTextHandler(&log, nil)))
		child.Stop()
		<-done
		r.Events, r.Frames, r.Asks, r.Sent, r.Log = host.events, host.frames, host.asks, child.sent, log.String()
	})
	return r
}

// replayHost keeps what it is told and answers as the capture did.
type replayHost struct {
	answers [][]byte

	mu     sync.Mutex
	events []wire.Event
	frames []wire.Frame
	asks   []agent.Ask
}

func (h *replayHost) Emit(evs ...wire.Event) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, evs...)
	return nil
}

func (h *replayHost) Remark(f wire.Frame) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.frames = append(h.frames, f)
}

func (h *replayHost) Keep(body []byte) (wire.BlobRef, error) { return ref(body), nil }

func (h *replayHost) Ask(ctx context.Context, ask agent.Ask) (agent.Answer, error) {
	h.mu.Lock()
	n := len(h.asks)
	h.asks = append(h.asks, ask)
	h.mu.Unlock()
	if ask.Kind == wire.ApprovalPlan && n >= len(h.answers) {
		return agent.Answer{Reason: "Not yet."}, nil // the CLI itself does not ask
	}
	if n >= len(h.answers) || h.answers[n] == nil {
		<-ctx.Done()
		return agent.Answer{}, context.Cause(ctx)
	}
	if ask.Kind == wire.ApprovalQuestion {
		return said(ask.Questions, h.answers[n]), nil
	}
	yes := bytes.Contains(h.answers[n], []byte(`"accept`)) || bytes.Contains(h.answers[n], []byte(`approve`)) ||
		bytes.Contains(h.answers[n], []byte(`plan_opt_`))
	return agent.Answer{Allow: yes, Reason: "Not today."}, nil
}

// said finds what the captured client chose of the questions.
func said(questions []wire.QuestionItem, answer []byte) agent.Answer {
	a := agent.Answer{Answers: map[string][]string{}, Reason: "Not today."}
	for _, q := range questions {
		for _, o := range q.Options {
			if bytes.Contains(answer, []byte(strconv.Quote(o.Label))) {
				a.Allow = true
				a.Answers[q.Question] = append(a.Answers[q.Question], o.Label)
			}
		}
	}
	return a
}

// replayed is a process that plays a capture.
type replayed struct {
	c      Capture
	replay *fake.Replay
	lines  chan []byte   // stdout; closed at its end
	in     chan []byte   // stdin; closed with it
	stop   chan struct{} // closed by Stop
	gone   chan struct{} // closed when it has ended
	exit   proc.Exit

	stopOnce, closeOnce sync.Once
	sent                [][]byte
}

func newReplayed(c Capture, home string, interrupted func()) *replayed {
	const enough = 1000 // a client writes a few lines
	p := &replayed{
		c: c, lines: make(chan []byte), in: make(chan []byte, enough), stop: make(chan struct{}), gone: make(chan struct{}),
		exit: c.exit,
	}
	p.replay = &fake.Replay{
		Base: c.Base, Home: home, Interrupted: interrupted,
		Next: func() ([]byte, bool) {
			select {
			case line, ok := <-p.in:
				return line, ok
			case <-p.stop:
				return nil, false
			}
		},
		Say: func(line []byte) error {
			select {
			case p.lines <- line:
				return nil
			case <-p.stop:
				return io.EOF
			}
		},
	}
	return p
}

func (p *replayed) play(t *testing.T) {
	if _, err := p.replay.Play(); err != nil && err != io.EOF {
		t.Errorf("play %s: %v", p.c.Name, err)
	}
	select {
	case <-p.stop:
		p.exit.Code, p.exit.Signal = -1, "interrupt"
	default:
	}
	close(p.lines)
	close(p.gone)
}

func (p *replayed) Batch() ([][]byte, error) {
	line, ok := <-p.lines
	if !ok {
		return nil, io.EOF
	}
	return [][]byte{line}, nil
}

func (p *replayed) Stdin() io.WriteCloser { return replayedStdin{p} }
func (p *replayed) Stop()                 { p.stopOnce.Do(func() { close(p.stop) }) }
func (p *replayed) Done() <-chan struct{} { return p.gone }

func (p *replayed) Wait() proc.Exit {
	<-p.gone
	return p.exit
}

type replayedStdin struct{ p *replayed }

func (s replayedStdin) Write(b []byte) (int, error) {
	line := bytes.TrimSpace(bytes.Clone(b))
	s.p.sent = append(s.p.sent, line)
	s.p.in <- line
	return len(b), nil
}

func (s replayedStdin) Close() error {
	s.p.closeOnce.Do(func() { close(s.p.in) })
	return nil
}
