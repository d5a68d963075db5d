package runhub

import (
	"slices"

	"signalbox/backend/agent"
	"signalbox/backend/chat"
	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

// resumeLocked returns how the agent goes on in the chat.
func (r *room) resumeLocked(info agent.Info) chat.Resumption {
	return r.state.Resume(info.ID, chat.Abilities{
		Forks: info.Forks, Rewinds: info.Rewinds,
		Whole: info.Forks && !info.Rewinds && r.wholeLocked(info.ID),
	})
}

// wholeLocked reports whether the session that the chat has of the one that it
// is a fork of still ends where the fork was made.
func (r *room) wholeLocked(a wire.AgentID) bool {
	id, ok := r.state.Borrowed(a)
	m, err := r.hub.chats.Get(r.id)
	if !ok || err != nil || m.ForkOf == nil {
		return false
	}
	if m.ForkOf.Chat == "" {
		return m.Imported == id // nobody goes on in it from here
	}
	parent, err := r.hub.listed(m.ForkOf.Chat)
	if err != nil {
		return false
	}
	return parent.ends(a, id, m.ForkOf.Seq)
}

// ends reports whether the agent's session id is the chat's own and knows nothing
// that came after the event seq.
func (r *room) ends(a wire.AgentID, id string, seq uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run != nil || r.catchUpLocked() != nil {
		return false
	}
	own := r.state.Resume(a, chat.Abilities{})
	return own.Session == id && own.Known <= seq
}

const (
	// recallBytes is how much of what was said is read for an agent: more than a
	// transcript has room for, so that what is left out is known to be there.
	recallBytes = 2 * prompt.MaxTranscript
	// recallReach is how much of the log is read for it at most: output of tools
	// may lie between two messages.
	recallReach = 16 << 20
)

// recall reads what was said before the run, from the end of the log back. more
// means that the log holds more than was read.
func (r *run) recall() (said []chat.Said, more bool, err error) {
	recall := chat.Recall{Without: r.id}
	read := 0
	for line, err := range r.room.log.Backward() {
		if err != nil {
			return nil, false, err
		}
		if read += len(line); recall.Bytes() > recallBytes || read > recallReach {
			more = true
			break
		}
		recall.Apply(line)
	}
	said = recall.Said()
	if more && len(said) > 0 {
		said[0].Cut = true // its beginning may not have been read
	}
	return said, more, nil
}

// words is what the agent is given.
type words struct {
	asked

	text, fresh string
	anew        bool // it begins a session and is told what was said before
}

// words makes the text for the agent: with what its session does not know of the
// chat, and for a session that knows nothing with all that there is room for.
func (r *run) words() (words, error) {
	asked, err := r.asked()
	if err != nil {
		return words{}, err
	}
	own := prompt.ForAgent(r.selection.Mode, asked.text)
	said, more, err := r.recall()
	if err != nil {
		return words{}, err
	}
	whole := prompt.After(prompt.Transcript(prompt.Whole, r.messages(said), more), own)
	if r.resume.Session == "" {
		return words{asked: asked, text: whole, anew: whole != own}, nil
	}
	news := slices.DeleteFunc(slices.Clone(said), func(s chat.Said) bool { return s.Seq <= r.resume.Known })
	more = more && len(news) == len(said)
	return words{
		asked: asked,
		text:  prompt.After(prompt.Transcript(prompt.Since, r.messages(news), more), own),
		fresh: whole,
	}, nil
}

func (r *run) messages(said []chat.Said) []prompt.Message {
	list := make([]prompt.Message, len(said))
	for i, s := range said {
		list[i] = prompt.Message{From: s.By, Text: s.Text, Cut: s.Cut}
		if s.By == "" {
			list[i].From = r.hub.nameOf(s.Agent)
		}
	}
	return list
}

// nameOf returns how people call the agent.
func (h *Hub) nameOf(id wire.AgentID) string {
	if p, err := h.agents.Get(id); err == nil {
		return p.Info().Name
	}
	if id == "" {
		return "Agent"
	}
	return string(id)
}

// codeSessionFresh is the notice that an agent begins a session and is told what
// was said before.
const codeSessionFresh = "session_fresh"

func sessionFresh(agent string) wire.System {
	return wire.System{
		Level: wire.LevelInfo, Code: codeSessionFresh,
		Text: agent + " begins a new session. It is given what was said in this chat before, as far as that fits.",
	}
}
