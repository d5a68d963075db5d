package scripted

import (
	"encoding/json"
	"time"
)

// Scenario is a named script.
type Scenario struct {
	Name string
	// Note says in a few words what it plays.
	Note string
	// Steps returns the whole script for a request. The turn says which step is
	// asked for; a turn beyond the last gets the last again.
	Steps func(Turn) []Step
}

// Turn is what a scenario knows of the request that it answers.
type Turn struct {
	Scenario string
	Args     string // the rest of the line after the scenario's name
	Step     int
	Model    string
	Cwd      string // the agent's working directory; "/" if it did not say
	// Heard is the whole text in which the scenario was named, as the agent sent it.
	Heard string
	// Earlier are the scenario prompts of the conversation before this one.
	Earlier []string
	// Follow is the newest text of the person after the scenario's; agents add
	// such when a plan was accepted, and reminders.
	Follow string
	// Result is the text of the newest tool result; empty in the first step.
	Result string
	// Tools spells tool calls for the agent that asks.
	Tools Tools
}

// Step is one answer of the model.
type Step struct {
	Blocks []Block
	Stop   Stop          // default: StopTool if a block is a Call, else StopEnd
	Pace   time.Duration // between two deltas
	// Slice, if set, is how many bytes go out in one write: it cuts UTF-8
	// sequences and SSE lines anywhere.
	Slice int
	// Halves sends one UTF-16 unit in a delta, so that the two halves of a
	// surrogate pair are apart.
	Halves bool
	Header map[string]string
	Fault  Fault // nil: the answer is whole
}

// Stop is why the model stopped.
type Stop string

// The reasons to stop.
const (
	StopEnd     Stop = "end"
	StopTool    Stop = "tool"
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
)

// stop returns the reason to stop, also where the script left it out.
func (s Step) stop() Stop {
	if s.Stop != "" {
		return s.Stop
	}
	for _, b := range s.Blocks {
		if _, ok := b.(Call); ok {
			return StopTool
		}
	}
	return StopEnd
}

// Block is a part of an answer: [Text], [Thinking] or [Call].
type Block interface{ isBlock() }

// Text is visible text.
type Text string

// Thinking is reasoning.
type Thinking string

// Call is a tool call.
type Call struct {
	Name  string
	Input json.RawMessage
	// Namespace is where an agent keeps the tool, in doors that have such.
	Namespace string
	// Custom says that the tool takes plain text, which Input is as JSON, in
	// doors that have such.
	Custom bool
}

func (Text) isBlock()     {}
func (Thinking) isBlock() {}
func (Call) isBlock()     {}

// Fault is how an answer fails: [Refuse], [Hang], [Cut] or [Break].
type Fault interface{ isFault() }

// Refuse answers with an error status in place of a stream.
type Refuse struct {
	Status  int
	Kind    string // the vendor's type of error
	Message string
	// RetryAfter is sent as a header, in seconds, if it is not 0.
	RetryAfter int
	// Times is how often the step is refused before it is answered; 0 is
	// always.
	Times int
}

// Hang sends nothing, not even a status, until the client leaves.
type Hang struct{}

// Cut drops the connection after so many blocks.
type Cut struct{ After int }

// Break sends an error inside the stream after so many blocks.
type Break struct {
	After   int
	Kind    string
	Message string
}

func (Refuse) isFault() {}
func (Hang) isFault()   {}
func (Cut) isFault()    {}
func (Break) isFault()  {}
