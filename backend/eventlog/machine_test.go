package eventlog_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// machineSteps is how many steps the state machine takes at least.
const machineSteps = 10_000

// TestLog_stateMachine takes random steps on a log, with the end of the process
// and of the machine at any moment, and compares it with a simple model.
func TestLog_stateMachine(t *testing.T) {
	dir := t.TempDir()
	for name, value := range map[string]string{"rapid.steps": "60", "rapid.checks": "100"} {
		if f := flag.Lookup(name); f.Value.String() == f.DefValue {
			if err := f.Value.Set(value); err != nil {
				t.Fatal(err)
			}
		}
	}
	var runs, steps atomic.Int64
	for steps.Load() < machineSteps && !t.Failed() {
		rapid.Check(t, func(rt *rapid.T) {
			m := newMachine(rt, filepath.Join(dir, fmt.Sprint(runs.Add(1))))
			defer m.end()
			actions := rapid.StateMachineActions(m)
			for name, do := range actions {
				if name != "" {
					actions[name] = func(rt *rapid.T) {
						do(rt)
						steps.Add(1)
					}
				}
			}
			rt.Repeat(actions)
		})
	}
	t.Logf("%d steps in %d runs", steps.Load(), runs.Load())
}

// client is a browser: what it holds, where it is, and its follower.
type client struct {
	view    []event
	pos     *wire.Position
	f       *eventlog.Follower
	partial bool // its view begins with a page, not with the chat
}

type machine struct {
	dir    string
	disk   *testDisk
	store  *eventlog.Store
	log    *eventlog.Log
	chat   wire.ChatID
	boot   int
	count  int
	opened int
	loose  map[string]bool // texts whose bodies a loss of power may have taken
	rand   *rand.Rand

	state

	safe    int  // how many of the events are durable
	marked  bool // the log is surely marked as open
	clients []*client
}

func newMachine(t *rapid.T, dir string) *machine {
	m := &machine{dir: dir, chat: newChat(), state: state{epoch: 1}, loose: map[string]bool{}, rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))}
	m.open(t)
	l, err := m.store.Create(m.chat)
	if err != nil {
		t.Fatal(err)
	}
	m.log = l
	return m
}

func (m *machine) open(t *rapid.T) {
	m.opened++
	d, err := newTestDisk(m.dir, filepath.Join(m.dir, "scratch", fmt.Sprint(m.opened)))
	if err != nil {
		t.Fatal(err)
	}
	if m.disk != nil {
		d.durable, d.undo = m.disk.durable, m.disk.undo
		d.scratch = m.disk.scratch
		d.saved = m.disk.saved
	}
	m.disk = d
	if m.store, err = eventlog.OpenOn(m.dir, d, eventlog.Options{BootID: fmt.Sprint("boot-", m.boot), Log: slog.New(slog.NewTextHandler(t.Output(), nil))}); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) end() {
	for _, c := range m.clients {
		c.f.Close()
	}
	if m.store != nil {
		m.store.Kill()
	}
	_ = os.RemoveAll(m.dir) // the test's folder goes anyway
}

// draft returns the next event, and what it will look like.
func (m *machine) draft(t *rapid.T) (wire.Draft, event) {
	m.count++
	text := fmt.Sprint("text ", m.count)
	kind := rapid.SampledFrom([]string{"user", "user", "text", "text", "text", "text", "text", "text", "long", "long", "long", "large"}).Draw(t, "kind")
	var ev wire.Event = wire.AssistantText{Item: "i", Delta: text}
	switch kind {
	case "user":
		ev = wire.User{Text: text}
	case "long":
		text = big(text, 700)
		ev = wire.AssistantText{Item: "i", Delta: text}
	case "large":
		whole := big(text, 33_000)
		text = whole[:4096]
		ev = wire.AssistantText{Item: "i", Delta: whole}
	}
	d, err := wire.NewDraft("r_1", ev)
	if err != nil {
		t.Fatal(err)
	}
	return d, event{Type: ev.Type(), Text: text}
}

