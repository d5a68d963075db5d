package runhub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"signalbox/backend/chat"
	"signalbox/backend/fault"
	"signalbox/backend/internal/atomicfile"
	"signalbox/backend/wire"
)

// catchUpLocked folds what was logged since the last time, or the whole log if
// it was changed before that.
func (r *room) catchUpLocked() error {
	r.used = time.Now()
	end := r.log.End()
	if r.state != nil && r.folded == end {
		return nil
	}
	state, after := r.state, r.folded.Seq
	if state == nil || r.folded.Epoch != end.Epoch {
		fresh, err := r.newState()
		if err != nil {
			return err
		}
		state, after = fresh, 0
	}
	var unread error
	for line, err := range r.log.Events(after) {
		if err != nil {
			r.state = nil // a part of it was folded
			return err
		}
		if err := state.Apply(line); err != nil {
			unread = err
		}
	}
	if unread != nil {
		r.hub.log.Warn("log holds lines that cannot be read", "chat", r.id, "err", unread)
	}
	if after == 0 {
		known, err := r.spent()
		if err != nil {
			r.hub.log.Error("rewound prompts not known", "chat", r.id, "err", err)
		}
		state.Spend(known)
	}
	r.state, r.folded = state, end
	return nil
}

// backLocked takes the fold back to before the prompt seq, in a log that was
// changed after that alone.
func (r *room) backLocked(seq uint64) {
	r.state.Back(seq)
	r.folded = wire.Position{Epoch: r.log.End().Epoch, Seq: seq - 1}
}

func (r *room) newState() (*chat.State, error) {
	m, err := r.hub.chats.Get(r.id)
	if err != nil || m.ForkOf == nil {
		return chat.NewState(0), err
	}
	return chat.NewState(m.ForkOf.Seq), nil
}

// spent is what the file rewound.json holds: the prompts that rewinds took out,
// by their client ids. It outlives what is kept of their events, so that none of
// them is ever sent again.
type spent struct {
	Prompts map[string]chat.Prompt `json:"prompts"`
}

func (r *room) spentPath() string { return filepath.Join(r.hub.logs.Dir(r.id), "rewound.json") }

// spent returns what the file holds; what cannot be read is an error.
func (r *room) spent() (map[string]chat.Prompt, error) {
	b, err := atomicfile.Read(r.spentPath())
	var s spent
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return s.Prompts, err
}

// spend adds to what is spent, durable when it returns. It comes before the
// rewind: a crash between the two leaves prompts that both know. A file that
// cannot be read is kept aside.
func (r *room) spend(prompts map[string]chat.Prompt) error {
	all, err := r.spent()
	if err != nil {
		kept, err2 := putAside(r.spentPath())
		if err2 != nil {
			return fault.Disk("keep damaged file of rewound prompts", errors.Join(err2, err))
		}
		r.hub.log.Error("file of rewound prompts was damaged and is kept aside", "chat", r.id, "file", kept, "err", err)
	}
	if all == nil {
		all = map[string]chat.Prompt{}
	}
	for id, p := range prompts {
		all[id] = p
	}
	b, err := json.Marshal(spent{all})
	if err != nil {
		return fmt.Errorf("encode rewound prompts: %w", err)
	}
	return errors.Join(atomicfile.Sweep(r.spentPath()), atomicfile.Write(r.spentPath(), append(b, '\n'), 0o600))
}
