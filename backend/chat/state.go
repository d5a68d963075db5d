package chat

import (
	"crypto/sha256"
	"fmt"

	"signalbox/backend/wire"
)

// State is what a chat's events add up to, as far as the daemon must know it.
// The zero State is that of an empty log.
type State struct {
	prompts  map[string]Prompt
	outline  []wire.OutlinePrompt
	points   []point // where the state stood before each of them
	ended    uint64  // the last complete
	sessions map[wire.AgentID]session
	open     map[wire.AgentID]wire.RunID // the runs that told of a session and have not ended
	origin   uint64                      // the last event that is of the chat that this one is a fork of
	last     Run
}

// NewState returns the state of the empty log of a fork that has the events up
// to origin from its chat; 0 where it is no fork.
func NewState(origin uint64) *State { return &State{origin: origin} }

// Run is what a prompt started.
type Run struct {
	ID        wire.RunID
	By        wire.Person
	Selection wire.Selection
	Started   wire.Time
	Verdict   wire.Status // empty as long as no complete is logged
	ResetsAt  *wire.Time  // of the rate limit that the run ran into, if it is known
}

// Apply adds the next line of the log. Lines that say nothing about the state
// are told from the others by their beginning, without decoding them. An error
// means that the line could not be read; the state is then as before.
func (s *State) Apply(line []byte) error {
	switch string(TypeOf(line)) {
	case string(wire.TypeUser), string(wire.TypeSession), string(wire.TypeComplete), string(wire.TypeEpoch), string(wire.TypeRateLimit):
	case "":
		return fmt.Errorf("fold chat: %.60q is not an event", line)
	default:
		return nil
	}
	env, ev, err := wire.Decode(line)
	if err != nil {
		return fmt.Errorf("fold chat: %w", err)
	}
	switch ev := ev.(type) {
	case wire.User:
		s.remember(env, ev)
		s.points = append(s.points, point{s.sessions, s.last, s.ended})
		s.last = Run{ID: env.Run, By: ev.By, Selection: ev.Selection, Started: env.T}
		s.outline = append(s.outline, wire.OutlinePrompt{
			Seq: env.Seq, T: env.T, Run: env.Run, By: ev.By, Line: Line(ev.Text),
		})
	case wire.Session:
		s.begin(env, ev)
	case wire.Complete:
		s.end(env, ev)
		s.ended = env.Seq
		if env.Run == s.last.ID && len(s.outline) > 0 {
			s.last.Verdict = ev.Status
			p := &s.outline[len(s.outline)-1]
			p.Status, p.End = ev.Status, env.Seq
		}
	case wire.RateLimit:
		if env.Run == s.last.ID {
			s.last.limit(ev)
		}
	case wire.Epoch:
		if ev.Cause == wire.CauseRewind || ev.Cause == wire.CauseClear {
			s.discard()
		}
	}
	return nil
}

// limit notes when the limit resets: of several, the last that is used up, as far
// as the vendor says.
func (r *Run) limit(l wire.RateLimit) {
	if l.ResetsAt == nil {
		return
	}
	full := l.UsedShare == nil || *l.UsedShare >= 1
	if full || r.ResetsAt == nil {
		r.ResetsAt = l.ResetsAt
	}
}

// Prompt returns the prompt that was sent with the client id.
func (s *State) Prompt(clientID string) (Prompt, bool) {
	p, ok := s.prompts[clientID]
	return p, ok
}

// Last returns the last run; its ID is empty if there was none.
func (s *State) Last() Run { return s.last }

// Open returns the run that has a prompt in the log and no complete.
func (s *State) Open() (Run, bool) { return s.last, s.last.ID != "" && s.last.Verdict == "" }

func (s *State) remember(env wire.Envelope, ev wire.User) {
	p := Prompt{Run: env.Run, Seq: env.Seq, text: sha256.Sum256([]byte(ev.Text))}
	if ref, ok := env.Refs["/text"]; ok {
		// The event holds the beginning of a long text, the ref its hash. One
		// that is no hash leaves a text that nothing equals.
		p.text = hashOf(ref.SHA256)
	}
	// The first prompt with an id is the one that was acknowledged.
	if _, ok := s.prompts[ev.ClientID]; !ok {
		s.put(ev.ClientID, p)
	}
}

func (s *State) put(clientID string, p Prompt) {
	if s.prompts == nil {
		s.prompts = map[string]Prompt{}
	}
	s.prompts[clientID] = p
}
