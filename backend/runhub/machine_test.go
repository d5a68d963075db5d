package runhub_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// machine drives a daemon with random commands and checks it against a simple
// model: which prompts were taken, which of them wait, and whether a run lives.
type machine struct {
	t      *testing.T
	w      *world
	p      *puppet
	chat   wire.ChatID
	live   *call
	taken  map[string]*taken // by client id
	queue  []string          // the client ids of those that wait
	paused bool
	cuts   []cutOut // the newest last
	views  []*view
	next   int
}

// taken is a prompt that was accepted.
type taken struct {
	came, text string // the text as it came, and as it is
	interrupts bool
	removed    bool
	gone       bool              // a rewind took it out
	result     wire.PromptResult // once it is in the log
}

func (m *machine) waits(id string) int { return slices.Index(m.queue, id) }

func (m *machine) prompt(rt *rapid.T) {
	text := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "text")
	clientID := fmt.Sprint("id", rapid.IntRange(0, m.next+1).Draw(rt, "client"))
	whenBusy := rapid.SampledFrom([]string{"", "queue", "reject", "interrupt"}).Draw(rt, "whenBusy")
	got, err := m.w.hub.Prompt(m.t.Context(), m.chat, ann, runhub.Prompt{ClientID: clientID, Text: text, WhenBusy: whenBusy})
	before, known := m.taken[clientID]
	switch {
	case known && (before.removed || text != before.came && text != before.text):
		m.want(rt, err, fault.Conflict)
	case known:
		want := before.result
		if i := m.waits(clientID); i >= 0 {
			want = wire.PromptResult{ClientID: clientID, Queued: i + 1}
		}
		if err != nil || got != want {
			rt.Fatalf("prompt again = %+v, %v; want %+v", got, err, want)
		}
	case m.live == nil:
		m.accept(rt, clientID, text, err)
		m.taken[clientID].result = got
		m.live = <-m.p.calls
	case whenBusy == "reject":
		m.want(rt, err, fault.Busy)
	default:
		m.accept(rt, clientID, text, err)
		m.taken[clientID].interrupts = whenBusy == "interrupt"
		at := len(m.queue)
		if whenBusy == "interrupt" {
			at = 0
			for at < len(m.queue) && m.taken[m.queue[at]].interrupts {
				at++
			}
		}
		m.queue = slices.Insert(m.queue, at, clientID)
		if got.Queued != at+1 || got.Run != "" {
			rt.Fatalf("queued = %+v, want place %d", got, at+1)
		}
		if whenBusy == "interrupt" {
			m.over(false)
		}
	}
}

// atOnce sends one prompt from several clients at the same time: all get the same
// answer, and it is sent once.
func (m *machine) atOnce(rt *rapid.T) {
	id := fmt.Sprint("id", m.next+1)
	if m.taken[id] != nil || m.live != nil || len(m.queue) > 0 {
		rt.Skip("only to an idle chat it has one answer")
	}
	results := make([]wire.PromptResult, 3)
	errs := make([]error, len(results))
	var clients sync.WaitGroup
	for i := range results {
		clients.Go(func() {
			by := []wire.Person{ann, bob}[i%2]
			results[i], errs[i] = m.w.hub.Prompt(m.t.Context(), m.chat, by, runhub.Prompt{ClientID: id, Text: "a"})
		})
	}
	m.live = <-m.p.calls
	clients.Wait()
	for i := range results {
		if errs[i] != nil || results[i] != results[0] {
			rt.Fatalf("prompts at once = %+v, %v", results, errs)
		}
	}
	m.accept(rt, id, "a", nil)
	m.taken[id].result = results[0]
}

func (m *machine) accept(rt *rapid.T, clientID, text string, err error) {
	if err != nil {
		rt.Fatalf("prompt = %v", err)
	}
	m.next++
	m.taken[clientID] = &taken{came: text, text: text}
}

// over is what follows the end of the live run.
func (m *machine) over(ok bool) {
	m.live = nil
	if !ok && len(m.queue) > 0 && !m.taken[m.queue[0]].interrupts {
		m.paused = true
	}
	m.advance()
}

