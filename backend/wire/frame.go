package wire

import "encoding/json"

// The types of frames.
const (
	TypeConnected    Type = "connected"
	TypeSync         Type = "sync"
	TypeReset        Type = "reset"
	TypeAck          Type = "ack"
	TypePing         Type = "ping"
	TypePong         Type = "pong"
	TypePresence     Type = "presence"
	TypeToolUseInput Type = "tool_use_input"
	TypeQueue        Type = "queue"
	TypeTyping       Type = "typing"
	TypeChat         Type = "chat"
	TypeChatRemoved  Type = "chat_removed"
	TypeDraft        Type = "draft"
	TypeUsage        Type = "usage"
	TypeOpen         Type = "open"
)

// Frame is a passing remark to clients: never logged, without a seq. The set of
// types is closed: [Frames] lists one of each.
type Frame interface {
	// Type returns the name under which the frame is sent.
	Type() Type

	isFrame()
}

// Frames returns a zero value of every type of frame, for tests and generators.
func Frames() []Frame {
	return []Frame{
		Connected{},
		Sync{},
		Reset{},
		Ack{},
		Ping{},
		Pong{},
		Presence{},
		ToolUseInput{},
		Queue{},
		Typing{},
		ChatChanged{},
		ChatRemoved{},
		DraftChanged{},
		RunUsage{},
		Open{},
	}
}

// Connected is the first frame on a chat's socket.
type Connected struct {
	Chat    ChatID `json:"chat"`
	Epoch   uint64 `json:"epoch"`
	LastSeq uint64 `json:"lastSeq"`
	Running bool   `json:"running"`
	Person  Person `json:"person"`
	// Version is the daemon's; a client built for another offers to reload.
	Version string `json:"version"`
}

// Phase is how far a run is.
type Phase string

// The phases of a run.
const (
	PhaseIdle     Phase = "idle"
	PhaseStarting Phase = "starting"
	PhaseRunning  Phase = "running"
	PhaseStopping Phase = "stopping"
	// PhaseHeld means that processes of the last run could not be ended; no
	// run may start until they are gone.
	PhaseHeld Phase = "held"
)

// Sync is the state of the run lock.
type Sync struct {
	Running bool    `json:"running"`
	Run     RunID   `json:"run,omitempty"`
	By      *Person `json:"by,omitempty"`
	Phase   Phase   `json:"phase"`
	// Since is when the phase's run began.
	Since *Time `json:"since,omitempty"`
}

// Reset tells a client to drop what it holds of the chat: the last page follows.
type Reset struct {
	Reason string `json:"reason"`
	Epoch  uint64 `json:"epoch"`
}

// The reasons of a [Reset].
const (
	ResetStale   = "stale_epoch" // the position is of another epoch
	ResetAhead   = "ahead"       // the position is beyond the last event
	ResetHole    = "rewound"     // the position was taken out by a rewind
	ResetTooFar  = "long_replay" // from the start of a log longer than a page
	ResetRestore = "restored"    // a rewound tail came back
	ResetClear   = "cleared"     // the chat was cleared
)

// Open goes before a last page that begins in the middle of something: it has the
// starts of the items that the page's first events belong to, as the log has
// them. They are no part of the page, and come again with the page before.
type Open struct {
	Events []json.RawMessage `json:"events"`
}

// Ack is the one answer to a command, to its sender alone.
type Ack struct {
	ID     string `json:"id"`
	OK     bool   `json:"ok"`
	Result any    `json:"result,omitempty"`
	Error  *Fault `json:"error,omitempty"`
}

// Fault is an error as clients see it.
type Fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Run     RunID  `json:"run,omitempty"`
}

// PromptResult is the result of an accepted prompt: the run that it started, or
// its place in the queue.
type PromptResult struct {
	ClientID string `json:"clientId"`
	Run      RunID  `json:"run,omitempty"`
	Seq      uint64 `json:"seq,omitempty"`
	// Queued is the prompt's place in the queue, from 1; 0 once it was sent.
	Queued int `json:"queued,omitempty"`
}

// Ping asks the other side for a [Pong]. Either side may send it.
type Ping struct {
	N int64 `json:"n"`
}

// Pong answers a [Ping] with its number.
type Pong struct {
	N int64 `json:"n"`
}

// Presence lists who watches the chat, each person once.
type Presence struct {
	People []Person `json:"people"`
}

// Typing lists who else is writing a prompt in the chat.
type Typing struct {
	People []Person `json:"people"`
}

// DraftChanged tells a person's other browsers on the workspace socket that
// their draft in a chat is another.
type DraftChanged struct {
	Chat  ChatID     `json:"chat"`
	Draft SavedDraft `json:"draft"`
}

