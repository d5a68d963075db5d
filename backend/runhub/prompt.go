package runhub

import (
	"context"
	"strings"

	"signalbox/backend/attachment"
	"signalbox/backend/chat"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Prompt is what a client sends. Only Text is needed, or Attachments.
type Prompt struct {
	// ClientID names the prompt, so that sending it twice does it once. It is
	// minted if it is missing.
	ClientID string
	Text     string
	// Attachments are files that were uploaded into the chat; of each, the hash
	// and the name count.
	Attachments []wire.Attachment
	Skills      []string // by their names, the first one first
	// WhenBusy says what to do while a run holds the chat: "queue", which is the
	// default, "reject", or "interrupt", which stops the run and sends the prompt
	// next.
	WhenBusy string
	// Selection overrides what is chosen in the chat. One that names an agent
	// is taken as a whole, but for the mode: fields that are missing are then
	// the agent's own defaults.
	wire.Selection

	continues wire.RunID // the run that it goes on with
}

// What becomes of a prompt to a busy chat.
const (
	whenBusyQueue     = "queue"
	whenBusyReject    = "reject"
	whenBusyInterrupt = "interrupt"
)

// word gives a prompt of files alone a text: their names. So it has one wherever
// prompts are named, and for every agent.
func (p *Prompt) word() {
	if len(p.Attachments) == 0 || !chat.Blank(p.Text) {
		return
	}
	names := make([]string, 0, len(p.Attachments))
	for _, a := range p.Attachments {
		names = append(names, attachment.Clean(a.Name))
	}
	p.Text = strings.Join(names, ", ")
}

func (p *Prompt) check() error {
	if err := chat.CheckText(p.Text); err != nil {
		return err
	}
	if err := chat.CheckClientID(p.ClientID); err != nil {
		return err
	}
	if err := chat.CheckSkills(p.Skills); err != nil {
		return err
	}
	switch p.WhenBusy {
	case "", whenBusyQueue, whenBusyReject, whenBusyInterrupt:
		return nil
	default:
		return fault.New(fault.Invalid, "whenBusy %.40q is unknown.", p.WhenBusy).
			WithHint("Leave it out, or send \"queue\", \"reject\" or \"interrupt\".")
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

// settled is a receipt that nobody has to wait for.
func settled(result wire.PromptResult) *receipt {
	r := &receipt{ready: make(chan struct{})}
	r.settle(result, nil)
	return r
}

func (r *receipt) settle(result wire.PromptResult, err error) {
	r.result, r.err = result, err
	close(r.ready)
}
