package wire

// ApprovalKind is what an agent wants of people.
type ApprovalKind string

// The kinds. An [Approval] never has the last: a question is an event of its
// own.
const (
	ApprovalCommand  ApprovalKind = "command"
	ApprovalEdit     ApprovalKind = "edit"
	ApprovalTool     ApprovalKind = "tool"
	ApprovalPlan     ApprovalKind = "plan"
	ApprovalQuestion ApprovalKind = "question"
)

// ApprovalOption is an answer to an approval.
type ApprovalOption string

// The answers to an approval.
const (
	OptionOnce ApprovalOption = "once"
	OptionChat ApprovalOption = "chat"
	OptionDeny ApprovalOption = "deny"
)

// Approval says that an agent asked leave to do something. It waits for the
// [ApprovalAnswered] with its id; once its run is complete it has expired.
type Approval struct {
	ApprovalID string       `json:"approvalId"`
	ToolID     string       `json:"toolId,omitempty"`
	Kind       ApprovalKind `json:"kind"`
	// Tool is the agent's name for the tool.
	Tool    string           `json:"tool,omitempty"`
	Title   string           `json:"title"`
	Detail  string           `json:"detail,omitempty"`
	Cwd     string           `json:"cwd,omitempty"`
	Paths   []string         `json:"paths,omitempty"`
	Options []ApprovalOption `json:"options"`
	// Scope is what the option chat allows; only where it is offered.
	Scope *Scope `json:"scope,omitempty"`
	// Outside is the first of Paths that lies outside the working directory.
	Outside      string `json:"outside,omitempty"`
	ParentToolID string `json:"parentToolId,omitempty"`
}

// ApprovalAnswered is the answer to an approval. Auto means that the mode or a
// rule answered, or that the agent did not wait; By is then absent.
type ApprovalAnswered struct {
	ApprovalID string         `json:"approvalId"`
	Option     ApprovalOption `json:"option"`
	By         *Person        `json:"by,omitempty"`
	Auto       bool           `json:"auto,omitempty"`
	// Reason says in words which rule answered; only with Auto.
	Reason string `json:"reason,omitempty"`
	// Text is what a person wants instead; the agent is told.
	Text string `json:"text,omitempty"`
}

// Scope is what may be done without asking again. Kind says which of the other
// fields count: a command has the exact Command and the Dir in which it runs; a
// tool its Tool; an edit either the Dir under which all files may be changed or
// the exact Paths.
type Scope struct {
	Kind    ApprovalKind `json:"kind"`
	Command string       `json:"command,omitempty"`
	Tool    string       `json:"tool,omitempty"`
	Dir     string       `json:"dir,omitempty"`
	Paths   []string     `json:"paths,omitempty"`
}

// Rule is a scope that a person allowed for a whole chat.
type Rule struct {
	ID    string `json:"id"`
	Scope Scope  `json:"scope"`
	By    Person `json:"by"`
	At    Time   `json:"at"`
}

// Question says that an agent asked people something and waits for the
// [QuestionAnswered] with its id; once its run is complete it has expired.
type Question struct {
	QuestionID   string         `json:"questionId"`
	ToolID       string         `json:"toolId,omitempty"`
	Questions    []QuestionItem `json:"questions"`
	ParentToolID string         `json:"parentToolId,omitempty"`
}

// QuestionItem is one thing that is asked. People may choose among Options, or
// write their own answer.
type QuestionItem struct {
	Question    string           `json:"question"`
	Header      string           `json:"header,omitempty"` // a word or two
	MultiSelect bool             `json:"multiSelect,omitempty"`
	Options     []QuestionOption `json:"options"`
}

// QuestionOption is a choice that is offered.
type QuestionOption struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// QuestionAnswered is the answer to a question: by the text of each, what was
// chosen or written; a question that was skipped is missing. Without By the
// agent did not wait.
type QuestionAnswered struct {
	QuestionID string              `json:"questionId"`
	Answers    map[string][]string `json:"answers,omitempty"`
	By         *Person             `json:"by,omitempty"`
	Declined   bool                `json:"declined,omitempty"`
	// Reason says in words why nobody answered.
	Reason string `json:"reason,omitempty"`
}
