package eventlog

import (
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Rewind takes out the user event seq and all that follows, and keeps it with
// the sessions for 7 days. It refuses an event that is no prompt (fault invalid)
// or that the chat does not hold (not_found). The caller sees to it that no run
// lives.
func (l *Log) Rewind(seq uint64, sessions map[wire.AgentID]string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.changingLocked()
	if err != nil {
		return err
	}
	p, err := l.find(s, max(seq, 1)-1)
	if err != nil {
		return fault.Disk("rewind chat", err)
	}
	if seq == 0 || p.next.seq != seq {
		return fault.New(fault.NotFound, "The prompt to go back to is no longer part of the chat.").
			WithHint("Load the chat again.")
	}
	if p.next.typ != wire.TypeUser {
		return fault.New(fault.Invalid, "A chat can only go back to a prompt.")
	}
	return l.cutLocked(s, p, wire.CauseRewind, sessions)
}

// changingLocked returns the log for one who is about to replace it. Its file
// stays open while mu is held.
func (l *Log) changingLocked() (snap, error) {
	if _, err := l.writableLocked(); err != nil {
		return snap{}, err
	}
	return l.snap()
}

// Clear empties the log. What was in it is kept for 7 days, as by a rewind.
func (l *Log) Clear() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.changingLocked()
	if err != nil || s.last == 0 {
		return err
	}
	return l.cutLocked(s, place{off: s.start}, wire.CauseClear, nil)
}

// cutLocked takes out what lies from p on. The tail is durable in its own file
// before the log is replaced.
func (l *Log) cutLocked(s snap, p place, cause wire.EpochCause, sessions map[wire.AgentID]string) error {
	keep := uint64(0)
	if p.next.seq > 0 {
		keep = p.next.before()
	}
	err := l.keepTailLocked(rewound{
		Format: format, Chat: l.chat, Epoch: s.epoch + 1, Keep: keep, Last: s.last,
		Cause: cause, At: now(), Sessions: sessions,
	}, piece{s.file, p.off, s.size})
	if err != nil {
		return fault.Disk("keep what is taken out of the chat", err)
	}
	return l.replaceLocked(change{pieces: []piece{{s.file, s.start, p.off}}, keep: keep, cause: cause})
}

// Restore brings back what the last rewind or clear took out. It refuses where
// nothing is kept (fault not_found) and once a prompt was sent (conflict).
func (l *Log) Restore() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.changingLocked()
	if err != nil {
		return err
	}
	u, err := l.undo(s, 0)
	if err != nil {
		return fault.Disk("restore chat", err)
	}
	defer u.close()
	sent, err := hasUser(u.after)
	if err != nil {
		return fault.Disk("restore chat", err)
	}
	if sent {
		return fault.New(fault.Conflict, "A prompt was sent since, so what was taken out can't return to this chat.").
			WithHint("Bring it back as a new chat.")
	}
	if err := l.replaceLocked(change{pieces: u.pieces, keep: u.last, cause: wire.CauseRestore}); err != nil {
		return err
	}
	// A file that stays is found to be spent by the next restore.
	if err := l.store.disk.Remove(u.name); err != nil {
		l.store.log.Warn("restored events not removed", "chat", l.chat, "err", err)
	}
	return nil
}

// hasUser reports whether there is a prompt in the pieces.
func hasUser(pieces []piece) (bool, error) {
	for _, p := range pieces {
		for r, err := range rawForward(p.file, p.from, p.to) {
			if err != nil {
				return false, err
			}
			if h, ok := readLine(r.raw); ok && h.typ == wire.TypeUser {
				return true, nil
			}
		}
	}
	return false, nil
}
