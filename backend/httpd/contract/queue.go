package contract

import "signalbox/backend/wire"

// QueueEdit changes the text of a prompt that waits; it is then the sender's.
type QueueEdit struct {
	ClientID string `json:"clientId" minLength:"1" maxLength:"200"`
	// Text may have 1 MiB of UTF-8.
	Text string `json:"text"`
	QueueRev
}

// QueueMove gives a prompt that waits another place, counted from 1.
type QueueMove struct {
	ClientID string `json:"clientId" minLength:"1" maxLength:"200"`
	To       int    `json:"to" minimum:"1"`
	QueueRev
}

// QueueRemove takes a prompt that waits out of the queue.
type QueueRemove struct {
	ClientID string `json:"clientId" minLength:"1" maxLength:"200"`
	QueueRev
}

// QueueRev is the rev of the queue that a change is based on.
type QueueRev struct {
	// Rev makes the change a conflict if what it is about was changed since;
	// absent means that it is made whatever was.
	Rev uint64 `json:"rev,omitempty"`
}

// QueuePatch changes what is set of one prompt that waits: its text or its place.
type QueuePatch struct {
	Text *string `json:"text,omitempty"`
	To   *int    `json:"to,omitempty" minimum:"1"`
	QueueRev
}

// QueueEditCommand is a [QueueEdit] on a chat's socket.
type QueueEditCommand struct {
	Type string `json:"type" enum:"queue_edit"`
	ID   string `json:"id,omitempty" maxLength:"100"`
	QueueEdit
}

// QueueMoveCommand is a [QueueMove] on a chat's socket.
type QueueMoveCommand struct {
	Type string `json:"type" enum:"queue_move"`
	ID   string `json:"id,omitempty" maxLength:"100"`
	QueueMove
}

// QueueRemoveCommand is a [QueueRemove] on a chat's socket.
type QueueRemoveCommand struct {
	Type string `json:"type" enum:"queue_remove"`
	ID   string `json:"id,omitempty" maxLength:"100"`
	QueueRemove
}

// QueueResumeCommand makes a paused queue move on.
type QueueResumeCommand struct {
	Type string `json:"type" enum:"queue_resume"`
	ID   string `json:"id,omitempty" maxLength:"100"`
}

// TypingCommand says that the person is writing a prompt; the others are shown
// it for 5 s.
type TypingCommand struct {
	Type string `json:"type" enum:"typing"`
	ID   string `json:"id,omitempty" maxLength:"100"`
}

// When is when a run is continued.
type When string

// When a run is continued. Absent means now.
const (
	WhenReset When = "reset" // when the rate limit that ended it resets
)

// Continue goes on with a run that did not end well.
type Continue struct {
	When When `json:"when,omitempty"`
}

// Draft is what a person has written and not sent.
type Draft struct {
	Text        string            `json:"text"` // may have 1 MiB of UTF-8
	Attachments []wire.Attachment `json:"attachments,omitempty" maxItems:"50"`
	Skills      []string          `json:"skills,omitempty" maxItems:"50"`
	// Rev is that of the draft that it is based on; 0 where there was none.
	Rev uint64 `json:"rev"`
}

// SettingsPatch changes what is set of a person's own settings.
type SettingsPatch struct {
	ContinueAtReset *bool        `json:"continueAtReset,omitempty"`
	EnterSends      *bool        `json:"enterSends,omitempty"`
	Limits          *wire.Limits `json:"limits,omitempty"`
}
