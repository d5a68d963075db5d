package agenttest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"signalbox/backend/agent"
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
