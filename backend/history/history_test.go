package history_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/fault"
	"signalbox/backend/history"
	"signalbox/backend/wire"
)

var update = flag.Bool("update", false, "rewrite testdata/*.want")

// The sessions that testdata holds: where each agent would have them, and their
// ids.
var kept = []struct {
	agent    wire.AgentID
	id, file string
	place    string // below the home folder
}{
	{"claude", "efae91f8-bbb5-42f0-85f1-a7b00729a0cf", "claude.jsonl", ".claude/projects/-home-ann-my-proj-dir-x/efae91f8-bbb5-42f0-85f1-a7b00729a0cf.jsonl"},
	{"codex", "01a22e4d-d857-7632-b753-23f32e91bc8f", "codex.jsonl", ".codex/sessions/2026/11/30/rollout-2026-11-30T21-13-03-01a22e4d-d857-7632-b753-23f32e91bc8f.jsonl"},
	{"codex", "", "codex-subagent.jsonl", ".codex/sessions/2026/11/30/rollout-2026-11-30T21-16-40-01a22e51-2959-72b2-b57b-2ab85a095117.jsonl"},
	{"kimi", "session_784e4538-9560-425c-b3e1-1f945b72669b", "kimi.jsonl", ".kimi-code/sessions/wd_x_8/session_784e4538-9560-425c-b3e1-1f945b72669b/agents/main/wire.jsonl"},
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, b, 0o600))
}

// homes makes a home folder with the sessions of testdata.
func homes(t *testing.T) (home string, all map[wire.AgentID]string) {
	t.Helper()
	home = t.TempDir()
	for _, k := range kept {
		b, err := os.ReadFile(filepath.Join("testdata", k.file))
		must(t, err)
		write(t, filepath.Join(home, k.place), b)
	}
	return home, history.Homes(func(name string) string { return map[string]string{"HOME": home}[name] })
}

// dump writes a session as a person would compare it.
func dump(t *testing.T, s history.Session) string {
	t.Helper()
	var b strings.Builder
	for turn, err := range s.Turns() {
		must(t, err)
		fmt.Fprintf(&b, "%s > %s\n  model %s, end %s, turn %s, failed %q\n", turn.At, turn.Text, turn.Model, turn.End, turn.ID, turn.Failed)
		for _, ev := range turn.Events {
			raw, err := json.Marshal(ev.Event)
			must(t, err)
			fmt.Fprintf(&b, "  %s %s\n", ev.Type(), raw)
		}
	}
	return b.String()
}

// Sessions that the real programs wrote are listed, and read turn by turn.
func TestSessions_ofTheRealPrograms(t *testing.T) {
	t.Parallel()
	_, all := homes(t)
	list, err := history.List(t.Context(), all)
	must(t, err)
	if len(list) != 3 {
		t.Errorf("listed %d sessions: %+v", len(list), list)
	}
	for _, k := range kept {
		if k.id == "" {
			continue // a subagent's own
		}
		s, err := history.Find(t.Context(), all, k.agent, k.id)
		must(t, err)
		if s.Cwd != "/home/ann/my.proj-dir_x" || s.Prompts < 7 || s.Title != "thinking" || s.Started.IsZero() || s.More {
			t.Errorf("%s: %+v", k.agent, s)
		}
		got := dump(t, s)
		file := filepath.Join("testdata", strings.TrimSuffix(k.file, "jsonl")+"want")
		if *update {
			must(t, os.WriteFile(file, []byte(got), 0o644))
		}
		want, err := os.ReadFile(file)
		must(t, err)
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k.agent, diff)
		}
	}
}

func TestFind_knowsOnlyWhatIsThere(t *testing.T) {
	t.Parallel()
	_, all := homes(t)
	for agent, id := range map[wire.AgentID]string{
		"claude": "../../../etc/passwd", "codex": "01a22e51-2959-72b2-b57b-2ab85a095117", "kimi": "session_", "demo": "x", "": "",
	} {
		if _, err := history.Find(t.Context(), all, agent, id); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%s %q: %v", agent, id, err)
		}
	}
}

// A link to a folder, also to the one that it lies in, shows no session twice.
func TestList_followsLinksOnce(t *testing.T) {
	t.Parallel()
	home, all := homes(t)
	want, err := history.List(t.Context(), all)
	must(t, err)
	for _, agent := range []string{".claude/projects", ".kimi-code/sessions"} {
		dir := filepath.Join(home, agent)
		entries, err := os.ReadDir(dir)
		must(t, err)
		must(t, os.Symlink(filepath.Join(dir, entries[0].Name()), filepath.Join(dir, "again")))
		must(t, os.Symlink(dir, filepath.Join(dir, "loop")))
	}
	got, err := history.List(t.Context(), all)
	must(t, err)
	if len(want) == 0 || len(got) != len(want) {
		t.Errorf("%d sessions are listed, without the links %d", len(got), len(want))
	}
}

func TestHomes_asTheProgramsAreTold(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HOME": "/home/ann", "CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/l"}
	want := map[wire.AgentID]string{"claude": "/l", "codex": "/c", "kimi": "/home/ann/.kimi-code"}
	if diff := cmp.Diff(want, history.Homes(func(n string) string { return env[n] })); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := history.Homes(func(string) string { return "" }); len(got) > 0 {
		t.Errorf("without a home: %v", got)
	}
}

