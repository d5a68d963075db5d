package wire

// Outline is a chat at a glance: every prompt that is part of it, and what was
// taken out of it.
type Outline struct {
	Epoch   uint64          `json:"epoch"`
	Prompts []OutlinePrompt `json:"prompts"` // ascending
	// Cuts are what rewinds and clears took out and what is still kept, the
	// newest first.
	Cuts []Cut `json:"cuts"`
}

// OutlinePrompt is one prompt of an [Outline].
type OutlinePrompt struct {
	Seq  uint64 `json:"seq"`
	T    Time   `json:"t"`
	Run  RunID  `json:"run"`
	By   Person `json:"by"`
	Line string `json:"line"` // the text's first line, at most 200 bytes
	// Status is the verdict on the run; empty while it has none. End is the seq
	// of its complete event, after which a fork can be made.
	Status Status `json:"status,omitempty"`
	End    uint64 `json:"end,omitempty"`
	// Forks are the chats that were forked after this prompt's answer, as far
	// as the person may see them.
	Forks []ForkRef `json:"forks,omitempty"`
}

// ForkRef is a chat that was forked from another.
type ForkRef struct {
	Chat    ChatID `json:"chat"`
	Title   string `json:"title"`
	Created Time   `json:"created"`
}

// CutPrompt is one prompt of a [Cut].
type CutPrompt struct {
	Seq  uint64 `json:"seq"`
	T    Time   `json:"t"`
	Line string `json:"line"` // the text's first line, at most 200 bytes
}

// Cut is a tail that a rewind or a clear took out of a chat.
type Cut struct {
	// Epoch is the one that the cut began; it names the cut.
	Epoch   uint64 `json:"epoch"`
	Keep    uint64 `json:"keep"` // the last event that stayed
	Last    uint64 `json:"last"` // the last that was taken out
	Prompts int    `json:"prompts"`
	Line    string `json:"line"` // the first line of its first prompt
	// Sent are its prompts, ascending.
	Sent    []CutPrompt `json:"sent"`
	Cause   EpochCause  `json:"cause"`
	At      Time        `json:"at"`
	Expires Time        `json:"expires"`
	// Restorable means that it can return to this chat; else, as prompts were
	// sent since, only as a fork.
	Restorable bool `json:"restorable"`
}
