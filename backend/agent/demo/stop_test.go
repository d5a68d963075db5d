package demo_test

import (
	"syscall"
	"testing"
)

// stoppers are the ways in which the agent is told to stop.
var stoppers = []struct {
	name string
	stop func(p *process)
}{
	{"interrupt", func(p *process) { p.send(line{Type: "interrupt"}) }},
	{"SIGINT", func(p *process) { p.signal(syscall.SIGINT) }},
	{"SIGTERM", func(p *process) { p.signal(syscall.SIGTERM) }},
	{"end of stdin", func(p *process) {
		if err := p.stdin.Close(); err != nil {
			p.t.Error(err)
		}
	}},
}

// The pace is one hour, so each word is stopped in its middle for certain.
func TestMain_stopsInTheMiddleOfEveryWord(t *testing.T) {
	t.Parallel()
	middle := map[string]string{
		"text": "text", "think": "thinking", "edit": "ask", "shell": "ask", "ask": "text", "approve": "ask",
		"plan": "text", "todo": "todo", "slow": "text", "fail": "text", "big": "ask",
	}
	for _, word := range everyWord {
		for _, s := range stoppers {
			t.Run(word+" by "+s.name, func(t *testing.T) {
				t.Parallel()
				p := start(t, t.TempDir(), "-pace", "1h")
				p.send(line{Type: "start", Text: word, Session: second})
				p.until(middle[word])
				s.stop(p)
				got := p.until("end")
				if end := got[len(got)-1]; end.Status != "cancelled" || end.Usage == nil {
					t.Errorf("end: %+v", end)
				}
				if code := p.wait(); code != 0 {
					t.Errorf("exit code %d", code)
				}
			})
		}
	}
}

func TestMain_stopsARunningCommand(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), "-pace", "1h")
	p.send(line{Type: "start", Text: "big", Session: second})
	asked := p.until("ask")
	p.send(line{Type: "answer", ID: asked[len(asked)-1].ID, Allow: true})
	p.until("tool_output")
	p.send(line{Type: "interrupt"})
	got := p.until("end")
	if end := got[len(got)-1]; end.Status != "cancelled" {
		t.Errorf("status %q", end.Status)
	}
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestMain_refusesWhatIsNoStart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stdin string
		args        []string
		code        int
	}{
		{"nothing", "", nil, 1},
		{"not JSON", "hello\n", nil, 1},
		{"another line first", `{"type":"answer","id":"x"}` + "\n", nil, 1},
		{"an interrupt first", `{"type":"interrupt"}` + "\n", nil, 1},
		{"an unknown flag", "", []string{"-nonsense"}, 2},
	}
	for _, tt := range tests {
		p := start(t, t.TempDir(), tt.args...)
		// The agent may end before it has read.
		_, _ = p.stdin.Write([]byte(tt.stdin))
		_ = p.stdin.Close()
		if l, ok := p.next(); ok {
			t.Errorf("%s: it said %+v", tt.name, l)
		}
		if code := p.wait(); code != tt.code {
			t.Errorf("%s: exit code %d, want %d", tt.name, code, tt.code)
		}
	}
}

func TestMain_answersToOtherAsksAreIgnored(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), "-pace", "0")
	p.send(line{Type: "start", Text: "approve", Session: second})
	asked := p.until("ask")
	p.send(line{Type: "answer", ID: "ask-999", Allow: true})
	p.send(line{Type: "answer", ID: asked[len(asked)-1].ID, Allow: false})
	for _, l := range p.until("end") {
		if l.Type == "tool_end" && l.OK {
			t.Error("an answer to another ask gave leave")
		}
	}
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
