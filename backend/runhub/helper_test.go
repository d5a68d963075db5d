package runhub_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"signalbox/backend/agent"
	"signalbox/backend/agent/demo"
	"signalbox/backend/catalog"
	"signalbox/backend/eventlog"
	"signalbox/backend/proc"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// TestMain also plays the processes of tests that start real ones.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "supervise":
			os.Exit(proc.Supervise())
		case "demo-agent":
			syscall.Exit(demo.Main(context.Background(), os.Stdin, os.Stdout, os.Args[2:]))
		}
	}
	inMemory()
	// The flag sets another number.
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// inMemory lets tests lay their folders into memory where the machine has a place for
// that: no test here takes the power away, and most of their time they would wait for
// the disk.
func inMemory() {
	const folder, room = "/dev/shm", 1 << 30
	var st unix.Statfs_t
	if unix.Statfs(folder, &st) == nil && uint64(st.Bavail)*uint64(st.Bsize) > room {
		os.Setenv("TMPDIR", folder)
	}
}

var (
	ann = wire.Person{ID: "u_00000000000000000000000001", Name: "Ann"}
	bob = wire.Person{ID: "u_00000000000000000000000002", Name: "Bob"}
)

// puppet is an agent whose runs a test conducts.
type puppet struct {
	info agent.Info
	// calls carries each run as it begins. The agent sends, the test receives.
	calls chan *call
}

type call struct {
	ctx  context.Context
	req  agent.Request
	host agent.Host
	end  chan func() (agent.Result, error) // the test sends how the run ends
	next <-chan *call                      // the agent's next run
}

func newPuppet(id wire.AgentID) *puppet {
	return &puppet{
		info: agent.Info{
			ID: id, Name: strings.ToUpper(string(id)),
			Models:  []agent.Choice{{Value: "big"}, {Value: "small"}},
			Efforts: []agent.Choice{{Value: "high"}},
		},
		calls: make(chan *call),
	}
}

func (p *puppet) Info() agent.Info { return p.info }

func (p *puppet) Probe(context.Context) agent.Status { return agent.Status{State: agent.StateReady} }

func (p *puppet) Run(ctx context.Context, req agent.Request, host agent.Host) (agent.Result, error) {
	c := &call{ctx: ctx, req: req, host: host, end: make(chan func() (agent.Result, error)), next: p.calls}
	select {
	case p.calls <- c:
	case <-ctx.Done():
		return agent.Result{Status: wire.StatusCancelled}, nil
	}
	select {
	case how := <-c.end:
		return how()
	case <-ctx.Done():
		return agent.Result{Status: wire.StatusCancelled}, nil
	}
}

func (c *call) emit(t *testing.T, evs ...wire.Event) {
	t.Helper()
	for _, ev := range evs {
		if err := c.host.Emit(ev); err != nil {
			t.Fatalf("Emit %s: %v", ev.Type(), err)
		}
	}
}

// ok ends the run well.
func (c *call) ok() {
	c.end <- func() (agent.Result, error) { return agent.Result{Status: wire.StatusOK}, nil }
}

// script is an agent that always does the same.
type script struct {
	puppet

	run func(context.Context, agent.Request, agent.Host) (agent.Result, error)
}

func (s *script) Run(ctx context.Context, req agent.Request, host agent.Host) (agent.Result, error) {
	return s.run(ctx, req, host)
}

func scripted(run func(context.Context, agent.Request, agent.Host) (agent.Result, error)) *script {
	return &script{puppet: *newPuppet("script"), run: run}
}

// world is a daemon's hub with all below it.
type world struct {
	t     *testing.T
	dir   string
	store *eventlog.Store
	chats *catalog.Catalog
	hub   *runhub.Hub
	stop  func()
}

func start(t *testing.T, providers ...agent.Provider) *world {
	t.Helper()
	return startIn(t, t.TempDir(), runhub.Options{}, providers...)
}

