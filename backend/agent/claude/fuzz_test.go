package claude_test

import (
	"bytes"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/claude"
	"signalbox/backend/proc"
)

// Whatever a process prints, in whatever order, it never panics, and what comes
// of it holds to what every run must hold to.
func FuzzTranslator(f *testing.F) {
	for _, c := range append(captures(f, "two-way"), captures(f, "print")...) {
		if all := bytes.Join(c.lines, []byte("\n")); len(all) < 12_000 {
			f.Add(all, false)
		}
	}
	f.Add([]byte(`{"type":"user","message":{"content":[{"type":"tool_result"}]}}`), true)
	f.Add([]byte("{\n[\n\"\n{}\n\xff"), true)
	f.Fuzz(func(t *testing.T, out []byte, cancelled bool) {
		tr := claude.Translate(agent.Request{Cwd: "/w", Session: "s"})
		events := tr.Line(nil, clock).Events
		for line := range bytes.Lines(out) {
			step := tr.Line(line, clock)
			events = append(events, step.Events...)
			for _, frame := range step.Frames {
				_ = frame.Type()
			}
			for _, reply := range step.Send {
				if bytes.Count(reply, []byte("\n")) != 1 {
					t.Errorf("a reply of more than one line: %q", reply)
				}
			}
			for _, ask := range step.Asks {
				answer := ask.Answer(agent.Answer{Allow: true}, clock).Send
				if len(answer) != 1 || bytes.Count(answer[0], []byte("\n")) != 1 {
					t.Errorf("an answer of more than one line: %q", answer)
				}
			}
		}
		last, res := tr.Finish(proc.Exit{}, cancelled, clock)
		agenttest.Check(t, append(events, last...), res)
	})
}

// BenchmarkTranslator is the CLI's mix of lines.
func BenchmarkTranslator(b *testing.B) {
	c := load(b, agenttest.TwoWay(b, "eof-while-text"))
	b.ReportAllocs()
	lines := 0
	for b.Loop() {
		tr := claude.Translate(c.req)
		for _, line := range c.lines {
			tr.Line(line, clock)
		}
		lines += len(c.lines)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(lines), "ns/line")
}