// advance is what follows when nothing holds the queue back.
func (m *machine) advance() {
	if m.live != nil || m.paused || len(m.queue) == 0 {
		if m.live == nil {
			m.w.settled(m.chat)
		}
		return
	}
	id := m.queue[0]
	m.queue = m.queue[1:]
	m.live = <-m.p.calls
	for _, e := range m.w.events(m.chat) {
		if u, ok := e.ev.(wire.User); ok && u.ClientID == id {
			m.taken[id].result = wire.PromptResult{ClientID: id, Run: e.Run, Seq: e.Seq}
		}
	}
}

// waiting draws a prompt that waits, or one that does not.
func (m *machine) waiting(rt *rapid.T) (id string, at int) {
	id = fmt.Sprint("id", rapid.IntRange(0, m.next).Draw(rt, "client"))
	return id, m.waits(id)
}

func (m *machine) edit(rt *rapid.T) {
	id, at := m.waiting(rt)
	text := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "text")
	_, err := m.w.hub.ChangeQueued(m.chat, bob, id, runhub.Change{Text: &text})
	m.changed(rt, err, id, at)
	if at >= 0 {
		m.taken[id].text = text
	}
}

func (m *machine) move(rt *rapid.T) {
	id, at := m.waiting(rt)
	to := rapid.IntRange(1, 5).Draw(rt, "to")
	_, err := m.w.hub.ChangeQueued(m.chat, bob, id, runhub.Change{To: &to})
	m.changed(rt, err, id, at)
	if at >= 0 {
		m.queue = slices.Delete(m.queue, at, at+1)
		m.queue = slices.Insert(m.queue, min(to-1, len(m.queue)), id)
	}
}

func (m *machine) remove(rt *rapid.T) {
	id, at := m.waiting(rt)
	_, err := m.w.hub.RemoveQueued(m.chat, id, 0)
	m.changed(rt, err, id, at)
	if at >= 0 {
		m.queue = slices.Delete(m.queue, at, at+1)
		m.taken[id].removed = true
		m.paused = m.paused && len(m.queue) > 0
	}
}

// changed judges the answer to a change of a prompt.
func (m *machine) changed(rt *rapid.T, err error, id string, at int) {
	switch known := m.taken[id]; {
	case at >= 0:
		m.want(rt, err, "")
	case known != nil && known.removed:
		m.want(rt, err, fault.Conflict)
	default:
		m.want(rt, err, fault.NotFound)
	}
}

func (m *machine) resumeQueue(rt *rapid.T) {
	if _, err := m.w.hub.ResumeQueue(m.t.Context(), m.chat); err != nil {
		rt.Fatalf("resume = %v", err)
	}
	m.paused = false
	m.advance()
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
	ok := rapid.Bool().Draw(rt, "ok")
	if ok {
		m.live.ok()
	} else {
		m.live.fail()
	}
	m.over(ok)
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
	m.over(false)
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
	v.feed, v.sync, v.queue = again.feed, wire.Sync{}, wire.Queue{}
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
	m.paused = len(m.queue) > 0
	for _, id := range m.queue {
		m.taken[id].interrupts = false
	}
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
			want := m.taken[ev.ClientID]
			if want == nil || want.text != ev.Text || want.result.Run != e.Run || want.result.Seq != e.Seq {
				rt.Fatalf("log holds %+v as %s %d, want %+v", ev, e.Run, e.Seq, want)
			}
		case wire.Complete:
			completes[e.Run]++
		}
	}
	for id, p := range m.taken {
		wantLogged, wantEnded := 1, 1
		switch {
		case p.removed || p.gone || m.waits(id) >= 0:
			wantLogged, wantEnded = 0, 0
		case m.live != nil && m.live.req.Run == p.result.Run:
			wantEnded = 0
		}
		if users[id] != wantLogged || completes[p.result.Run] != wantEnded {
			rt.Fatalf("prompt %s: %d times in the log, %d complete, want %d and %d",
				id, users[id], completes[p.result.Run], wantLogged, wantEnded)
		}
	}
	m.checkQueue(rt)
	s, err := m.w.chats.Summary(m.chat, ann.ID)
	if err != nil || s.Running != (m.live != nil) {
		rt.Fatalf("listed as running %v, %v", s.Running, err)
	}
}