func startIn(t *testing.T, dir string, opts runhub.Options, providers ...agent.Provider) *world {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	store, err := eventlog.Open(dir, eventlog.Options{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	chats, err := catalog.Open(store, catalog.Options{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	agents, err := agent.NewRegistry(providers...)
	if err != nil {
		t.Fatal(err)
	}
	opts.Log, opts.Version = log, "1.2.3"
	w := &world{t: t, dir: dir, store: store, chats: chats, hub: runhub.New(store, chats, agents, opts)}
	if err := w.hub.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background()) // not the test's: what is stopped needs its log to the end
	logsCtx, cancelLogs := context.WithCancel(context.Background())
	var hub, logs sync.WaitGroup
	hub.Go(func() {
		if err := w.hub.Run(ctx); err != nil {
			t.Errorf("hub: %v", err)
		}
	})
	logs.Go(func() {
		if err := store.Run(logsCtx); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("store: %v", err)
		}
	})
	w.stop = sync.OnceFunc(func() {
		cancel()
		hub.Wait()
		cancelLogs()
		logs.Wait()
		if err := store.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	t.Cleanup(w.stop)
	return w
}

func (w *world) chat() wire.ChatID {
	w.t.Helper()
	m, err := w.chats.Create(ann, catalog.New{})
	if err != nil {
		w.t.Fatal(err)
	}
	return m.ID
}

func (w *world) prompt(id wire.ChatID, clientID, text string) wire.PromptResult {
	w.t.Helper()
	res, err := w.hub.Prompt(w.t.Context(), id, ann, runhub.Prompt{ClientID: clientID, Text: text})
	if err != nil {
		w.t.Fatalf("Prompt: %v", err)
	}
	return res
}

// running starts a daemon with a chat in which a run is going on.
func running(t *testing.T) (*world, wire.ChatID, *call) {
	t.Helper()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	w.prompt(id, "a", "hello")
	return w, id, <-p.calls
}

// events returns the log of the chat.
func (w *world) events(id wire.ChatID) []entry {
	w.t.Helper()
	l, err := w.store.Log(id)
	if err != nil {
		w.t.Fatal(err)
	}
	var all []entry
	for line, err := range l.Events(0) {
		if err != nil {
			w.t.Fatal(err)
		}
		env, ev, err := wire.Decode(line)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, entry{env, ev})
	}
	return all
}

type entry struct {
	wire.Envelope

	ev wire.Event
}

// types returns the log's types of events, joined.
func (w *world) types(id wire.ChatID) string {
	w.t.Helper()
	var all []string
	for _, e := range w.events(id) {
		all = append(all, string(e.Type))
	}
	return strings.Join(all, " ")
}

// last returns the log's last event.
func (w *world) last(id wire.ChatID) wire.Event {
	w.t.Helper()
	all := w.events(id)
	if len(all) == 0 {
		w.t.Fatal("the log is empty")
	}
	return all[len(all)-1].ev
}

// settled waits until the chat is idle.
func (w *world) settled(id wire.ChatID) {
	w.t.Helper()
	w.phase(id, wire.PhaseIdle)
}

// phase waits until the chat is in the phase.
func (w *world) phase(id wire.ChatID, p wire.Phase) {
	w.t.Helper()
	v := w.follow(id, wire.Person{ID: "u_nobody"}, nil)
	defer v.feed.Close()
	v.until(func() bool { return v.sync.Phase == p })
}

// crash copies the data folder as it is and starts another daemon on the copy,
// as after kill -9.
func (w *world) crash(opts runhub.Options, providers ...agent.Provider) *world {
	w.t.Helper()
	dir := w.t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
		w.t.Fatal(err)
	}
	return startIn(w.t, dir, opts, providers...)
}

// view is what a client holds of a chat.
type view struct {
	t        *testing.T
	feed     *runhub.Feed
	pos      wire.Position
	frames   []string // types, in order, events as one "lines"
	sync     wire.Sync
	queue    wire.Queue
	open     wire.Open
	typing   []wire.Person // not nil once it was shown
	presence wire.Presence
	lines    map[uint64][]byte
	resets   []string
}

func (w *world) follow(id wire.ChatID, by wire.Person, since *wire.Position) *view {
	w.t.Helper()
	f, err := w.hub.Follow(id, by, since)
	if err != nil {
		w.t.Fatalf("Follow: %v", err)
	}
	return &view{t: w.t, feed: f, lines: map[uint64][]byte{}}
}

// next takes in one batch and checks that it follows what came before.
func (v *view) next(ctx context.Context) error {
	b, err := v.feed.Next(ctx)
	if err != nil {
		return err
	}
	if len(b.Frames) == 0 && len(b.Lines) == 0 {
		v.t.Error("an empty batch")
	}
	for _, f := range b.Frames {
		v.frame(f)
	}
	if len(b.Lines) > 0 {
		v.frames = append(v.frames, "lines")
	}
	for line := range bytes.Lines(b.Lines) {
		v.line(line)
	}
	return nil
}

func (v *view) frame(raw []byte) {
	var f struct {
		Type   wire.Type `json:"type"`
		Reason string    `json:"reason"`
		Epoch  uint64    `json:"epoch"`
	}
	decode(v.t, raw, &f)
	v.frames = append(v.frames, string(f.Type))
	switch f.Type {
	case wire.TypeSync:
		v.sync = wire.Sync{}
		decode(v.t, raw, &v.sync)
	case wire.TypeQueue:
		v.queue = wire.Queue{}
		decode(v.t, raw, &v.queue)
	case wire.TypeTyping:
		var f wire.Typing
		decode(v.t, raw, &f)
		v.typing = f.People
	case wire.TypeOpen:
		decode(v.t, raw, &v.open)
	case wire.TypePresence:
		decode(v.t, raw, &v.presence)
	case wire.TypeConnected:
		v.pos.Epoch = f.Epoch
	case wire.TypeReset:
		v.resets = append(v.resets, f.Reason)
		clear(v.lines)
		v.pos = wire.Position{Epoch: f.Epoch}
	}
}

func (v *view) line(line []byte) {
	digits, rest, _ := bytes.Cut(bytes.TrimPrefix(line, []byte(`{"seq":`)), []byte(","))
	seq, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		v.t.Errorf("line %.80q has no seq", line)
		return
	}
	if bytes.Contains(rest, []byte(`"type":"epoch"`)) {
		_, ev, err := wire.Decode(line)
		if err != nil {
			v.t.Errorf("line %.80q: %v", line, err)
			return
		}
		e := ev.(wire.Epoch)
		for seq := range v.lines {
			if seq > e.Keep {
				delete(v.lines, seq)
			}
		}
		v.pos.Epoch = e.Epoch
	} else if v.pos.Seq != 0 && seq != v.pos.Seq+1 {
		v.t.Errorf("event %d follows %d", seq, v.pos.Seq)
	}
	v.pos.Seq = seq
	v.lines[seq] = bytes.Clone(line)
}

// until takes in batches until the condition holds.
func (v *view) until(condition func() bool) {
	v.t.Helper()
	for !condition() {
		if err := v.next(v.t.Context()); err != nil {
			v.t.Fatalf("Next: %v", err)
		}
	}
}

// upto takes in batches up to the event seq.
func (v *view) upto(seq uint64) {
	v.t.Helper()
	v.until(func() bool { return v.pos.Seq >= seq })
}

func decode(t *testing.T, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Errorf("frame %.80q: %v", raw, err)
	}
}

func count[T any](list []T, of func(T) bool) (n int) {
	for _, v := range list {
		if of(v) {
			n++
		}
	}
	return n
}

func isType(want wire.Type) func(entry) bool {
	return func(e entry) bool { return e.Type == want }
}

var errTest = errors.New("on purpose")

// unready is an agent that is not installed.
type unready struct{ *puppet }

func (unready) Probe(context.Context) agent.Status {
	return agent.Status{State: agent.StateNotInstalled}
}

// scriptOf is an agent like p that ends each run well and at once.
func scriptOf(p *puppet) *script {
	return &script{puppet: *p, run: func(context.Context, agent.Request, agent.Host) (agent.Result, error) {
		return agent.Result{Status: wire.StatusOK}, nil
	}}
}

func procSpec() proc.Spec { return proc.Spec{Argv: []string{"true"}, Dir: "/"} }
