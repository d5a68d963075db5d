package demo_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// second is a session in which the agent has introduced itself.
const second = "demo-0123abcd-1"

// everyWord is the whole menu.
var everyWord = []string{"text", "think", "edit", "shell", "ask", "approve", "plan", "todo", "slow", "fail", "big"}

func TestMain_everyWordPlaysItsPart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		word  string
		kinds []string
		text  string
		files []string
	}{
		{"text", []string{"session", "text", "end"}, "```go", nil},
		{"think", []string{"session", "thinking", "text", "end"}, "after it", nil},
		{"edit", []string{"session", "tool_start", "ask", "tool_end", "tool_start", "ask", "tool_end", "text", "end"}, "changed a line", []string{"signalbox-demo.md"}},
		{"shell", []string{"session", "tool_start", "ask", "tool_output", "tool_end", "text", "end"}, "folder holds", nil},
		{"ask", []string{"session", "text", "ask", "text", "end"}, "should the signal have? skipped", nil},
		{"approve", []string{"session", "tool_start", "ask", "tool_end", "text", "end"}, "Leave was given", []string{"signalbox-demo-approved.md"}},
		{
			"plan", []string{
				"session", "text", "ask", "text", "tool_start", "ask", "tool_end", "tool_start", "ask", "tool_end", "text",
				"tool_start", "ask", "tool_output", "tool_end", "text", "end",
			}, "plan is accepted", []string{"signalbox-demo.md"},
		},
		{"todo", []string{"session", "todo", "text", "todo", "text", "todo", "text", "todo", "text", "end"}, "All is done", nil},
		{"slow", []string{"session", "text", "end"}, "press stop", nil},
		{"fail", []string{"session", "text", "error", "end"}, "not reach its", nil},
		{"big", []string{"session", "tool_start", "ask", "tool_output", "tool_end", "text", "end"}, "all of them arrive", nil},
		{"Nothing of the kind!", []string{"session", "text", "end"}, "- **approve**: ", nil},
	}
	for _, tt := range tests {
		t.Run(tt.word, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			got := play(t, dir, tt.word, second, yes)
			if diff := cmp.Diff(tt.kinds, got.kinds()); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if !strings.Contains(got.text(), tt.text) {
				t.Errorf("text %q does not hold %q", got.text(), tt.text)
			}
			files := tree(t, dir)
			for _, name := range tt.files {
				if files[name] == "" {
					t.Errorf("%s was not written", name)
				}
			}
			if len(files) != len(tt.files) {
				t.Errorf("files are %v, want %v", files, tt.files)
			}
		})
	}
}

func TestMain_endIsTheTruth(t *testing.T) {
	t.Parallel()
	for _, word := range everyWord {
		want := "ok"
		if word == "fail" {
			want = "failed"
		}
		got := play(t, t.TempDir(), word, second, yes)
		if end := got.end(); end.Status != want {
			t.Errorf("%s: status %q, want %q", word, end.Status, want)
		}
		if errs := got.of("error"); word == "fail" && (len(errs) != 1 || errs[0].Code == "" || errs[0].Hint == "" || !errs[0].Retryable) {
			t.Errorf("the failure is told as %+v", errs)
		}
	}
}

