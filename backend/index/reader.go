package index

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"signalbox/backend/chat"
	"signalbox/backend/eventlog"
	"signalbox/backend/store"
	"signalbox/backend/wire"
)

// reader turns the lines of one chat's log into what the index is to hold.
type reader struct {
	chat wire.ChatID
	log  *eventlog.Log

	epoch uint64
	at    uint64 // the last event that was read
	after uint64 // the index is to be replaced from here on
	docs  []store.Doc
	runs  []store.Run
	// sessions are those that agents told of.
	sessions []string

	run   wire.RunID
	agent wire.AgentID // of run; empty where it is not known
	// outside means that run was not one of the daemon's: it is not counted.
	outside bool
	// agentOf looks up the agent of a run whose beginning was read earlier.
	agentOf func(wire.RunID) wire.AgentID
	open    map[string]*block // blocks that are being written, by parent tool
}

// block is a part of an answer or of reasoning that may go on.
type block struct {
	item  string
	kind  wire.Type
	doc   store.Doc
	text  strings.Builder
	split bool // an earlier part is a document already
}

// maxOpen bounds the blocks that are written at the same time.
const maxOpen = 8

// line reads the next line of the log. It reports false where the chat has to be
// read from its beginning, since events came back that were taken out.
func (r *reader) line(raw []byte) bool {
	before := r.at
	r.at = max(r.at, gjson.GetBytes(raw, "seq").Uint())
	switch string(chat.TypeOf(raw)) {
	case string(wire.TypeToolOutput):
		return true // the tool's end has all of it
	case string(wire.TypeToolUseEnd):
		if r.result(raw) {
			return true
		}
	}
	env, ev, err := wire.Decode(raw)
	if err != nil {
		return true // a later version wrote it
	}
	if epoch, ok := ev.(wire.Epoch); ok {
		if epoch.Cause == wire.CauseRestore && epoch.Keep != before {
			return false
		}
		r.cut(epoch)
		return true
	}
	r.enter(env)
	r.event(env, ev)
	return true
}

// enter notes the run of an event.
func (r *reader) enter(env wire.Envelope) {
	if env.Run == r.run {
		return
	}
	r.run, r.agent, r.outside = env.Run, "", false
	if env.Run != "" && env.Type != wire.TypeUser {
		r.agent = r.agentOf(env.Run)
	}
}

// result reads a tool's result, which most of a log is, for its output alone: what
// follows says the same again in the agent's own form, and may be as long. It leaves
// to others, and reports false, what is not inline or not in the usual order.
func (r *reader) result(raw []byte) bool {
	end := bytes.Index(raw, []byte(`,"detail":`)) // a quote in a string has a backslash before it
	if end < 0 {
		end = len(raw)
	}
	if bytes.Contains(raw[end:], []byte(`"refs":`)) || bytes.Contains(raw[:end], []byte(`"refs":`)) {
		return false
	}
	fields := gjson.GetMany(string(raw[:end]), "seq", "t", "run", "output")
	at, err := time.Parse(time.RFC3339, fields[1].Str)
	if err != nil || fields[3].Type != gjson.String {
		return false
	}
	env := wire.Envelope{Seq: fields[0].Uint(), T: wire.Time{Time: at}, Type: wire.TypeToolUseEnd, Run: wire.RunID(strings.Clone(fields[2].Str))}
	r.enter(env)
	r.text(env, clip(fields[3].Str))
	return true
}

// cut drops what an epoch event takes out.
func (r *reader) cut(e wire.Epoch) {
	r.epoch = e.Epoch
	r.closeAll()
	r.after = min(r.after, e.Keep)
	kept := r.docs[:0]
	for _, d := range r.docs {
		if d.Seq <= e.Keep {
			kept = append(kept, d)
		}
	}
	r.docs = kept
}

