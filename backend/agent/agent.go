// Package agent is what answers a run: a vendor's CLI or a model API, each
// behind one [Provider].
//
// A provider translates a vendor's protocol into the events of package wire, at
// one place and once. It holds no state between runs: what a later run needs
// (the session, the turn) it emits as an event or returns in its [Result].
package agent

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// Provider runs prompts with one agent. All methods may be called from many
// goroutines at once.
type Provider interface {
	// Info says what the agent is and what can be chosen. It is cheap; only the
	// models may change, with what a probe finds.
	Info() Info
	// Probe looks whether the agent can run now: installed, signed in, which
	// version, which models. It may start processes; the caller sets a deadline.
	Probe(ctx context.Context) Status
	// Run gives the agent one prompt and returns when its turn has ended, its
	// output is read to the end and every process that it started is gone.
	//
	// A vendor's failure is told by [Host.Emit] with a wire.Error and by the
	// Result's status, not by the error: that is for faults on our side (the
	// log refused an event, a process could not be ended).
	//
	// When ctx ends the provider interrupts the agent in-band first, then by
	// signals, and returns StatusCancelled within 15 s.
	Run(ctx context.Context, req Request, host Host) (Result, error)
}

// Host is what a run may ask of the daemon. Calls of one run come from any of
// its goroutines.
type Host interface {
	// Emit logs events of the run, those of one call together. It returns an
	// error only when they could not be written; the run must then end.
	Emit(evs ...wire.Event) error
	// Remark shows a passing frame to whoever watches. It never blocks.
	Remark(f wire.Frame)
	// Keep keeps bytes beside the log, for an event to refer to.
	Keep(body []byte) (wire.BlobRef, error)
	// Ask asks leave to do something and waits for the answer. It returns an
	// error when ctx or the run ends first.
	Ask(ctx context.Context, ask Ask) (Answer, error)
}

// Info describes an agent.
type Info struct {
	ID   wire.AgentID `json:"id"`
	Name string       `json:"name"`
	// Demo marks the scripted agent, which the UI labels wherever it shows.
	Demo   bool     `json:"demo,omitempty"`
	Models []Choice `json:"models"`
	// Efforts and Tiers are empty where the agent has no such choice.
	Efforts []Choice `json:"efforts"`
	Tiers   []Choice `json:"tiers"`
	// Modes says for each mode that the agent offers what it may do in it.
	Modes []ModePolicy `json:"modes"`
	// Forks says that a session can be copied (Request.Fork), Rewinds that the
	// copy can end at an earlier turn (Request.Turn), Images that pictures can
	// be sent along.
	Forks   bool `json:"forks,omitempty"`
	Rewinds bool `json:"rewinds,omitempty"`
	Images  bool `json:"images,omitempty"`
	// Resume is the command line that continues a session by hand, with
	// "{session}" in the place of its id; empty where there is none.
	Resume string `json:"resume,omitempty"`
}

// Choice is one value that a person may choose.
type Choice struct {
	Value string `json:"value"`
	Name  string `json:"name"`
	Note  string `json:"note,omitempty"`
}

// ModePolicy is what an agent may do in a mode, in words.
type ModePolicy struct {
	Mode wire.Mode `json:"mode"`
	// Policy is one short sentence: "Edits files in the folder, runs commands".
	Policy string `json:"policy"`
	// Caveat says what the agent cannot be held to in this mode; may be empty.
	Caveat string `json:"caveat,omitempty"`
}

// State is whether an agent can run.
type State string

// The states of an agent.
const (
	StateReady        State = "ready"
	StateNotInstalled State = "not_installed"
	StateNotSignedIn  State = "not_signed_in"
	StateBroken       State = "broken"  // installed, but does not run
	StateUnknown      State = "unknown" // it was not looked at yet
)

// SignIn is whether an agent finds a sign-in or a key.
type SignIn string

// What is known of a sign-in, as far as it can be seen without the network.
const (
	SignInFound   SignIn = "found"
	SignInMissing SignIn = "missing"
)

// Sandbox is whether an agent's own sandbox works on this machine.
type Sandbox string

// What is known of a sandbox.
const (
	SandboxWorks Sandbox = "works"
	SandboxFails Sandbox = "fails"
)

