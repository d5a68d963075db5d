package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"signalbox/backend/wire"
)

// State is what a chat's events add up to, as far as the daemon must know it.
// The zero State is that of an empty log.
type State struct {
	prompts  map[string]Prompt
	sessions map[wire.AgentID]string
	last     Run
}

// Prompt is a prompt that the log holds.
type Prompt struct {
	Run wire.RunID
	Seq uint64

	text [sha256.Size]byte
}

// SameText reports whether text is what the prompt said.
func (p Prompt) SameText(text string) bool { return sha256.Sum256([]byte(text)) == p.text }

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
		s.last = Run{ID: env.Run, By: ev.By, Selection: ev.Selection, Started: env.T}
	case wire.Session:
		if s.sessions == nil {
			s.sessions = map[wire.AgentID]string{}
		}
		s.sessions[ev.Agent] = ev.SessionID
	case wire.Complete:
		if env.Run == s.last.ID {
			s.last.Verdict = ev.Status
		}
	case wire.RateLimit:
		if env.Run == s.last.ID {
			s.last.limit(ev)
		}
	case wire.Epoch:
		// The agents' sessions hold what was taken out.
		if ev.Cause == wire.CauseRewind || ev.Cause == wire.CauseClear {
			s.sessions = nil
		}
	}
	return nil
}

// Inherit keeps the client ids of old, which was folded from an earlier epoch
// of the same log, where s does not know them itself.
func (s *State) Inherit(old *State) {
	for id, p := range old.prompts {
		if _, ok := s.prompts[id]; !ok {
			s.put(id, p)
		}
	}
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

// Session returns the agent's session that the next run resumes; empty if it
// has none.
func (s *State) Session(a wire.AgentID) string { return s.sessions[a] }

// Last returns the last run; its ID is empty if there was none.
func (s *State) Last() Run { return s.last }

// Open returns the run that has a prompt in the log and no complete.
func (s *State) Open() (Run, bool) { return s.last, s.last.ID != "" && s.last.Verdict == "" }

func (s *State) remember(env wire.Envelope, ev wire.User) {
	p := Prompt{Run: env.Run, Seq: env.Seq, text: sha256.Sum256([]byte(ev.Text))}
	if ref, ok := env.Refs["/text"]; ok {
		// The event holds the beginning of a long text, the ref its hash. One
		// that is no hash leaves a text that nothing equals.
		p.text = [sha256.Size]byte{}
		if sum, err := hex.DecodeString(ref.SHA256); err == nil && len(sum) == len(p.text) {
			copy(p.text[:], sum)
		}
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
