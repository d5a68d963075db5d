package chat

import (
	"slices"
	"strings"

	"signalbox/backend/wire"
)

// Said is something that a person or an agent said in a chat.
type Said struct {
	Seq   uint64       // of its last event
	By    string       // the person's name; empty where an agent said it
	Agent wire.AgentID // who said it; empty where that is not known
	Text  string
	Cut   bool // Text is not the whole
}

// Recall gathers what was said in a chat, from the end of its log back. Of what
// an agent said, what its subagents said is left out, and so is a prompt that
// never reached an agent. The zero Recall has nothing yet.
type Recall struct {
	Without wire.RunID // a run that is left out

	said    []Said // the newest first
	bytes   int
	pending []Said // of a run of which the prompt has not come yet
	pieces  map[string]*pieces
	run     wire.RunID
	reached bool // an agent's session is known of in the run
}

// pieces is an item as far as it was read.
type pieces struct {
	at     int      // its place in pending
	deltas []string // the newest first
	whole  bool     // the rest of it counts no more
}

// Apply adds the line before those that were added so far. A line that cannot be
// read says nothing.
func (r *Recall) Apply(line []byte) {
	switch string(TypeOf(line)) {
	case string(wire.TypeUser), string(wire.TypeSession), string(wire.TypeAssistantText):
	default:
		return
	}
	env, ev, err := wire.Decode(line)
	if err != nil || r.Without != "" && env.Run == r.Without {
		return
	}
	if env.Run != r.run {
		r.settle("")
		r.run = env.Run
	}
	switch ev := ev.(type) {
	case wire.Session:
		r.reached = true
	case wire.AssistantText:
		if ev.ParentToolID == "" {
			r.text(env, ev)
		}
	case wire.User:
		r.prompt(env, ev)
	}
}

func (r *Recall) text(env wire.Envelope, ev wire.AssistantText) {
	p := r.pieces[ev.Item]
	if p == nil {
		if r.pieces == nil {
			r.pieces = map[string]*pieces{}
		}
		p = &pieces{at: len(r.pending)}
		r.pieces[ev.Item] = p
		r.pending = append(r.pending, Said{Seq: env.Seq})
	}
	said := &r.pending[p.at]
	switch {
	case p.whole:
		return
	case ev.Final != "":
		// It replaces the deltas before it; those after it were read already.
		p.whole = true
		p.deltas = append(p.deltas, ev.Final)
		_, said.Cut = env.Refs["/final"]
	default:
		p.deltas = append(p.deltas, ev.Delta)
		if _, cut := env.Refs["/delta"]; cut {
			said.Cut = true
		}
	}
	r.bytes += len(ev.Final) + len(ev.Delta)
}

func (r *Recall) prompt(env wire.Envelope, ev wire.User) {
	reached := r.reached || len(r.pending) > 0
	r.settle(ev.Agent)
	if !reached {
		return
	}
	_, cut := env.Refs["/text"]
	r.said = append(r.said, Said{Seq: env.Seq, By: ev.By.Name, Text: ev.Text, Cut: cut})
	r.bytes += len(ev.Text)
}

// settle ends the run that is being read.
func (r *Recall) settle(agent wire.AgentID) {
	for _, p := range r.pieces {
		slices.Reverse(p.deltas)
		r.pending[p.at].Text = strings.Join(p.deltas, "")
	}
	for _, s := range r.pending {
		if strings.TrimFunc(s.Text, blank) != "" {
			s.Agent = agent
			r.said = append(r.said, s)
		}
	}
	r.pending, r.pieces, r.reached = nil, nil, false
}

// Bytes is how much text was gathered so far.
func (r *Recall) Bytes() int { return r.bytes }

// Said returns what was gathered, the oldest first. Nothing is added afterwards.
func (r *Recall) Said() []Said {
	r.settle("")
	slices.Reverse(r.said)
	return r.said
}
