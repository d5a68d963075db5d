package runhub_test

import (
	"bytes"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// cutOut is what a rewind took out, in the model.
type cutOut struct {
	epoch uint64
	at    uint64   // the seq of its epoch event
	ids   []string // of its prompts
}

// inLog returns the client ids of the prompts that the log holds from the event
// seq on.
func (m *machine) inLog(from uint64) []string {
	var ids []string
	for id, p := range m.taken {
		if p.result.Seq >= max(from, 1) && !p.gone {
			ids = append(ids, id)
		}
	}
	return ids
}

func (m *machine) rewind(rt *rapid.T) {
	id := fmt.Sprint("id", rapid.IntRange(0, m.next).Draw(rt, "client"))
	p := m.taken[id]
	var seq uint64 = 1 << 40
	if p != nil {
		seq = p.result.Seq
	}
	cut, err := m.w.hub.Rewind(m.chat, bob, seq)
	switch {
	case m.live != nil:
		m.want(rt, err, fault.Busy)
	case p == nil || p.result.Seq == 0 || p.gone:
		m.want(rt, err, fault.NotFound)
	default:
		ids := m.inLog(seq)
		if err != nil || cut.Prompts != len(ids) || !cut.Restorable {
			rt.Fatalf("rewind = %+v, %v; want %d prompts", cut, err, len(ids))
		}
		for _, id := range ids {
			m.taken[id].gone = true
		}
		m.cuts = append(m.cuts, cutOut{cut.Epoch, m.last(), ids})
		m.paused = len(m.queue) > 0
	}
}

func (m *machine) restore(rt *rapid.T) {
	err := m.w.hub.Restore(m.chat, ann, 0)
	n := len(m.cuts)
	switch {
	case m.live != nil:
		m.want(rt, err, fault.Busy)
	case n == 0:
		m.want(rt, err, fault.NotFound)
	case len(m.inLog(m.cuts[n-1].at)) > 0:
		m.want(rt, err, fault.Conflict)
	default:
		m.want(rt, err, "")
		for _, id := range m.cuts[n-1].ids {
			m.taken[id].gone = false
		}
		m.cuts = m.cuts[:n-1]
	}
}

// fork copies the chat, or the chat as it was before a cut.
func (m *machine) fork(rt *rapid.T) {
	lines := m.lines(m.chat)
	var f runhub.Fork
	if len(m.cuts) > 0 && rapid.Bool().Draw(rt, "cut") {
		f.Cut = rapid.SampledFrom(m.cuts).Draw(rt, "which").epoch
	}
	fork, err := m.w.hub.Fork(m.chat, bob, f)
	if f.Cut == 0 && m.live != nil {
		// Of the run that is under way it has nothing.
		for len(lines) > 0 && !bytes.Contains(lines[len(lines)-1], []byte(`"type":"complete"`)) {
			lines = lines[:len(lines)-1]
		}
		if len(lines) == 0 {
			m.want(rt, err, fault.Conflict)
			return
		}
	}
	if err != nil {
		rt.Fatalf("fork = %v", err)
	}
	got := m.lines(fork)
	if f.Cut == 0 && !slices.EqualFunc(got, lines, bytes.Equal) {
		rt.Fatalf("the fork has %d lines, want %d", len(got), len(lines))
	}
	if f.Cut > 0 {
		i := slices.IndexFunc(m.cuts, func(c cutOut) bool { return c.epoch == f.Cut })
		for _, id := range m.cuts[i].ids {
			if !slices.ContainsFunc(got, func(l []byte) bool { return bytes.Contains(l, []byte(`"clientId":"`+id+`"`)) }) {
				rt.Fatalf("the fork of a cut lacks its prompt %s", id)
			}
		}
	}
	if err := m.w.hub.Trash(m.t.Context(), fork, bob); err != nil {
		rt.Fatalf("delete the fork = %v", err)
	}
	if err := m.w.hub.Purge(fork, bob); err != nil {
		rt.Fatalf("purge the fork = %v", err)
	}
}

func (m *machine) lines(id wire.ChatID) [][]byte {
	l, err := m.w.store.Log(id)
	if err != nil {
		m.t.Fatal(err)
	}
	var all [][]byte
	for line, err := range l.Events(0) {
		if err != nil {
			m.t.Fatal(err)
		}
		all = append(all, bytes.TrimSuffix(line, []byte("\n")))
	}
	return all
}

// trash deletes the chat and takes it out of the trash; who followed it comes
// back with its cursor.
func (m *machine) trash(rt *rapid.T) {
	if err := m.w.hub.Trash(m.t.Context(), m.chat, bob); err != nil {
		rt.Fatalf("delete = %v", err)
	}
	_, err := m.w.hub.Prompt(m.t.Context(), m.chat, ann, runhub.Prompt{Text: "a"})
	m.want(rt, err, fault.NotFound)
	if err := m.w.hub.Untrash(m.chat, ann); err != nil {
		rt.Fatalf("take it out of the trash = %v", err)
	}
	m.live = nil
	m.paused = len(m.queue) > 0
	for _, id := range m.queue {
		m.taken[id].interrupts = false
	}
	for _, v := range m.views {
		v.feed.Close()
		m.resume(v)
	}
}
