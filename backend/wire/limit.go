package wire

import "math"

// Limits are how much the runs of a chat may use: each of them by the first fields,
// all together by Chat, those that began on one day, by the daemon's clock, by Day.
// A run that goes over one is stopped, with the verdict max_iterations and one of the
// codes below; where Chat or Day is used up already, none begins. A field that is 0
// limits nothing.
type Limits struct {
	Minutes int     `json:"minutes,omitempty" minimum:"0" maximum:"100000"`          // from the prompt to the end
	Tokens  int64   `json:"tokens,omitempty" minimum:"0" maximum:"9007199254740991"` // of input, output and caches together; a browser counts no farther
	CostUSD float64 `json:"costUsd,omitempty" minimum:"0" maximum:"1000000"`

	Chat Amounts `json:"chat,omitzero"`
	Day  Amounts `json:"day,omitzero"`
}

// Amounts are how much may be used.
type Amounts struct {
	Minutes int     `json:"minutes,omitempty" minimum:"0" maximum:"100000"`
	Tokens  int64   `json:"tokens,omitempty" minimum:"0" maximum:"9007199254740991"`
	CostUSD float64 `json:"costUsd,omitempty" minimum:"0" maximum:"1000000"`
}

// Run returns how much one run may use.
func (l Limits) Run() Amounts {
	return Amounts{Minutes: l.Minutes, Tokens: l.Tokens, CostUSD: l.CostUSD}
}

// The codes of a [Complete] whose run was stopped by one of its [Limits]: its own by
// what was used up, those of the chat and of the day by whose they are.
const (
	CodeBudgetTime   = "budget_time"
	CodeBudgetTokens = "budget_tokens"
	CodeBudgetCost   = "budget_cost"
	CodeBudgetChat   = "budget_chat"
	CodeBudgetDay    = "budget_day"
)

// Total is all tokens that were used, those of caches too, as far as can be counted.
// What an agent tells may be any number: none takes away from another.
func (u *Usage) Total() int64 { return Sum(u.Input, u.Output, u.CacheRead, u.CacheWrite) }

// Sum adds counts, of which negative ones count as 0, up to the most that an int64
// holds.
func Sum(counts ...int64) int64 {
	sum := int64(0)
	for _, n := range counts {
		sum += min(max(n, 0), math.MaxInt64-sum)
	}
	return sum
}

// SumUSD adds costs as [Sum] does counts, up to the most that can be written down.
func SumUSD(costs ...float64) float64 {
	sum := 0.0
	for _, c := range costs {
		sum = min(sum+max(c, 0), math.MaxFloat64)
	}
	return sum
}

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
