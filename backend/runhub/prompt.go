package runhub

import (
	"context"
	"encoding/json"
	"strconv"
	"unicode/utf16"

	"signalbox/backend/chat"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Prompt is what a client sends. Only Text is needed.
type Prompt struct {
	// ClientID names the prompt, so that sending it twice does it once. It is
	// minted if it is missing.
	ClientID string `json:"clientId,omitempty"`
	Text     string `json:"text"`
	// WhenBusy says what to do while a run holds the chat: "reject", which is
	// the default, as there is no queue.
	WhenBusy string `json:"whenBusy,omitempty"`
	// Selection overrides what is chosen in the chat. One that names an agent
	// is taken as a whole, but for the mode: fields that are missing are then
	// the agent's own defaults.
	wire.Selection
}

// ParsePrompt reads a prompt from the JSON of a command or a request; fields
// that are not a prompt's are left alone. It refuses with a fault what decoding
// would quietly change or drop.
func ParsePrompt(raw []byte) (Prompt, error) {
	var body struct {
		Prompt

		Skills      []json.RawMessage `json:"skills"`
		Attachments []json.RawMessage `json:"attachments"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return Prompt{}, fault.New(fault.Invalid, "The prompt is not the JSON that was expected.").Because(err)
	}
	if loneSurrogate(raw) {
		return Prompt{}, fault.New(fault.Invalid, "The prompt holds half of a character (a lone surrogate).").
			WithHint("Remove the character that was cut in two.")
	}
	if len(body.Skills) > 0 || len(body.Attachments) > 0 {
		return Prompt{}, fault.New(fault.Invalid, "Skills and attachments cannot be sent yet.").
			WithHint("Send the prompt without them.")
	}
	return body.Prompt, nil
}

// loneSurrogate reports whether valid JSON holds a \u escape of half a pair,
// which decoding would replace.
func loneSurrogate(raw []byte) bool {
	escape := func(i int) (rune, bool) {
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
		return rune(n), err == nil
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		r, ok := escape(i)
		switch {
		case !ok:
			i++ // the escaped character is no beginning of an escape
		case !utf16.IsSurrogate(r):
			i += 5
		default:
			low, ok := escape(i + 6)
			if !ok || utf16.DecodeRune(r, low) == '\uFFFD' {
				return true
			}
			i += 11
		}
	}
	return false
}

func (p *Prompt) check() error {
	if err := chat.CheckText(p.Text); err != nil {
		return err
	}
	if err := chat.CheckClientID(p.ClientID); err != nil {
		return err
	}
	switch p.WhenBusy {
	case "", "reject":
		return nil
	case "queue", "interrupt":
		return fault.New(fault.Invalid, "whenBusy %q is not offered yet: a prompt to a busy chat is refused.", p.WhenBusy).
			WithHint("Leave whenBusy out, or send \"reject\".")
	default:
		return fault.New(fault.Invalid, "whenBusy %.40q is unknown.", p.WhenBusy).
			WithHint("Leave it out, or send \"reject\".")
	}
}

// receipt is the answer to a prompt, to be waited for by its sender and by
// whoever sends it again meanwhile.
type receipt struct {
	ready  chan struct{} // closed by the run's goroutine once result and err are set
	result wire.PromptResult
	err    error
}

// wait returns the answer, or err if that is set. A ctx that ends first is a
// fault canceled.
func (r *receipt) wait(ctx context.Context, err error) (wire.PromptResult, error) {
	if err != nil {
		return wire.PromptResult{}, err
	}
	select {
	case <-r.ready:
		return r.result, r.err
	case <-ctx.Done():
		return wire.PromptResult{}, fault.New(fault.Canceled, "The prompt may have been taken.").
			WithHint("Send it again with the same client id to find out: it is taken once.").
			Because(context.Cause(ctx))
	}
}

func (r *receipt) settle(result wire.PromptResult, err error) {
	r.result, r.err = result, err
	close(r.ready)
}
