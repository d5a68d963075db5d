package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

const (
	// textLimit is how much of one text a person is given to read.
	textLimit = 1 << 20
	// outputLimit is the same for what tools take and give.
	outputLimit = 64 << 10
	// gatherLimit is how much is gathered before it is written.
	gatherLimit = 8 << 20
)

// kind is what a block shows.
type kind int

const (
	kindPrompt kind = iota
	kindText
	kindThinking
	kindTool
	kindNotice
	kindError
	kindVerdict
)

// block is a part of a chat as a person reads it.
type block struct {
	kind  kind
	at    wire.Time
	who   string // who sent a prompt, the agent of an answer, the name of a tool
	text  string
	input string // of a tool
	ended bool   // the tool has a result
	ok    bool
	sub   bool // a subagent did it
}

// document gathers a chat's events into blocks, and hands them on a run at a
// time.
type document struct {
	log   *eventlog.Log
	write func(block) error

	agent  string
	blocks []*block
	items  map[string]*block
	tools  map[string]*block
	size   int
}

// read hands every block of the log to write.
func read(log *eventlog.Log, write func(block) error) error {
	d := &document{log: log, write: write, items: map[string]*block{}, tools: map[string]*block{}}
	for raw, err := range log.Events(0) {
		if err != nil {
			return err
		}
		env, ev, err := wire.Decode(raw)
		if err != nil {
			continue // of a later version
		}
		if err := d.event(env, ev); err != nil {
			return err
		}
	}
	return d.flush()
}

// flush writes what was gathered.
func (d *document) flush() error {
	for _, b := range d.blocks {
		if err := d.write(*b); err != nil {
			return err
		}
	}
	d.blocks, d.size = nil, 0
	clear(d.items)
	clear(d.tools)
	return nil
}

func (d *document) event(env wire.Envelope, ev wire.Event) error {
	add := func(b block) *block {
		b.at = env.T
		d.blocks = append(d.blocks, &b)
		d.size += len(b.text) + len(b.input)
		return &b
	}
	switch ev := ev.(type) {
	case wire.User:
		if err := d.flush(); err != nil {
			return err
		}
		d.agent = string(ev.Agent)
		text := d.body(env, "/text", ev.Text, textLimit)
		for _, a := range ev.Attachments {
			text += "\n\n[" + a.Name + "]"
		}
		add(block{kind: kindPrompt, who: ev.By.Name, text: text})
	case wire.RunStarted:
		d.agent = string(ev.Agent)
	case wire.AssistantText:
		d.piece(env, kindText, ev.ParentToolID, ev.Item, ev.Delta, ev.Final, add)
	case wire.Thinking:
		d.piece(env, kindThinking, ev.ParentToolID, ev.Item, ev.Delta, ev.Final, add)
	case wire.ToolUseStart:
		d.tools[ev.ToolID] = add(block{kind: kindTool, who: ev.Name, input: pretty(ev.Input), sub: ev.ParentToolID != ""})
	case wire.ToolUseEnd:
		b := d.tools[ev.ToolID]
		if b == nil {
			b = add(block{kind: kindTool, who: ev.Name})
		}
		b.ended, b.ok, b.text = true, ev.OK, d.body(env, "/output", ev.Output, outputLimit)
		d.size += len(b.text)
	case wire.Question:
		var lines []string
		for _, q := range ev.Questions {
			lines = append(lines, q.Question)
		}
		add(block{kind: kindNotice, text: "Asked: " + strings.Join(lines, " ")})
	case wire.QuestionAnswered:
		var lines []string
		for q, answers := range ev.Answers {
			lines = append(lines, q+" "+strings.Join(answers, ", "))
		}
		if len(lines) > 0 {
			add(block{kind: kindNotice, text: "Answered: " + strings.Join(lines, "; ")})
		}
	case wire.ApprovalAnswered:
		if ev.By != nil {
			add(block{kind: kindNotice, text: fmt.Sprintf("%s answered a request: %s. %s", ev.By.Name, ev.Option, ev.Text)})
		}
	case wire.System:
		add(block{kind: kindNotice, text: ev.Text})
	case wire.Error:
		add(block{kind: kindError, text: ev.Message})
	case wire.Complete:
		if ev.Status != wire.StatusOK {
			add(block{kind: kindVerdict, text: string(ev.Status)})
		}
		return d.flush()
	}
	if d.size > gatherLimit {
		return d.flush()
	}
	return nil
}

func (d *document) piece(env wire.Envelope, k kind, parent, item, delta, final string, add func(block) *block) {
	key := fmt.Sprint(k, parent, "\x00", item)
	b := d.items[key]
	if b == nil {
		b = add(block{kind: k, who: d.agent, sub: parent != ""})
		d.items[key] = b
	}
	before := len(b.text)
	if final != "" {
		b.text = d.body(env, "/final", final, textLimit)
	} else if len(b.text) < textLimit {
		b.text += d.body(env, "/delta", delta, textLimit)
	}
	d.size += len(b.text) - before
}

// body returns the string at a pointer, from beside the log where it is long.
func (d *document) body(env wire.Envelope, pointer, inline string, limit int64) string {
	ref, ok := env.Refs[pointer]
	if !ok {
		return inline
	}
	f, err := d.log.OpenBlob(ref.SHA256)
	if err != nil {
		return inline + "\n[The rest could not be read.]"
	}
	b, err := io.ReadAll(io.LimitReader(f, limit))
	if err = errors.Join(err, f.Close()); err != nil {
		return inline + "\n[The rest could not be read.]"
	}
	text := strings.ToValidUTF8(string(b), "\uFFFD")
	if ref.Bytes > limit {
		text += fmt.Sprintf("\n[%d bytes more]", ref.Bytes-limit)
	}
	return text
}

// pretty lays a tool's input out for people.
func pretty(input json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, input, "", "  ") != nil || b.Len() > outputLimit {
		return wire.CutText(string(input), outputLimit)
	}
	return b.String()
}