func (m *machine) batch(t *rapid.T, n int) ([]wire.Draft, []event) {
	var drafts []wire.Draft
	var events []event
	for i := range n {
		d, e := m.draft(t)
		e.Seq = m.last() + uint64(i) + 1
		drafts, events = append(drafts, d), append(events, e)
	}
	return drafts, events
}

func (m *machine) Append(t *rapid.T) {
	drafts, events := m.batch(t, rapid.IntRange(1, 4).Draw(t, "n"))
	m.marked = true
	last, err := m.log.Append(drafts...)
	if err != nil {
		t.Fatal(err)
	}
	m.state = m.with(events...)
	if last != m.last() {
		t.Fatalf("Append = %d, want %d", last, m.last())
	}
}

// Burst appends more than a page, so that pages and positions matter.
func (m *machine) Burst(t *rapid.T) {
	if rapid.IntRange(0, 14).Draw(t, "rare") > 0 {
		return
	}
	var drafts []wire.Draft
	var events []event
	for i := range 150 {
		m.count++
		text := fmt.Sprint("text ", m.count)
		drafts = append(drafts, wire.Draft{Type: wire.TypeAssistantText, Body: []byte(`{"delta":"` + text + `"}`)})
		events = append(events, event{m.last() + uint64(i) + 1, wire.TypeAssistantText, text})
	}
	m.marked = true
	if _, err := m.log.Append(drafts...); err != nil {
		t.Fatal(err)
	}
	m.state = m.with(events...)
}

func (m *machine) Sync(t *rapid.T) {
	if err := m.log.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	m.safe = len(m.events)
}

// change is a step that replaces the file.
type changing struct {
	do   func() error
	next state
	code fault.Code // if it is refused
}

func (m *machine) changing(t *rapid.T) changing {
	switch rapid.SampledFrom([]string{"rewind", "rewind", "rewind", "restore", "restore", "clear", "none"}).Draw(t, "change") {
	case "rewind":
		// Mostly a prompt near the end.
		var prompts []int
		for i, e := range m.events {
			if e.Type == wire.TypeUser {
				prompts = append(prompts, i)
			}
		}
		if len(prompts) == 0 || rapid.IntRange(0, 5).Draw(t, "any") == 0 {
			seq := rapid.Uint64Range(0, m.high+2).Draw(t, "seq")
			c := changing{do: func() error { return m.log.Rewind(seq, nil) }, next: m.state, code: fault.NotFound}
			for i, e := range m.events {
				if e.Seq == seq && e.Type == wire.TypeUser {
					c.next, c.code = m.cut(i, "rewind"), ""
				} else if e.Seq == seq {
					c.code = fault.Invalid
				}
			}
			return c
		}
		i := prompts[max(0, len(prompts)-1-rapid.IntRange(0, 2).Draw(t, "back"))]
		seq := m.events[i].Seq
		return changing{do: func() error { return m.log.Rewind(seq, nil) }, next: m.cut(i, "rewind")}
	case "restore":
		next, code := m.restore()
		return changing{do: m.log.Restore, next: next, code: code}
	case "clear":
		c := changing{do: m.log.Clear, next: m.state}
		if len(m.events) > 0 && rapid.IntRange(0, 3).Draw(t, "rare") == 0 {
			c.next = m.cut(0, "clear")
			return c
		}
	}
	return changing{next: m.state}
}

func (m *machine) Change(t *rapid.T) {
	c := m.changing(t)
	if c.do == nil {
		return
	}
	m.marked = true
	err := c.do()
	if got := fault.CodeOf(err); got != c.code {
		t.Fatalf("error %v, want code %q", err, c.code)
	}
	if err == nil && c.next.high > m.high {
		m.safe = len(c.next.events)
	}
	m.state = c.next
}

