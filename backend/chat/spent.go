package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"signalbox/backend/wire"
)

// Prompt is a prompt that the chat has or had.
type Prompt struct {
	Run  wire.RunID
	Seq  uint64
	text [sha256.Size]byte
}

// SameText reports whether text is what the prompt said.
func (p Prompt) SameText(text string) bool { return sha256.Sum256([]byte(text)) == p.text }

type promptJSON struct {
	Run    wire.RunID `json:"run"`
	Seq    uint64     `json:"seq"`
	SHA256 string     `json:"sha256"` // of the text
}

// MarshalJSON writes the hash of the text in hexadecimal digits.
func (p Prompt) MarshalJSON() ([]byte, error) {
	return json.Marshal(promptJSON{p.Run, p.Seq, hex.EncodeToString(p.text[:])})
}

// UnmarshalJSON reads what MarshalJSON writes. What is no hash leaves a text
// that nothing equals.
func (p *Prompt) UnmarshalJSON(b []byte) error {
	var in promptJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*p = Prompt{Run: in.Run, Seq: in.Seq, text: hashOf(in.SHA256)}
	return nil
}

func hashOf(digits string) (sum [sha256.Size]byte) {
	if b, err := hex.DecodeString(digits); err == nil && len(b) == len(sum) {
		copy(sum[:], b)
	}
	return sum
}

// From returns the prompts from the event seq on, by their client ids.
func (s *State) From(seq uint64) map[string]Prompt {
	found := map[string]Prompt{}
	for id, p := range s.prompts {
		if p.Seq >= seq {
			found[id] = p
		}
	}
	return found
}

// Spend keeps the client ids of prompts that the chat had, where s does not know
// them itself.
func (s *State) Spend(prompts map[string]Prompt) {
	for id, p := range prompts {
		if _, ok := s.prompts[id]; !ok {
			s.put(id, p)
		}
	}
}
