package chat

import (
	"maps"

	"signalbox/backend/wire"
)

// session is an agent's own session, as far as the log tells.
type session struct {
	id string
	// known is the last event of the chat that the session knows.
	known uint64
	// turn is the agent's id for the end of its last turn that has one, and
	// turnAt the complete event that told it.
	turn   string
	turnAt uint64
	// foreign means that it is a session of the chat that this one is a fork of,
	// discarded that it holds what a rewind took out.
	foreign, discarded bool
}

// stale reports whether the session is not the chat's to go on with.
func (s session) stale() bool { return s.foreign || s.discarded }

// Abilities are what an agent can do with its sessions, as in agent.Info.
type Abilities struct {
	Forks, Rewinds bool
	// Whole means that a session which belongs to another chat ends where this
	// chat does, so that a copy of all of it is right.
	Whole bool
}

// Resumption is how an agent's next run goes on. Session is empty where it
// begins a new one.
type Resumption struct {
	Session string
	Fork    bool
	Turn    string
	// Known is the last event of the chat that the agent then knows; it is to be
	// told the rest.
	Known uint64
}

// Resume returns how the agent goes on in the chat. A session that is stale is
// never resumed: at most a copy of it is, which ends where the chat does.
func (s *State) Resume(a wire.AgentID, can Abilities) Resumption {
	own, ok := s.sessions[a]
	switch {
	case !ok:
		return Resumption{}
	case !own.stale():
		return Resumption{Session: own.id, Known: own.known}
	case can.Rewinds && own.turn != "":
		return Resumption{Session: own.id, Fork: true, Turn: own.turn, Known: own.turnAt}
	case can.Forks && can.Whole:
		return Resumption{Session: own.id, Fork: true, Known: own.known}
	}
	return Resumption{}
}

// Session returns the agent's session that the chat has; empty if there is none
// or it is no longer the chat's own.
func (s *State) Session(a wire.AgentID) string {
	if own, ok := s.sessions[a]; ok && !own.stale() {
		return own.id
	}
	return ""
}

// Sessions returns every agent's session that is the chat's own.
func (s *State) Sessions() map[wire.AgentID]string {
	all := map[wire.AgentID]string{}
	for a := range s.sessions {
		if id := s.Session(a); id != "" {
			all[a] = id
		}
	}
	return all
}

// Borrowed returns the agent's session where that is one of the chat that this
// one is a fork of, and nothing of it was taken out since.
func (s *State) Borrowed(a wire.AgentID) (id string, ok bool) {
	own := s.sessions[a]
	return own.id, own.foreign && !own.discarded
}

func (s *State) begin(env wire.Envelope, ev wire.Session) {
	own := s.sessions[ev.Agent]
	if own.id != ev.SessionID {
		own = session{id: ev.SessionID, foreign: env.Seq <= s.origin}
	}
	own.known = env.Seq
	s.set(ev.Agent, own)
	if s.open == nil {
		s.open = map[wire.AgentID]wire.RunID{}
	}
	s.open[ev.Agent] = env.Run
}

// set replaces the map of sessions: the points before earlier prompts share it.
func (s *State) set(a wire.AgentID, own session) {
	next := make(map[wire.AgentID]session, len(s.sessions)+1)
	maps.Copy(next, s.sessions)
	next[a] = own
	s.sessions = next
}

// end notes what the sessions know when a run is complete.
func (s *State) end(env wire.Envelope, ev wire.Complete) {
	for a, run := range s.open {
		if run != env.Run {
			continue
		}
		delete(s.open, a)
		own := s.sessions[a]
		own.known = env.Seq
		if ev.Turn != "" {
			own.turn, own.turnAt = ev.Turn, env.Seq
		}
		s.set(a, own)
	}
}

// discard marks every session as one that holds what is no longer of the chat.
func (s *State) discard() {
	for a, own := range s.sessions {
		own.discarded = true
		s.set(a, own)
	}
}
