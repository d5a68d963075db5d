package fake

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// How a conversation can end before the script does.
var (
	errEOF         = errors.New("stdin has ended")
	errInterrupted = errors.New("interrupted")
)

// player holds a conversation over stdin and stdout.
type player struct {
	s       *Script
	in      *input // nil for a script that reads nothing
	out     *output
	pending []string // the ids of their control requests that were not answered
	session string
	open    []string // tool calls without a result
	failed  bool     // the last end of a turn was an error
}

// await waits for a line of kind. What comes in between is answered as the CLI
// would: the first request of a client is not in every capture.
func (p *player) await(kind string) error {
	if p.in == nil {
		return nil
	}
	for {
		m, ok := p.in.next()
		switch {
		case !ok:
			return errEOF
		case m.kind == kind:
			if m.id != "" {
				p.pending = append(p.pending, m.id)
			}
			return nil
		case m.kind == "control_request/initialize":
			if p.s.Silent {
				continue
			}
			if err := p.respond(m.id, `{"commands":[],"models":[],"output_style":"default"}`); err != nil {
				return err
			}
		case m.kind == "control_request/interrupt" && !p.s.IgnoreInterrupt:
			if err := p.respond(m.id, `{"still_queued":[]}`); err != nil {
				return err
			}
			return errInterrupted
		}
	}
}

func (p *player) respond(id, body string) error {
	return p.out.line(fmt.Appendf(nil,
		`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":%s}}`, id, body))
}

// say prints a line and remembers what an interrupt would have to end.
func (p *player) say(b []byte) error {
	root := gjson.ParseBytes(b)
	if id := root.Get("session_id").Str; id != "" {
		p.session = id
	}
	switch root.Get("type").Str {
	case "assistant":
		for _, block := range root.Get("message.content").Array() {
			if block.Get("type").Str == "tool_use" {
				p.open = append(p.open, block.Get("id").Str)
			}
		}
	case "user":
		for _, block := range root.Get("message.content").Array() {
			id := block.Get("tool_use_id").Str
			for i, open := range p.open {
				if open == id {
					p.open = append(p.open[:i], p.open[i+1:]...)
					break
				}
			}
		}
	case "result":
		p.failed = root.Get("is_error").Bool()
	case "control_response":
		// Theirs is another id than in the capture; the order is the same.
		if id := root.Get("response.request_id").Str; len(p.pending) > 0 {
			b = bytes.Replace(b, fmt.Appendf(nil, `"request_id":%q`, id), fmt.Appendf(nil, `"request_id":%q`, p.pending[0]), 1)
			p.pending = p.pending[1:]
		}
	}
	return p.out.line(b)
}

// aborted prints how the CLI ends a turn that was interrupted.
func (p *player) aborted() error {
	p.failed = true
	for _, id := range p.open {
		err := p.out.line(fmt.Appendf(nil, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result",`+
			`"content":"The tool use was rejected.","is_error":true,"tool_use_id":%q}]},"parent_tool_use_id":null,"session_id":%q}`, id, p.session))
		if err != nil {
			return err
		}
	}
	p.open = nil
	return p.out.line(fmt.Appendf(nil, `{"type":"result","subtype":"error_during_execution","is_error":true,`+
		`"terminal_reason":"aborted_streaming","errors":["[ede_diagnostic] made up"],"session_id":%q,"total_cost_usd":0,`+
		`"usage":{},"modelUsage":{},"model_usage_since_last_result":{}}`, p.session))
}

// step is a part of a capture's order.
type step struct {
	at       float64 // seconds from the start
	in       bool
	from, to int // lines, from 1
}

// capture plays a capture back and returns its exit code; -1 is a kill.
func (p *player) capture(base string) (int, error) {
	out, err := lines(base + ".jsonl")
	if err != nil {
		return 0, err
	}
	in, _ := lines(base + ".stdin.jsonl") // not there: nothing is waited for
	steps, err := order(base+".seq", len(in), len(out))
	if err != nil {
		return 0, err
	}
	code, reason := exitOf(base + ".exit")
	if b, err := os.ReadFile(base + ".stderr"); err == nil {
		if _, err := os.Stderr.Write(b); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	for _, s := range steps {
		if s.in {
			for _, line := range in[s.from-1 : s.to] {
				if m := parse(line); m.kind == "" || strings.HasPrefix(m.kind, "no_such") {
					continue // what no client would write
				} else if err := p.await(m.kind); err != nil {
					return 0, err
				}
			}
			continue
		}
		if p.s.Timed {
			time.Sleep(time.Until(start.Add(time.Duration(s.at * float64(time.Second)))))
		}
		for _, line := range out[s.from-1 : s.to] {
			if err := p.say(line); err != nil {
				return 0, err
			}
		}
	}
	if reason == byItself && bytes.Contains(bytes.Join(out, nil), []byte(`"subtype":"init"`)) {
		// It waits for more, as it did before its stdin was closed.
		if err := p.await("nothing"); !errors.Is(err, errEOF) {
			return code, err
		}
	}
	return code, nil
}

func lines(file string) ([][]byte, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list [][]byte
	for line := range bytes.Lines(b) {
		list = append(list, bytes.TrimSuffix(line, []byte("\n")))
	}
	return list, nil
}

// order reads the order of both sides. A capture without one takes the prompt,
// if it has any, and then prints all.
func order(file string, in, out int) ([]step, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		var steps []step
		if in > 0 {
			steps = append(steps, step{in: true, from: 1, to: 1})
		}
		if out > 0 {
			steps = append(steps, step{from: 1, to: out})
		}
		return steps, nil
	}
	if err != nil {
		return nil, err
	}
	var steps []step
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		s, limit := step{}, out
		if len(f) == 3 {
			first, last, both := strings.Cut(f[2], "-")
			if !both {
				last = first
			}
			at, errAt := strconv.ParseFloat(f[0], 64)
			from, errFrom := strconv.Atoi(first)
			to, errTo := strconv.Atoi(last)
			if errors.Join(errAt, errFrom, errTo) == nil {
				s = step{at: at, in: f[1] == ">", from: from, to: to}
			}
		}
		if s.in {
			limit = in
		}
		if s.from < 1 || s.to < s.from || s.to > limit {
			return nil, fmt.Errorf("%s: %q is no step", file, strings.TrimSpace(line))
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// reason is why a captured process ended.
type reason int

const (
	byItself reason = iota // after its stdin was closed
	bySignal
)

// exitOf reads how a captured process ended: -1 for a kill.
func exitOf(file string) (int, reason) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, byItself
	}
	code, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || code < 0 {
		return -1, bySignal
	}
	if code > 128 {
		return code, bySignal
	}
	return code, byItself
}