// Status is the outcome of a probe.
type Status struct {
	State   State  `json:"state"`
	Version string `json:"version,omitempty"`
	// Tested is the version of the agent that this Signalbox is tested with.
	Tested string `json:"tested,omitempty"`
	Path   string `json:"path,omitempty"`
	// SignIn and Sandbox are absent where nothing is known, or there is none.
	SignIn  SignIn  `json:"signIn,omitempty"`
	Sandbox Sandbox `json:"sandbox,omitempty"`
	// Checked is when the agent was looked at.
	Checked *wire.Time `json:"checked,omitempty"`
	// Message says what is wrong and Hint one next step; empty when ready.
	Message string `json:"message,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// Offer is a list of choices that a probe may replace. The zero Offer has none; its
// methods may be called from many goroutines.
type Offer struct{ found atomic.Pointer[[]Choice] }

// Set keeps what was found, unless that is nothing.
func (o *Offer) Set(found []Choice) {
	if len(found) > 0 {
		o.found.Store(&found)
	}
}

// Or returns what was found, else the list that is known beforehand.
func (o *Offer) Or(known []Choice) []Choice {
	if found := o.found.Load(); found != nil {
		return *found
	}
	return known
}

// Request is one prompt for an agent.
type Request struct {
	Chat wire.ChatID
	Run  wire.RunID
	// Text is what the agent is given; the prompt as the person sent it is in
	// the log.
	Text      string
	Selection wire.Selection
	Cwd       string
	// Session is the agent's session to resume; empty to begin one. If the
	// agent no longer knows it, the provider says so with a wire.System and
	// CodeSessionLost, begins one session anew and gives it Fresh instead of
	// Text.
	Session string
	// Fresh is Text for a session that knows nothing of the chat: with what was
	// said before. Empty where Text has that already.
	Fresh string
	// Fork leaves Session as it is and goes on in a copy of it; only for agents
	// that Info.Forks. Turn, which only those that Info.Rewinds get, is the
	// Result.Turn after which the copy ends; empty copies all.
	Fork bool
	Turn string
	// Skills are the names of the skills that the person chose, the first one
	// first. Text does not name them.
	Skills []string
	// Images are pictures that belong to the prompt; only for agents that
	// Info.Images.
	Images []Image
	// Servers are the daemon's MCP servers, for the agent to use beside those
	// of its own settings.
	Servers []MCPServer
	// Private is a folder for what must be on no command line. Only the daemon's
	// user gets at it, it need not be there yet, and after the run it is gone.
	Private string
	// Start launches a process under the run's supervision. The caller reads
	// its output to the end and waits for it.
	Start func(ctx context.Context, spec proc.Spec) (*proc.Child, error)
}

// Image is a picture that belongs to a prompt.
type Image struct {
	Path  string // absolute; it may be read until the run ends
	Media string // media type
}

// MCPServer is a tool server that an agent is to use. It has a Command or a URL.
type MCPServer struct {
	Name    string            // letters, digits, "-" and single "_"
	Command []string          // with its arguments
	Env     map[string]string // of the command; secret
	URL     string            // streamable HTTP
	Headers map[string]string // of requests to URL; secret
	Skill   string            // whose runs alone are given it; empty: all
}

// Codes that say more than an event or a [Result] and that others act on.
const (
	// CodeSessionLost is a notice that the agent no longer knew its session.
	CodeSessionLost = "session_lost"
	// CodeRateLimited is the end of a run that the vendor refused for now.
	CodeRateLimited = "rate_limited"
)

// Result is how a run ended.
type Result struct {
	Status wire.Status
	Code   string // as in wire.Complete
	Notice string
	Usage  *wire.Usage
	Turn   string
}

// Ask is a request for leave, or questions to people.
type Ask struct {
	ToolID       string
	ParentToolID string
	Kind         wire.ApprovalKind
	Tool         string          // the agent's name for the tool
	Input        json.RawMessage // the tool's input as far as it is known
	Title        string          // one line: the command, the file
	Detail       string          // the plan, or why
	Cwd          string
	Paths        []string // absolute paths that would be written
	ReadOnly     bool     // known to change nothing
	// Questions are asked where Kind is question; the rest but the tool's ids
	// says nothing then.
	Questions []wire.QuestionItem
}

// Answer is the answer to an [Ask]. Allow means yes, or that the questions were
// answered.
type Answer struct {
	Allow bool
	// Reason is what the agent is told when the answer is no.
	Reason string
	// Instead is what the person wants instead, in their words; Reason has it
	// too. It is for agents that cannot be told a reason.
	Instead string
	// Answers holds for each question, by its text, what was chosen or written;
	// one that was skipped is missing.
	Answers map[string][]string
}