// claude writes a session of Claude Code's with lines, and returns it.
func claude(t testing.TB, lines ...string) (history.Session, bool) {
	t.Helper()
	home := t.TempDir()
	write(t, filepath.Join(home, "projects", "x", "s1.jsonl"), []byte(strings.Join(lines, "\n")+"\n"))
	list, err := history.List(t.Context(), map[wire.AgentID]string{"claude": home})
	must(t, err)
	if len(list) == 0 {
		return history.Session{}, false
	}
	return list[0], true
}

func said(uuid, parent, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"parentUuid":%q,"timestamp":"2026-01-01T00:00:00Z","cwd":"/w","message":{"content":%q}}`, uuid, parent, text)
}

func answered(uuid, parent, text string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"parentUuid":%q,"timestamp":"2026-01-01T00:00:01Z","message":{"model":"m","content":[{"type":"text","text":%q}]}}`, uuid, parent, text)
}

// What a person went back from is not part of the conversation; what was summed
// up still is.
func TestClaude_followsTheConversationAsItEnded(t *testing.T) {
	t.Parallel()
	s, ok := claude(t,
		said("0", "", "before the summary"), answered("00", "0", "old answer"),
		`{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null,"timestamp":"2026-01-01T00:00:02Z"}`,
		`{"type":"user","uuid":"c","parentUuid":"b","isCompactSummary":true,"message":{"content":"summary"}}`,
		said("1", "c", "one"), answered("2", "1", "first"),
		said("3", "2", "left"), answered("4", "3", "left too"),
		said("5", "2", "taken"),
		`{"type":"assistant","uuid":"6","parentUuid":"5","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"a"}}]}}`,
		`{"type":"assistant","uuid":"7","parentUuid":"6","message":{"content":[{"type":"tool_use","id":"t2","name":"Bash","input":"no object"}]}}`,
		`{"type":"user","uuid":"8","parentUuid":"6","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"A"}]}}`,
		`{"type":"user","uuid":"9","parentUuid":"7","message":{"content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":[{"type":"text","text":"B"},{"type":"image"}]}]}}`,
		answered("10", "9", "done"),
	)
	if !ok {
		t.Fatal("not listed")
	}
	var got []string
	for turn, err := range s.Turns() {
		must(t, err)
		line := turn.Text + ":"
		for _, ev := range turn.Events {
			switch ev := ev.Event.(type) {
			case wire.AssistantText:
				line += " " + ev.Delta
			case wire.ToolUseStart:
				line += " " + string(ev.Input)
			case wire.ToolUseEnd:
				line += fmt.Sprintf(" %v=%q", ev.OK, ev.Output)
			}
		}
		got = append(got, line)
	}
	want := []string{
		"before the summary: old answer", "one: first",
		`taken: {"command":"a"} {} true="A" false="B\n[image]" done`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Damage, nonsense and what is too large are passed over.
func TestSessions_surviveWhatTheyHold(t *testing.T) {
	t.Parallel()
	s, ok := claude(t,
		"", "not JSON", `{"type":7}`, `[]`, `null`, `{"type":"user","message":null}`, strings.Repeat("[", 100_000),
		`{"type":"user","uuid":"x","message":{"content":[{"type":"tool_result","tool_use_id":"unknown","content":7}]}}`,
		strings.Replace(said("1", "", "hello X"), "X", `\ud800`+"\xff", 1), answered("2", "1", strings.Repeat("long ", 1<<20)),
		`{"type":"assistant","uuid":"3","parentUuid":"2","message":{"content":[{"type":"tool_use","id":"","name":""}]}}`,
		`{"type":"user","uuid":"4","parentUuid":"4","message":{"content":"its own parent"}}`,
	)
	if !ok || s.Cwd != "/w" {
		t.Fatalf("listed %+v", s)
	}
	for _, err := range s.Turns() {
		must(t, err)
	}
	home := t.TempDir()
	write(t, filepath.Join(home, "projects", "x", "torn.jsonl"), []byte(said("1", "", "x")[:40]))
	must(t, os.MkdirAll(filepath.Join(home, "projects", "x", "folder.jsonl"), 0o700))
	must(t, os.Symlink("/etc/passwd", filepath.Join(home, "projects", "x", "link.jsonl")))
	list, err := history.List(t.Context(), map[wire.AgentID]string{"claude": home, "codex": filepath.Join(home, "no"), "kimi": "/dev/null"})
	if err != nil || len(list) > 0 {
		t.Errorf("listed %+v, %v", list, err)
	}
}

func FuzzSessions(f *testing.F) {
	for _, k := range kept {
		b, err := os.ReadFile(filepath.Join("testdata", k.file))
		must(f, err)
		i := 0
		for line := range bytes.Lines(b) {
			if i++; i%30 == 1 && len(line) < 2000 {
				f.Add(line)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		home := t.TempDir()
		for _, k := range kept {
			write(t, filepath.Join(home, k.place), b)
		}
		all := history.Homes(func(n string) string { return map[string]string{"HOME": home}[n] })
		list, err := history.List(t.Context(), all)
		must(t, err)
		for _, s := range list {
			for turn, err := range s.Turns() {
				must(t, err)
				for _, ev := range turn.Events {
					if _, err := wire.NewDraft("r_1", ev.Event); err != nil {
						t.Errorf("%s: %v", s.Agent, err)
					}
				}
			}
		}
	})
}
