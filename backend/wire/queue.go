package wire

// Queue is the chat's queue of prompts as it now stands: what is sent, one after
// the other, whenever the lock frees. Rev rises with every change of it; a move
// that is based on an older one is a fault conflict.
type Queue struct {
	Rev   uint64       `json:"rev"`
	Items []QueuedItem `json:"items"`
	// Paused says why nothing is sent; absent while the queue moves on by itself.
	Paused *QueuePause `json:"paused,omitempty"`
}

// QueuedItem is a prompt that waits for the chat's lock.
type QueuedItem struct {
	ClientID string `json:"clientId"`
	Text     string `json:"text"`
	By       Person `json:"by"`
	At       Time   `json:"at"` // when it was queued
	Selection
	Skills      []string     `json:"skills,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	// Continues is the run that the prompt goes on with, where it does.
	Continues RunID `json:"continues,omitempty"`
	// Interrupts means that the prompt is sent as soon as the run that it
	// stopped has ended, whatever that run's verdict.
	Interrupts bool `json:"interrupts,omitempty"`
	// Rev is the queue's when the prompt was queued or edited last. An edit or a
	// removal that is based on an older one is a fault conflict.
	Rev uint64 `json:"rev"`
	// Error says why the prompt was not sent when its turn came; it is then the
	// first, and the queue paused.
	Error *Fault `json:"error,omitempty"`
}

// QueuePause is why a queue does not move on: until somebody resumes it, or until
// its time has come where it has one.
type QueuePause struct {
	// Reason is the verdict of the run before, or one of the reasons below.
	Reason string  `json:"reason"`
	Since  Time    `json:"since"`
	By     *Person `json:"by,omitempty"` // who stopped the run, where somebody did
	// Until is when the queue moves on by itself, where it does.
	Until *Time `json:"until,omitempty"`
}

// The reasons of a [QueuePause] that are no verdict.
const (
	PauseRestart   = "restart"    // the daemon started anew
	PauseNotSent   = "not_sent"   // the first prompt could not be sent
	PauseRateLimit = "rate_limit" // the agent's vendor refuses more for now
	PauseRewound   = "rewound"    // the chat was rewound
)

// Attachment is a file that was sent with a prompt; its bytes lie beside the log.
type Attachment struct {
	Name   string `json:"name"`
	Media  string `json:"media"` // media type
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// SavedDraft is what a person began to write in a chat and has not sent. It is
// theirs alone; their other browsers follow it.
type SavedDraft struct {
	Text        string       `json:"text"`
	Attachments []Attachment `json:"attachments,omitempty"`
	Skills      []string     `json:"skills,omitempty"`
	// Rev rises with every change; a change that is based on an older one is a
	// fault conflict.
	Rev uint64 `json:"rev"`
	At  Time   `json:"at"`
}
