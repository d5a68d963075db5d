package agenttest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

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