func (m *machine) Fork(t *rapid.T) {
	if rapid.IntRange(0, 2).Draw(t, "rare") > 0 {
		return
	}
	to := newChat()
	n := rapid.IntRange(0, len(m.events)).Draw(t, "upto")
	upto, want := uint64(0), m.events
	if n > 0 {
		upto, want = m.events[n-1].Seq, m.events[:n]
	}
	l, err := m.store.Fork(m.chat, to, upto)
	if err != nil {
		t.Fatal(err)
	}
	m.compare(t, "fork", want, m.readAll(t, l))
}

func (m *machine) Page(t *rapid.T) {
	limit := rapid.IntRange(1, 40).Draw(t, "limit")
	end := len(m.events)
	var before *wire.Position
	if rapid.Bool().Draw(t, "inside") {
		seq := rapid.Uint64Range(0, m.high+2).Draw(t, "before")
		before = at(m.epoch, seq)
		end = 0
		for end < len(m.events) && m.events[end].Seq < seq {
			end++
		}
	}
	p, err := m.log.Page(before, limit)
	if err != nil {
		t.Fatal(err)
	}
	var got []event
	for _, raw := range p.Events {
		got = append(got, m.decode(t, raw))
	}
	from := m.page(end, limit)
	m.compare(t, "page", m.events[from:end], got)
	if p.HasMore != (from > 0) {
		t.Fatalf("HasMore = %v, but %d events come before", p.HasMore, from)
	}
}

// Connect adds a client, with a position that another has or any at all.
func (m *machine) Connect(t *rapid.T) {
	if len(m.clients) >= 4 {
		i := rapid.IntRange(0, len(m.clients)-1).Draw(t, "leaves")
		m.clients[i].f.Close()
		m.clients = slices.Delete(m.clients, i, i+1)
	}
	c := &client{}
	switch rapid.IntRange(0, 2).Draw(t, "since") {
	case 1:
		seq := rapid.Uint64Range(0, m.high+2).Draw(t, "seq")
		epoch := m.epoch
		if rapid.IntRange(0, 4).Draw(t, "other") == 0 {
			epoch = rapid.Uint64Range(0, m.epoch+1).Draw(t, "epoch")
		}
		c.pos = at(epoch, seq)
		for _, e := range m.events {
			if e.Seq <= seq {
				c.view = append(c.view, e)
			}
		}
	case 2:
		c.pos = at(m.epoch, m.last())
		c.view = slices.Clone(m.events)
	}
	m.follow(t, c)
	m.clients = append(m.clients, c)
}

// follow connects a client and checks whether it is told to begin anew.
func (m *machine) follow(t *rapid.T, c *client) {
	f, err := m.log.Follow(c.pos)
	if err != nil {
		t.Fatal(err)
	}
	c.f = f
	since := c.pos
	again := since == nil
	if p := since; p != nil {
		held := p.Seq == 0 && m.page(len(m.events), 200) == 0 || slices.ContainsFunc(m.events, func(e event) bool { return e.Seq == p.Seq })
		again = p.Epoch != m.epoch || !held
	}
	if reset := m.read(t, c); reset != (again && since != nil) {
		t.Fatalf("since %v of %d:%d: reset %v, want %v", since, m.epoch, m.last(), reset, again)
	}
	if !again {
		m.compareView(t, c)
		return
	}
	from := m.page(len(m.events), 200)
	c.partial = from > 0
	m.compare(t, "view of a client that began anew", m.events[from:], c.view)
}

// compareView compares what a client holds with the end of the log, and with
// all of it where the client has it from the beginning.
func (m *machine) compareView(t *rapid.T, c *client) {
	want := m.events
	if c.partial {
		want = want[max(0, len(want)-len(c.view)):]
	}
	m.compare(t, "view of a client", want, c.view)
}

