package runhub

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"signalbox/backend/catalog"
	"signalbox/backend/chat"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Fork says what of a chat a new one is to hold: all of it, unless After or Cut
// says else.
type Fork struct {
	After uint64 // the complete event with which it ends
	Cut   uint64 // the epoch of a cut: the chat as it was before
	Title string // default: made of the chat's
}

// Fork makes a new chat, of the person's own, of what a chat holds. It works in
// the same folder with the same choices; what was allowed for the chat is not
// allowed in it. Of a run that is under way it has nothing.
//
// Faults: invalid for After with Cut, or a title that can be none; not_found for
// an After that ends no answer and a cut of which nothing is kept; conflict
// where the chat has no answer yet.
func (h *Hub) Fork(from wire.ChatID, by wire.Person, f Fork) (wire.ChatID, error) {
	if f.After > 0 && f.Cut > 0 {
		return "", fault.New(fault.Invalid, "A fork ends after an answer or at a cut, not at both.")
	}
	meta, err := h.chats.Get(from)
	if err != nil {
		return "", err
	}
	room, err := h.room(from)
	if err != nil {
		return "", err
	}
	if f.Title == "" {
		f.Title = forkTitle(meta.Title)
	}
	m, err := room.fork(by, f, catalog.New{Title: f.Title, Selected: meta.Selected, Skills: meta.Skills, Cwd: meta.Cwd})
	if err != nil {
		return "", err
	}
	h.log.Info("chat forked", "chat", from, "user", by.ID, "fork", m.ID, "seq", m.ForkOf.Seq)
	if l, err := h.logs.Log(m.ID); err != nil {
		h.log.Error("log of a fork not opened", "chat", m.ID, "err", err)
	} else if last, err := lastRun(l); err != nil || h.correct(m.ID, false, last.ended.Status) != nil {
		h.log.Warn("verdict of a fork not known", "chat", m.ID, "err", err)
	}
	return m.ID, nil
}

// fork makes the fork. The lock keeps the log from being changed meanwhile.
func (r *room) fork(by wire.Person, f Fork, n catalog.New) (catalog.Meta, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return catalog.Meta{}, errGone()
	}
	if err := r.catchUpLocked(); err != nil {
		return catalog.Meta{}, err
	}
	upto, err := r.forkEndLocked(f)
	if err != nil {
		return catalog.Meta{}, err
	}
	n.ForkOf = &wire.Origin{Chat: r.id, Seq: upto}
	if m, err := r.hub.chats.Get(r.id); err == nil {
		n.ForkOf.Title = m.Title
	}
	n.MakeLog = func(to wire.ChatID) error {
		if f.Cut > 0 {
			_, _, err := r.hub.logs.ForkRewound(r.id, to, f.Cut)
			return err
		}
		if upto == 0 {
			_, err := r.hub.logs.Create(to)
			return err
		}
		_, err := r.hub.logs.Fork(r.id, to, upto)
		return err
	}
	return r.hub.chats.Create(by, n)
}

// forkEndLocked returns the last event that the fork has.
func (r *room) forkEndLocked(f Fork) (uint64, error) {
	switch _, open := r.state.Open(); {
	case f.Cut > 0:
		list, err := r.log.Rewound()
		if i := slices.IndexFunc(list, func(t eventlog.Rewound) bool { return t.Epoch == f.Cut }); i >= 0 {
			return list[i].Last, nil
		}
		if err == nil {
			err = errNoCut()
		}
		return 0, err
	case f.After > 0:
		if !slices.ContainsFunc(r.state.Prompts(), func(p wire.OutlinePrompt) bool { return p.End == f.After }) {
			return 0, fault.New(fault.NotFound, "No answer of the chat ends there.").
				WithHint("A fork is made after an answer that has ended. Load the chat again.")
		}
		return f.After, nil
	case r.run == nil && !open:
		return r.log.End().Seq, nil
	case r.state.Ended() == 0:
		return 0, fault.New(fault.Conflict, "The chat has no answer yet that a fork could begin with.").
			WithHint("Wait until the run ends.")
	default:
		return r.state.Ended(), nil
	}
}

var forkMark = regexp.MustCompile(`^(.*) \(fork(?: ([1-9][0-9]{0,5}))?\)$`)

// forkTitle names a fork after its chat: "Fix it", "Fix it (fork)", "Fix it
// (fork 2)".
func forkTitle(title string) string {
	if title == "" {
		return ""
	}
	mark := " (fork)"
	if m := forkMark.FindStringSubmatch(title); m != nil {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			n = 1
		}
		title, mark = m[1], fmt.Sprintf(" (fork %d)", n+1)
	}
	if over := utf8.RuneCountInString(title+mark) - chat.MaxTitle; over > 0 {
		runes := []rune(title)
		title = string(runes[:len(runes)-over-1]) + "…"
	}
	return title + mark
}
