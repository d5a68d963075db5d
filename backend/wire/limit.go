package wire

// Limits are how much one run may use. One that goes over is stopped, with the
// verdict max_iterations and one of the codes below. A field that is 0 limits
// nothing.
type Limits struct {
	Minutes int     `json:"minutes,omitempty" minimum:"0" maximum:"100000"` // from the prompt to the end
	Tokens  int64   `json:"tokens,omitempty" minimum:"0"`                   // of input, output and caches together
	CostUSD float64 `json:"costUsd,omitempty" minimum:"0" maximum:"1000000"`
}

// The codes of a [Complete] whose run was stopped by one of its [Limits].
const (
	CodeBudgetTime   = "budget_time"
	CodeBudgetTokens = "budget_tokens"
	CodeBudgetCost   = "budget_cost"
)

// Total is all tokens that were used, those of caches too.
func (u *Usage) Total() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// Settings are what a person chose for themselves, in every browser.
type Settings struct {
	// ContinueAtReset means that a run of theirs which a rate limit ended goes
	// on by itself when the limit resets.
	ContinueAtReset bool `json:"continueAtReset"`
	// EnterSends means that Enter sends a prompt, and Shift+Enter makes a line;
	// else Enter makes a line and Cmd or Ctrl+Enter sends.
	EnterSends bool `json:"enterSends"`
	// Limits are those of the person's runs in chats that have none of their own.
	Limits Limits `json:"limits"`
}