func (m *machine) checkQueue(rt *rapid.T) {
	q := m.w.queue(m.chat)
	ids := []string{}
	for _, it := range q.Items {
		ids = append(ids, it.ClientID)
		if want := m.taken[it.ClientID]; it.Text != want.text {
			rt.Fatalf("%s waits with %q, want %q", it.ClientID, it.Text, want.text)
		}
	}
	if !slices.Equal(ids, m.queue) || (q.Paused != nil) != m.paused {
		rt.Fatalf("queue = %v, paused %+v; want %v, %v", ids, q.Paused, m.queue, m.paused)
	}
	s, err := m.w.chats.Summary(m.chat, ann.ID)
	if err != nil || s.Queued != len(m.queue) || s.Paused != m.paused {
		rt.Fatalf("listed with %d queued, paused %v, %v", s.Queued, s.Paused, err)
	}
}

// converge brings every view to the end and compares it with the log.
func (m *machine) converge(rt *rapid.T) {
	l, err := m.w.store.Log(m.chat)
	if err != nil {
		m.t.Fatal(err)
	}
	// What a run says may come to the log a moment after it was said, and so in the middle of this.
	end := l.End().Seq
	want := map[uint64][]byte{}
	for line, err := range l.Events(0) {
		if err != nil {
			m.t.Fatal(err)
		}
		env, _, err := wire.Decode(line)
		if err != nil {
			m.t.Fatal(err)
		}
		if env.Seq > end {
			break
		}
		want[env.Seq] = append(bytes.TrimSuffix(bytes.Clone(line), []byte("\n")), '\n')
	}
	for i, v := range m.views {
		v.upto(end)
		got := maps.Clone(v.lines)
		maps.DeleteFunc(got, func(seq uint64, _ []byte) bool { return seq > end })
		if !maps.EqualFunc(got, want, bytes.Equal) {
			rt.Fatalf("view %d holds %d events %v, the log %d", i, len(got), slices.Sorted(maps.Keys(got)), len(want))
		}
		rev := m.w.queue(m.chat).Rev
		v.until(func() bool { return v.queue.Rev == rev && v.sync.Running == (m.live != nil) })
	}
}

// steps is how many steps the machine takes at least.
var steps = flag.Int("machine.steps", 750, "how many steps TestHub_machine takes at least")

// Whatever order prompts, changes of the queue, stops, rewinds, restores, forks,
// deletions, drops and deaths of the daemon come in, from several clients, also at
// once: one live run at most, one complete for each prompt that was sent, no prompt
// twice, the queue in its order, and every view equals the log.
func TestHub_machine(t *testing.T) {
	t.Parallel()
	done := 0
	for done < *steps && !t.Failed() {
		rapid.Check(t, func(rt *rapid.T) { done += runMachine(t, rt) })
	}
	t.Logf("%d steps", done)
}

// runMachine takes some steps and returns how many.
func runMachine(t *testing.T, rt *rapid.T) (done int) {
	p := newPuppet("claude")
	w := start(t, p)
	m := &machine{t: t, w: w, p: p, chat: w.chat(), taken: map[string]*taken{}}
	defer func() {
		for _, v := range m.views {
			v.feed.Close()
		}
		m.w.stop()
	}()
	actions := map[string]func(*rapid.T){
		"prompt":  m.prompt,
		"prompt2": m.prompt,
		"atOnce":  m.atOnce,
		"emit":    m.emit,
		"end":     m.end,
		"cancel":  m.cancel,
		"follow":  m.follow,
		"read":    m.read,
		"drop":    m.drop,
		"restart": m.restart,
		"edit":    m.edit,
		"move":    m.move,
		"remove":  m.remove,
		"resume":  m.resumeQueue,
		"rewind":  m.rewind,
		"restore": m.restore,
		"fork":    m.fork,
		"trash":   m.trash,
	}
	for name, do := range actions {
		actions[name] = func(rt *rapid.T) {
			do(rt)
			done++
		}
	}
	actions[""] = m.check
	rt.Repeat(actions)
	m.converge(rt)
	return done
}