// read takes all that a client can get now.
func (m *machine) read(t *rapid.T, c *client) (reset bool) {
	for {
		c.f.Wake()
		b, err := c.f.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case b.Reset != nil:
			reset, c.view = true, nil
		case len(b.Lines) == 0:
			pos := b.Upto
			if pos != m.log.End() {
				t.Fatalf("client is at %v, the log at %v", pos, m.log.End())
			}
			c.pos = &pos
			return reset
		}
		for raw := range strings.Lines(string(b.Lines)) {
			e := m.decode(t, []byte(raw))
			if keep, ok := epochKeep(e); ok {
				c.view = slices.DeleteFunc(slices.Clone(c.view), func(have event) bool { return have.Seq > keep })
			}
			c.view = append(c.view, e)
		}
	}
}

func (m *machine) Read(t *rapid.T) {
	for _, c := range m.clients {
		if m.read(t, c) {
			// How much it was given, the log as it was at that moment decided.
			c.partial = len(c.view) < len(m.events)
		}
		m.compareView(t, c)
	}
}

func (m *machine) CloseAndOpen(t *rapid.T) {
	if err := m.store.Close(); err != nil {
		t.Fatal(err)
	}
	m.marked = false
	m.safe = len(m.events)
	m.boot++
	m.reopen(t, []state{m.state}, false)
}

// Kill ends the process between two steps: nothing is lost.
func (m *machine) Kill(t *rapid.T) {
	m.store.Kill()
	m.safe = len(m.events) // for now: the page cache stays
	m.reopen(t, []state{m.state}, false)
	m.safe = 0
}

// KillInAppend ends the process in the middle of an append.
func (m *machine) KillInAppend(t *rapid.T) {
	drafts, events := m.batch(t, rapid.IntRange(1, 4).Draw(t, "n"))
	m.disk.left = rapid.IntRange(0, 6).Draw(t, "steps")
	_, err := m.log.Append(drafts...)
	m.store.Kill()
	m.safe = len(m.events)
	candidates := []state{m.with(events...)}
	if err == nil {
		m.safe += len(events)
	} else if !errors.Is(err, errDead) {
		t.Fatal(err)
	}
	m.reopen(t, candidates, false)
	m.safe = 0
}

// KillInChange ends the process in the middle of a change: the log is the old
// one or the new one.
func (m *machine) KillInChange(t *rapid.T) {
	c := m.changing(t)
	if c.do == nil {
		return
	}
	m.disk.left = rapid.IntRange(0, 16).Draw(t, "steps")
	_ = c.do() // whether it came to the end shows below
	m.store.Kill()
	m.safe = len(m.events)
	m.reopen(t, []state{m.state, c.next}, false)
	m.safe = 0
}

// LosePower ends the machine, also in the middle of a change.
func (m *machine) LosePower(t *rapid.T) {
	candidates := []state{m.state}
	if c := m.changing(t); c.do != nil {
		m.disk.left = rapid.IntRange(0, 16).Draw(t, "steps")
		if err := c.do(); err == nil && c.next.high > m.high {
			candidates = nil // it was told as durable
			m.safe = len(c.next.events)
		}
		candidates = append(candidates, c.next)
	}
	m.store.Kill()
	if err := m.disk.losePower(m.rand); err != nil {
		t.Fatal(err)
	}
	m.disk = nil
	m.boot++
	m.reopen(t, candidates, true)
	m.safe = len(m.events)
}