// ToolUseInput is how much of a tool's input has been written so far, for a
// live count. The latest of a tool wins.
type ToolUseInput struct {
	ToolID string `json:"toolId"`
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	// Tail is the end of the input, at most 512 bytes, cut on a rune's border.
	Tail         string `json:"tail"`
	ParentToolID string `json:"parentToolId,omitempty"`
}

// RunUsage is what the live run has used so far, for a live count. The latest
// wins; the run's complete has the whole.
type RunUsage struct {
	Run   RunID `json:"run"`
	Usage Usage `json:"usage"`
}

// ChatSummary is a chat as lists show it.
type ChatSummary struct {
	ID       ChatID    `json:"id"`
	Title    string    `json:"title"`
	Owner    Person    `json:"owner"`
	Created  Time      `json:"created"`
	Active   Time      `json:"active"` // when something last happened in it
	Running  bool      `json:"running"`
	Phase    Phase     `json:"phase"`
	Verdict  Status    `json:"verdict,omitempty"` // of the last run; empty before the first
	Unread   bool      `json:"unread"`            // for the person who asks
	Selected Selection `json:"selected"`          // what the next prompt uses unless it says else
	// Skills are those that people chose for the chat's prompts. A prompt names
	// what it uses itself.
	Skills []string `json:"skills,omitempty"`
	Cwd    string   `json:"cwd"`
	// NeedsYou is what the run waits for somebody to answer; absent when it
	// waits for nobody.
	NeedsYou *NeedsYou `json:"needsYou,omitempty"`
	// Queued is how many prompts wait for the lock; Paused that they wait for
	// somebody to resume the queue.
	Queued int  `json:"queued,omitempty"`
	Paused bool `json:"paused,omitempty"`
	// Limits are those of the chat's runs; absent where it has none of its own, so
	// that those of whoever sends the prompt hold.
	Limits *Limits `json:"limits,omitempty"`
	// Pinned is the person's own who asks; Archived is everybody's.
	Pinned   bool `json:"pinned,omitempty"`
	Archived bool `json:"archived,omitempty"`
	// Trashed is when the chat was deleted; such a chat is only in the trash.
	Trashed *Time `json:"trashed,omitempty"`
	// ForkOf is the chat that this one was forked from.
	ForkOf *Origin `json:"forkOf,omitempty"`
}

// Origin is where a fork was cut off its chat.
type Origin struct {
	Chat ChatID `json:"chat"`
	// Seq is the last event that the fork has of it.
	Seq   uint64 `json:"seq"`
	Title string `json:"title,omitempty"` // of the chat, at that moment
}

// NeedsYou is what a run waits for people to answer.
type NeedsYou struct {
	// Kind and Title are those of the request that waits longest.
	Kind  ApprovalKind `json:"kind"`
	Title string       `json:"title"`
	Since Time         `json:"since"`
	// Count is how many requests wait.
	Count int `json:"count"`
}

// ChatChanged says on the workspace socket that a chat is new or changed.
type ChatChanged struct {
	Chat ChatSummary `json:"chat"`
}

// ChatRemoved says on the workspace socket that a chat is gone.
type ChatRemoved struct {
	ID ChatID `json:"id"`
}

func (Connected) Type() Type    { return TypeConnected }
func (Sync) Type() Type         { return TypeSync }
func (Reset) Type() Type        { return TypeReset }
func (Ack) Type() Type          { return TypeAck }
func (Ping) Type() Type         { return TypePing }
func (Pong) Type() Type         { return TypePong }
func (Presence) Type() Type     { return TypePresence }
func (ToolUseInput) Type() Type { return TypeToolUseInput }
func (Queue) Type() Type        { return TypeQueue }
func (Typing) Type() Type       { return TypeTyping }
func (ChatChanged) Type() Type  { return TypeChat }
func (ChatRemoved) Type() Type  { return TypeChatRemoved }
func (DraftChanged) Type() Type { return TypeDraft }
func (RunUsage) Type() Type     { return TypeUsage }
func (Open) Type() Type         { return TypeOpen }

func (Connected) isFrame()    {}
func (Sync) isFrame()         {}
func (Reset) isFrame()        {}
func (Ack) isFrame()          {}
func (Ping) isFrame()         {}
func (Pong) isFrame()         {}
func (Presence) isFrame()     {}
func (ToolUseInput) isFrame() {}
func (Queue) isFrame()        {}
func (Typing) isFrame()       {}
func (ChatChanged) isFrame()  {}
func (ChatRemoved) isFrame()  {}
func (DraftChanged) isFrame() {}
func (RunUsage) isFrame()     {}
func (Open) isFrame()         {}
