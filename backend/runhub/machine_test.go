package runhub_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// machine drives a daemon with random commands and checks it against a simple
// model: which prompts were taken, and whether a run lives.
type machine struct {
	t     *testing.T
	w     *world
	p     *puppet
	chat  wire.ChatID
	live  *call
	taken map[string]taken // by client id
	views []*view
	next  int
}

type taken struct {
	text   string
	result wire.PromptResult
}

func (m *machine) prompt(rt *rapid.T) {
	text := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "text")
	clientID := fmt.Sprint("id", rapid.IntRange(0, m.next+1).Draw(rt, "client"))
	got, err := m.w.hub.Prompt(m.t.Context(), m.chat, ann, runhub.Prompt{ClientID: clientID, Text: text})
	before, known := m.taken[clientID]
	switch {
	case known && before.text == text:
		if err != nil || got != before.result {
			rt.Fatalf("prompt again = %+v, %v; want %+v", got, err, before.result)
		}
	case known:
		m.want(rt, err, fault.Conflict)
	case m.live != nil:
		m.want(rt, err, fault.Busy)
	default:
		if err != nil {
			rt.Fatalf("prompt = %v", err)
		}
		m.next++
		m.taken[clientID] = taken{text, got}
		m.live = <-m.p.calls
	}
}

func (m *machine) want(rt *rapid.T, err error, code fault.Code) {
	if fault.CodeOf(err) != code {
		rt.Fatalf("error = %v, want code %q", err, code)
	}
}

func (m *machine) emit(rt *rapid.T) {
	if m.live == nil {
		rt.Skip("nothing runs")
	}
	for i := range rapid.IntRange(1, 20).Draw(rt, "events") {
		m.live.emit(m.t, wire.AssistantText{Item: fmt.Sprint(i % 3), Delta: "x"})
	}
}

func (m *machine) end(rt *rapid.T) {
	if m.live == nil {
		rt.Skip("nothing runs")
	}
	m.live.ok()
	m.idle()
}

func (m *machine) cancel(rt *rapid.T) {
	err := m.w.hub.Cancel(m.t.Context(), m.chat, bob, "")
	if m.live == nil {
		m.want(rt, err, fault.Conflict)
		return
	}
	if err != nil {
		rt.Fatalf("cancel = %v", err)
	}
	m.idle()
}

func (m *machine) idle() {
	m.live = nil
	m.w.settled(m.chat)
}

func (m *machine) follow(*rapid.T) {
	if len(m.views) < 5 {
		m.views = append(m.views, m.w.follow(m.chat, ann, nil))
	}
}

func (m *machine) pick(rt *rapid.T) int {
	if len(m.views) == 0 {
		rt.Skip("nobody follows")
	}
	return rapid.IntRange(0, len(m.views)-1).Draw(rt, "view")
}

// read takes in what there is, or a part of it.
func (m *machine) read(rt *rapid.T) {
	v := m.views[m.pick(rt)]
	if end := m.last(); v.pos.Seq < end {
		v.upto(v.pos.Seq + 1)
	}
}

// drop loses a connection; the view comes back with its cursor.
func (m *machine) drop(rt *rapid.T) {
	v := m.views[m.pick(rt)]
	v.feed.Close()
	m.resume(v)
}

func (m *machine) resume(v *view) {
	since := &v.pos
	if v.pos == (wire.Position{}) {
		since = nil
	}
	again := m.w.follow(m.chat, ann, since)
	v.feed, v.sync = again.feed, wire.Sync{}
}

func (m *machine) last() uint64 {
	l, err := m.w.store.Log(m.chat)
	if err != nil {
		m.t.Fatal(err)
	}
	return l.End().Seq
}

// restart kills the daemon or ends it well; all connections drop.
func (m *machine) restart(rt *rapid.T) {
	old := m.w
	p := newPuppet("claude")
	if rapid.Bool().Draw(rt, "kill") {
		m.w = old.crash(runhub.Options{}, p)
		for _, v := range m.views {
			v.feed.Close()
		}
		old.stop()
	} else {
		for _, v := range m.views {
			v.feed.Close()
		}
		old.stop()
		m.w = startIn(m.t, old.dir, runhub.Options{}, p)
	}
	m.p, m.live = p, nil
	for _, v := range m.views {
		m.resume(v)
	}
}

// check is what holds after every command.
func (m *machine) check(rt *rapid.T) {
	log := m.w.events(m.chat)
	completes, users := map[wire.RunID]int{}, map[string]int{}
	for _, e := range log {
		switch ev := e.ev.(type) {
		case wire.User:
			users[ev.ClientID]++
			if want := m.taken[ev.ClientID]; want.text != ev.Text || want.result.Run != e.Run || want.result.Seq != e.Seq {
				rt.Fatalf("log holds %+v as %s %d, want %+v", ev, e.Run, e.Seq, want)
			}
		case wire.Complete:
			completes[e.Run]++
		}
	}
	if len(users) != len(m.taken) {
		rt.Fatalf("log holds %d prompts, %d were taken", len(users), len(m.taken))
	}
	for id, n := range users {
		run := m.taken[id].result.Run
		want := 1
		if m.live != nil && m.live.req.Run == run {
			want = 0
		}
		if n != 1 || completes[run] != want {
			rt.Fatalf("prompt %s: %d times in the log, %d complete, want 1 and %d", id, n, completes[run], want)
		}
	}
	s, err := m.w.chats.Summary(m.chat, ann.ID)
	if err != nil || s.Running != (m.live != nil) {
		rt.Fatalf("listed as running %v, %v", s.Running, err)
	}
}

// converge brings every view to the end and compares it with the log.
func (m *machine) converge(rt *rapid.T) {
	l, err := m.w.store.Log(m.chat)
	if err != nil {
		m.t.Fatal(err)
	}
	want := map[uint64][]byte{}
	for line, err := range l.Events(0) {
		if err != nil {
			m.t.Fatal(err)
		}
		env, _, err := wire.Decode(line)
		if err != nil {
			m.t.Fatal(err)
		}
		want[env.Seq] = append(bytes.TrimSuffix(bytes.Clone(line), []byte("\n")), '\n')
	}
	for i, v := range m.views {
		v.upto(l.End().Seq)
		if !maps.EqualFunc(v.lines, want, bytes.Equal) {
			rt.Fatalf("view %d holds %d events %v, the log %d", i, len(v.lines), slices.Sorted(maps.Keys(v.lines)), len(want))
		}
	}
}

// Whatever order prompts, stops, drops and deaths of the daemon come in: one
// live run at most, one complete for each prompt, no prompt twice, and every
// view equals the log.
func TestHub_machine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := newPuppet("claude")
		w := start(t, p)
		m := &machine{t: t, w: w, p: p, chat: w.chat(), taken: map[string]taken{}}
		defer func() {
			for _, v := range m.views {
				v.feed.Close()
			}
			m.w.stop()
		}()
		rt.Repeat(map[string]func(*rapid.T){
			"":        m.check,
			"prompt":  m.prompt,
			"prompt2": m.prompt,
			"emit":    m.emit,
			"end":     m.end,
			"cancel":  m.cancel,
			"follow":  m.follow,
			"read":    m.read,
			"drop":    m.drop,
			"restart": m.restart,
		})
		m.converge(rt)
	})
}