// reopen opens the log again and checks that it is one of the candidates, of
// which only events that are not safe may be missing at the end, and then an
// epoch event says so.
func (m *machine) reopen(t *rapid.T, candidates []state, newBoot bool) {
	for _, c := range m.clients {
		c.f.Close()
	}
	if m.disk != nil {
		m.disk.dead = true
	}
	m.open(t)
	l, err := m.store.Log(m.chat)
	if err != nil {
		t.Fatal(err)
	}
	m.log = l
	got := m.readAll(t, l)
	repaired := false
	if n := len(got); n > 0 && got[n-1].Type == wire.TypeEpoch && strings.Contains(got[n-1].Text, "repair") {
		repaired = got[n-1].Text == fmt.Sprintf("%d repair keep %d", l.End().Epoch, l.End().Seq-1)
	}
	var problems []string
	for i, c := range candidates {
		want := got
		if repaired && (len(c.events) < len(got) || c.events[len(got)-1] != got[len(got)-1]) {
			want = got[:len(got)-1]
		}
		safe := min(m.safe, len(c.events))
		if i > 0 {
			safe = len(c.events) // a new file is durable as a whole
		}
		if len(want) > len(c.events) || len(want) < safe {
			problems = append(problems, fmt.Sprintf("%d events, want %d to %d", len(want), safe, len(c.events)))
			continue
		}
		if !slices.Equal(c.events[:len(want)], want) {
			problems = append(problems, cmp.Diff(c.events[:len(want)], want))
			continue
		}
		c.events = c.events[:len(want)]
		c.high = c.last() // what is lost gives its seq back
		if len(want) < len(got) {
			c = c.begin("repair", c.last())
			m.marked = false
		} else if newBoot && m.marked {
			problems = append(problems, "the epoch was not raised")
			continue
		}
		m.state = c
		problems = nil
		break
	}
	if problems != nil {
		t.Fatalf("the log is none of %d candidates:\n%s\nlog: %v", len(candidates), strings.Join(problems, "\n"), got)
	}
	if end := l.End(); end.Epoch != m.epoch || end.Seq != m.last() {
		t.Fatalf("End = %v, want %d:%d", end, m.epoch, m.last())
	}
	if newBoot {
		for _, e := range m.events[min(m.safe, len(m.events)):] {
			m.loose[e.Text] = true
		}
		m.checkBodies(t)
	}
	for _, c := range m.clients {
		m.follow(t, c)
	}
}

// checkBodies looks whether the events have their bodies, whole.
func (m *machine) checkBodies(t *rapid.T) {
	for raw, err := range m.log.Events(0) {
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(raw, []byte(`"refs"`)) {
			continue
		}
		env, ev, err := wire.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range env.Refs {
			r, err := m.log.OpenBlob(ref.SHA256)
			if fault.CodeOf(err) == fault.NotFound && m.loose[shorten(env, ev).Text] {
				continue
			}
			if err != nil {
				t.Fatalf("body of event %d: %v", env.Seq, err)
			}
			b, err := io.ReadAll(r)
			if err = errors.Join(err, r.Close()); err != nil {
				t.Fatal(err)
			}
			if hashOf(string(b)) != ref.SHA256 {
				t.Fatalf("body of event %d has %d bytes, want %d", env.Seq, len(b), ref.Bytes)
			}
		}
	}
}

// Check runs after each step.
func (m *machine) Check(t *rapid.T) {
	if end := m.log.End(); end.Epoch != m.epoch || end.Seq != m.last() {
		t.Fatalf("End = %v, want %d:%d", end, m.epoch, m.last())
	}
}

func (m *machine) All(t *rapid.T) {
	m.compare(t, "log", m.events, m.readAll(t, m.log))
}

// decode is shorten without the cost of decoding, which would be most of the
// test's time.
func (m *machine) decode(t *rapid.T, raw []byte) event {
	v := gjson.GetManyBytes(raw, "seq", "type", "text", "delta", "epoch", "cause", "keep")
	e := event{Seq: v[0].Uint(), Type: wire.Type(v[1].Str), Text: v[2].Str + v[3].Str}
	if e.Type == wire.TypeEpoch {
		e.Text = v[4].Raw + " " + v[5].Str + " keep " + v[6].Raw
	}
	if e.Seq == 0 {
		t.Fatalf("no event: %q", raw)
	}
	return e
}

func (m *machine) readAll(t *rapid.T, l *eventlog.Log) []event {
	var evs []event
	for raw, err := range l.Events(0) {
		if err != nil {
			t.Fatal(err)
		}
		evs = append(evs, m.decode(t, raw))
	}
	return evs
}

func (m *machine) compare(t *rapid.T, what string, want, got []event) {
	if !slices.Equal(want, got) {
		t.Fatalf("%s (-want +got)\n%s", what, cmp.Diff(want, got))
	}
}