func TestMain_wordsPlayInTheirOrderAndOnce(t *testing.T) {
	t.Parallel()
	got := play(t, t.TempDir(), "Please THINK, then (shell); think again – and todo/plan.", second, yes)
	want := []string{
		"session", "thinking", "text", "tool_start", "ask", "tool_output", "tool_end", "text",
		"todo", "text", "todo", "text", "todo", "text", "todo", "text", "ask", "text", "tool_start", "ask",
		"tool_end", "tool_start", "ask", "tool_end", "text", "tool_start", "ask", "tool_output", "tool_end", "text", "end",
	}
	if diff := cmp.Diff(want, got.kinds()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if failed := play(t, t.TempDir(), "fail and then edit", second, yes); len(failed.of("tool_start")) != 0 {
		t.Error("the script went on after its failure")
	}
	if got := play(t, t.TempDir(), "plans are edited in context", second, yes); len(got.of("ask")) != 0 {
		t.Error("a word was found inside another")
	}
}

func TestMain_firstAnswerSaysThatItIsADemo(t *testing.T) {
	t.Parallel()
	first := play(t, t.TempDir(), "shell", "", yes)
	if !strings.Contains(first.text(), "demo agent") || !strings.Contains(first.text(), "offline") {
		t.Errorf("the first answer is %q", first.text())
	}
	s := first.of("session")
	if len(s) != 1 || s[0].Resumed || !strings.HasSuffix(s[0].Session, "-1") {
		t.Fatalf("sessions: %+v", s)
	}
	again := play(t, t.TempDir(), "hello", s[0].Session, yes)
	if strings.Contains(again.text(), "demo agent") {
		t.Error("it introduces itself again")
	}
	if !strings.Contains(again.text(), "prompt 2 of our session") {
		t.Errorf("it does not remember: %q", again.text())
	}
	s2 := again.of("session")
	if len(s2) != 1 || !s2[0].Resumed || s2[0].Session != strings.TrimSuffix(s[0].Session, "1")+"2" {
		t.Errorf("sessions: %+v", s2)
	}
}

func TestMain_anUnknownSessionFailsWithoutPlaying(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"cdd01248-4afd-4e39-b3d5-4ed23f216672", "demo-0123abcd-0", "demo-0123abcd-9999999999", "demo-../../x-1"} {
		got := play(t, t.TempDir(), "edit", id, yes)
		if diff := cmp.Diff([]string{"error", "end"}, got.kinds()); diff != "" || got[0].Code != "session_unknown" {
			t.Errorf("%q: code %q, lines (-want +got):\n%s", id, got[0].Code, diff)
		}
	}
}

// What the person chose, wrote and skipped comes back to the agent.
func TestMain_answersToQuestions(t *testing.T) {
	t.Parallel()
	answers := map[string][]string{"What should be on the train?": {"Coal", "a piano"}}
	got := play(t, t.TempDir(), "ask", second, line{Allow: true, Answers: answers})
	for _, want := range []string{"colour should the signal have? skipped", "on the train? **Coal, a piano**"} {
		if !strings.Contains(got.text(), want) {
			t.Errorf("text %q does not hold %q", got.text(), want)
		}
	}
	declined := play(t, t.TempDir(), "ask", second, line{Reason: "No time."})
	if !strings.Contains(declined.text(), "No time.") {
		t.Errorf("declined: %q", declined.text())
	}
}

func TestMain_usageCountsCharacters(t *testing.T) {
	t.Parallel()
	const text = "Grüße: think, shell"
	got := play(t, t.TempDir(), text, second, line{Allow: true, Reason: "It only reads."})
	var in, out int
	in += utf8.RuneCountInString(text) + len("It only reads.")
	for _, l := range got {
		switch l.Type {
		case "text", "thinking":
			out += utf8.RuneCountInString(l.Delta)
		case "tool_start":
			out += utf8.RuneCount(l.Input)
		case "tool_end":
			in += utf8.RuneCountInString(l.Output)
		}
	}
	if u := got.end().Usage; u == nil || u.Input != int64(in) || u.Output != int64(out) {
		t.Errorf("usage = %+v, want %d in, %d out", u, in, out)
	}
}

func TestMain_outputStreamsAndIsWhole(t *testing.T) {
	t.Parallel()
	got := play(t, t.TempDir(), "big", second, yes)
	var streamed strings.Builder
	for _, l := range got.of("tool_output") {
		streamed.WriteString(l.Delta)
	}
	ends := got.of("tool_end")
	if len(ends) != 1 || !ends[0].OK || ends[0].ExitCode == nil || *ends[0].ExitCode != 0 {
		t.Fatalf("tool ends: %d", len(ends))
	}
	if len(ends[0].Output) < 1<<20 || streamed.String() != ends[0].Output {
		t.Errorf("%d bytes of output, %d streamed", len(ends[0].Output), streamed.Len())
	}
	if !strings.HasSuffix(ends[0].Output, "\n166000\n") {
		t.Error("the output is not whole")
	}
	if n := len(got.text()); n < 64<<10 {
		t.Errorf("the long answer has %d bytes", n)
	}
}
