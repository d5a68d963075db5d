package runhub

import (
	"cmp"
	"slices"

	"signalbox/backend/chat"
	"signalbox/backend/wire"
)

// cutText is what an outline says of a cut's prompts.
type cutText []wire.CutPrompt

// line returns the first line of the first prompt.
func (c cutText) line() string {
	if len(c) == 0 {
		return ""
	}
	return c[0].Line
}

// Outline returns the chat's prompts and what was taken out of it. The log is
// read once; after that, only what is new.
func (h *Hub) Outline(chat wire.ChatID) (wire.Outline, error) {
	room, err := h.listed(chat)
	if err != nil {
		return wire.Outline{}, err
	}
	o, err := room.outline()
	if err != nil {
		return wire.Outline{}, err
	}
	for _, m := range h.chats.Forks(chat) {
		// Where it was forked from is gone, it is shown where the chat still is
		// what the fork is.
		i, _ := slices.BinarySearchFunc(o.Prompts, m.ForkOf.Seq, func(p wire.OutlinePrompt, seq uint64) int {
			if p.End > 0 && p.End <= seq {
				return -1
			}
			return cmp.Compare(p.Seq, seq+1)
		})
		if i > 0 {
			p := &o.Prompts[i-1]
			p.Forks = append(p.Forks, wire.ForkRef{Chat: m.ID, Title: m.Title, Created: m.Created})
		}
	}
	return o, nil
}

func (r *room) outline() (wire.Outline, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.catchUpLocked(); err != nil {
		return wire.Outline{}, err
	}
	cuts, err := r.cutsLocked()
	if err != nil {
		// The prompts are there all the same.
		r.hub.log.Warn("what was taken out cannot be listed whole", "chat", r.id, "err", err)
	}
	return wire.Outline{
		Epoch: r.folded.Epoch, Prompts: append([]wire.OutlinePrompt{}, r.state.Prompts()...), Cuts: cuts,
	}, nil
}

// cutsLocked lists what was taken out of the chat and is kept, the newest first.
func (r *room) cutsLocked() ([]wire.Cut, error) {
	list, err := r.log.Rewound()
	cuts := make([]wire.Cut, 0, len(list))
	for _, t := range list {
		text, ok := r.cuts[t.Epoch]
		if !ok {
			if text, err = r.readCut(t.Epoch); err != nil {
				return cuts, err
			}
			r.cuts[t.Epoch] = text
		}
		cuts = append(cuts, wire.Cut{
			Epoch: t.Epoch, Keep: t.Keep, Last: t.Last, Prompts: len(text), Line: text.line(), Sent: text,
			Cause: t.Cause, At: t.At, Expires: t.Expires(), Restorable: t.Restorable,
		})
	}
	return cuts, err
}

func (r *room) readCut(epoch uint64) (cutText, error) {
	text := cutText{}
	for line, err := range r.log.RewoundEvents(epoch) {
		if err != nil {
			return text, err
		}
		if string(chat.TypeOf(line)) != string(wire.TypeUser) {
			continue
		}
		if env, ev, err := wire.Decode(line); err == nil {
			sent := wire.CutPrompt{Seq: env.Seq, T: env.T}
			if u, ok := ev.(wire.User); ok {
				sent.Line = chat.Line(u.Text)
			}
			text = append(text, sent)
		}
	}
	return text, nil
}
