// Package contract is the HTTP contract in Go types: the bodies of requests and
// answers, the commands of the sockets, and the schema of them all, from which
// docs/openapi.json and the types of the web UI are generated.
//
// The schema is strict: an object has the fields that are named and no others.
// It holds no state; its values are plain data.
package contract

import (
	"signalbox/backend/access"
	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Health says that the daemon is up.
type Health struct {
	Status  string `json:"status" enum:"ok"`
	Version string `json:"version"`
	// Disk says that the disk of the data folder is full: nothing is saved until
	// there is room, and what was saved can be read.
	Disk string `json:"disk,omitempty" enum:"full"`
}

// DiskOf returns what [Health] says of a disk with so many bytes left of so many; both
// are 0 where that cannot be told.
func DiskOf(free, size int64) string {
	const little = 1 << 20 // an append may need more
	if size > 0 && free < little {
		return "full"
	}
	return ""
}

// SetupState says whether the first account is still to be made.
type SetupState struct {
	Open bool `json:"open"`
}

// Setup makes the first account.
type Setup struct {
	Token    string `json:"token" minLength:"1" maxLength:"200" doc:"From the set-up link that the daemon printed."`
	Name     string `json:"name" minLength:"1" maxLength:"100"`
	Password string `json:"password" minLength:"1" maxLength:"1000"`
}

// Login signs a person in.
type Login struct {
	Name     string `json:"name" minLength:"1" maxLength:"100"`
	Password string `json:"password" minLength:"1" maxLength:"1000"`
}

// Me is the person who asks.
type Me struct {
	Person wire.Person `json:"person"`
	Role   access.Role `json:"role"`
	// Version is the daemon's; a page built for another offers to reload.
	Version string `json:"version"`
}

// AgentList is every agent in the order in which they are offered.
type AgentList struct {
	Agents []agent.Described `json:"agents"`
}

// ChatList is every chat that the person may see, newest activity first.
type ChatList struct {
	Chats []wire.ChatSummary `json:"chats"`
}

// NewChat makes a chat.
type NewChat struct {
	Title    string          `json:"title,omitempty" maxLength:"200"`
	Selected *wire.Selection `json:"selected,omitempty"`
	// Skills are names of skills that the chat's prompts are to use.
	Skills []string `json:"skills,omitempty" maxItems:"50"`
}

// ChatPatch changes what is set and leaves the rest.
type ChatPatch struct {
	Title    *string         `json:"title,omitempty" minLength:"1" maxLength:"200"`
	Selected *wire.Selection `json:"selected,omitempty"`
	// Skills are all that the chat's prompts are to use. Where they are absent and
	// another agent is selected, those go that it does not have.
	Skills *[]string `json:"skills,omitempty" maxItems:"50"`
	// Archived is for everybody, Pinned for the person alone.
	Archived *bool `json:"archived,omitempty"`
	Pinned   *bool `json:"pinned,omitempty"`
	// Limits hold from the next run on; with nothing in them the chat has none
	// of its own.
	Limits *wire.Limits `json:"limits,omitempty"`
}

// WhenBusy is what becomes of a prompt while a run holds the chat.
type WhenBusy string

// What becomes of a prompt while a run holds the chat. Absent means queue.
const (
	BusyQueue     WhenBusy = "queue"
	BusyReject    WhenBusy = "reject"
	BusyInterrupt WhenBusy = "interrupt"
)

// Prompt is what a person sends: the body of the request and of the command.
type Prompt struct {
	// ClientID makes the prompt idempotent in its chat; minted when absent.
	ClientID string `json:"clientId,omitempty" maxLength:"200"`
	// Text may have 1 MiB of UTF-8.
	Text     string   `json:"text"`
	WhenBusy WhenBusy `json:"whenBusy,omitempty"`
	wire.Selection
	// Attachments are files that were uploaded into the chat.
	Attachments []wire.Attachment `json:"attachments,omitempty" maxItems:"20"`
	// Skills are names of skills that the agent is to use, the first one first.
	Skills []string `json:"skills,omitempty" maxItems:"50"`
}

// Cancel stops a run: the body of the request and of the command.
type Cancel struct {
	// Run is the run to stop; absent means the one that lives.
	Run wire.RunID `json:"run,omitempty"`
}

// Answer answers an approval, by its id and an option, or a question, by its id
// and answers or declined: the body of the request and of the command.
type Answer struct {
	ApprovalID string              `json:"approvalId,omitempty" maxLength:"100"`
	Option     wire.ApprovalOption `json:"option,omitempty"`
	// Text goes with deny: what is wanted instead. The agent is told.
	Text       string `json:"text,omitempty"`
	QuestionID string `json:"questionId,omitempty" maxLength:"100"`
	// Answers holds for each question, by its text, what was chosen or written.
	Answers  map[string][]string `json:"answers,omitempty"`
	Declined bool                `json:"declined,omitempty"`
}

// RuleList is what people allowed for a chat.
type RuleList struct {
	Rules []wire.Rule `json:"rules"`
}

// PromptCommand is a [Prompt] on a chat's socket.
type PromptCommand struct {
	Type string `json:"type" enum:"prompt"`
	// ID comes back in the ack; minted when absent.
	ID string `json:"id,omitempty" maxLength:"100"`
	Prompt
}

// CancelCommand is a [Cancel] on a chat's socket.
type CancelCommand struct {
	Type string `json:"type" enum:"cancel"`
	ID   string `json:"id,omitempty" maxLength:"100"`
	Cancel
}

// AnswerCommand is an [Answer] on a chat's socket.
type AnswerCommand struct {
	Type string `json:"type" enum:"answer"`
	ID   string `json:"id,omitempty" maxLength:"100"`
	Answer
}

// Problem is an error as RFC 9457 has it, with what our clients need.
type Problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Detail is what happened, a sentence for people.
	Detail string     `json:"detail"`
	Code   fault.Code `json:"code"`
	// Hint is one next step, a sentence for people.
	Hint string `json:"hint,omitempty"`
	// Run is the run that stands in the way.
	Run wire.RunID `json:"run,omitempty"`
}

// Error returns the sentence for people.
func (p *Problem) Error() string { return p.Detail }

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType returns the media type of RFC 9457.
func (p *Problem) ContentType(string) string { return "application/problem+json" }