func (r *reader) event(env wire.Envelope, ev wire.Event) {
	b := bodies{r.log, env.Refs}
	switch ev := ev.(type) {
	case wire.AssistantText:
		r.piece(env, ev.ParentToolID, ev.Item, b.at("/delta", ev.Delta), b.at("/final", ev.Final))
		return
	case wire.Thinking:
		r.piece(env, ev.ParentToolID, ev.Item, b.at("/delta", ev.Delta), b.at("/final", ev.Final))
		return
	case wire.User:
		r.closeAll()
		r.agent, r.outside = ev.Agent, strings.HasPrefix(ev.ClientID, chat.ImportPrefix)
		if r.outside {
			break
		}
		r.runs = append(r.runs, store.Run{
			ID: env.Run, Chat: r.chat, Started: env.T, By: ev.By, Agent: ev.Agent, Model: ev.Model,
		})
	case wire.Session:
		r.sessions = append(r.sessions, ev.SessionID)
	case wire.RunStarted:
		r.agent = ev.Agent
		if r.outside {
			break
		}
		r.runs = append(r.runs, store.Run{ID: env.Run, Chat: r.chat, Agent: ev.Agent, Model: ev.Model})
	case wire.ToolUseStart:
		r.close(ev.ParentToolID)
	case wire.Complete:
		r.closeAll()
		if r.outside {
			break
		}
		run := store.Run{ID: env.Run, Chat: r.chat, Status: ev.Status, MS: ev.MS}
		if ev.Usage != nil {
			run.Usage, run.Model = *ev.Usage, ev.Usage.Model
		}
		r.runs = append(r.runs, run)
	}
	r.text(env, textOf(ev, b))
}

// text adds what an event says, if it says something.
func (r *reader) text(env wire.Envelope, text string) {
	if strings.TrimSpace(text) != "" {
		r.add(store.Doc{Seq: env.Seq, T: env.T, Kind: env.Type, Agent: r.agent, Text: text})
	}
}

// piece adds a piece to its block.
func (r *reader) piece(env wire.Envelope, parent, item, delta, final string) {
	b := r.open[parent]
	if b != nil && (b.item != item || b.kind != env.Type) {
		r.close(parent)
		b = nil
	}
	if b == nil {
		if len(r.open) >= maxOpen {
			r.closeAll()
		}
		b = &block{item: item, kind: env.Type}
		if r.open == nil {
			r.open = map[string]*block{}
		}
		r.open[parent] = b
	}
	if b.text.Len() == 0 {
		b.doc = store.Doc{Seq: env.Seq, T: env.T, Kind: env.Type, Agent: r.agent}
	}
	switch {
	case final == "":
		b.text.WriteString(delta)
	case !b.split:
		// Of a text that was split, the parts stay as they were written.
		b.text.Reset()
		b.text.WriteString(final)
	}
	if b.text.Len() >= partLimit {
		r.finish(b)
		b.split = true
	}
}

// finish makes a document of what a block holds.
func (r *reader) finish(b *block) {
	b.doc.Text = b.text.String()
	b.text.Reset()
	if strings.TrimSpace(b.doc.Text) != "" {
		r.add(b.doc)
	}
}

func (r *reader) close(parent string) {
	if b := r.open[parent]; b != nil {
		r.finish(b)
		delete(r.open, parent)
	}
}

func (r *reader) closeAll() {
	for parent := range r.open {
		r.close(parent)
	}
}

func (r *reader) add(d store.Doc) { r.docs = append(r.docs, d) }

// take returns what was read since the last take. The cursor stays before what
// is still being written, so that nothing of it is lost with the process.
func (r *reader) take() store.Change {
	c := store.Change{Chat: r.chat, After: r.after, Docs: r.docs, Runs: r.runs, Sessions: r.sessions}
	c.Upto.Epoch, c.Upto.Seq = r.epoch, r.at
	for _, b := range r.open {
		if b.text.Len() > 0 {
			c.Upto.Seq = min(c.Upto.Seq, b.doc.Seq-1)
		}
	}
	c.Upto.Size, c.Upto.ModTime = -1, -1
	r.after, r.docs, r.runs, r.sessions = r.at, nil, nil, nil
	return c
}

// idle reports whether nothing is lost when the reader is made anew.
func (r *reader) idle() bool { return len(r.open) == 0 }
