package runhub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/attachment"
	"signalbox/backend/catalog"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/internal/id"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// Launcher starts an agent's processes and ends what earlier daemons left.
type Launcher interface {
	Start(ctx context.Context, spec proc.Spec) (*proc.Child, error)
	Sweep(ctx context.Context) ([]proc.Process, error)
}

// Options configure a Hub.
type Options struct {
	Launcher Launcher // default none: agents that start processes fail
	Version  string   // the daemon's, for those who connect
	// Servers are MCP servers that agents are given: in every run, or where a
	// server names a skill in those for which that was chosen.
	Servers []agent.MCPServer
	// May returns why the person may send no prompts now, as a fault; default
	// nil. It is asked when a prompt that waited is sent.
	May func(wire.Person) error
	// Settings returns what the person chose for themselves; default nothing.
	Settings func(wire.UserID) wire.Settings
	Log      *slog.Logger
}

// Hub runs prompts. Use [New], then [Hub.Recover], then [Hub.Run].
type Hub struct {
	logs     *eventlog.Store
	chats    *catalog.Catalog
	agents   *agent.Registry
	launcher Launcher
	version  string
	servers  []agent.MCPServer
	may      func(wire.Person) error
	settings func(wire.UserID) wire.Settings
	log      *slog.Logger
	clock    *clock

	running chan struct{} // closed by Run when it begins

	mu    sync.Mutex
	rooms map[wire.ChatID]*room
	// start begins the run's goroutine. It is nil before Run and once Run has
	// been told to end.
	start func(*run)
}

// journal is what the hub needs of a chat's log.
type journal interface {
	Append(drafts ...wire.Draft) (last uint64, err error)
	Sync(ctx context.Context) error
	End() wire.Position
	Events(after uint64) iter.Seq2[[]byte, error]
	Backward() iter.Seq2[[]byte, error]
	Rewind(seq uint64, sessions map[wire.AgentID]string) error
	Restore() error
	Rewound() ([]eventlog.Rewound, error)
	RewoundEvents(epoch uint64) iter.Seq2[[]byte, error]
	Follow(since *wire.Position) (*eventlog.Follower, error)
	NewBlob() (*eventlog.BlobWriter, error)
	OpenBlob(sum string) (io.ReadSeekCloser, error)
}

// New returns a hub. Prompts wait until [Hub.Run] has begun.
func New(logs *eventlog.Store, chats *catalog.Catalog, agents *agent.Registry, opts Options) *Hub {
	h := &Hub{
		logs: logs, chats: chats, agents: agents,
		launcher: opts.Launcher, version: opts.Version, servers: opts.Servers, log: opts.Log,
		may: opts.May, settings: opts.Settings, clock: newClock(),
		running: make(chan struct{}),
		rooms:   map[wire.ChatID]*room{},
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.launcher == nil {
		h.launcher = noLauncher{}
	}
	if h.may == nil {
		h.may = func(wire.Person) error { return nil }
	}
	if h.settings == nil {
		h.settings = func(wire.UserID) wire.Settings { return wire.Settings{} }
	}
	return h
}

// errShutdown is the cause with which runs end when the daemon does.
var errShutdown = errors.New("the daemon is stopping")

// Run takes prompts until ctx ends. Then it refuses new ones, interrupts the
// runs and returns when each has its verdict. It is called once.
func (h *Hub) Run(ctx context.Context) error {
	// Runs outlive ctx by as long as they need for a proper end.
	base, interrupt := context.WithCancelCause(context.WithoutCancel(ctx))
	defer interrupt(nil)
	var runs sync.WaitGroup
	h.setStart(func(r *run) {
		runCtx, cancel := context.WithCancelCause(base)
		r.cancel, r.over = cancel, runCtx.Done()
		runs.Go(func() {
			defer cancel(nil)
			r.live(runCtx, base)
		})
	})
	close(h.running)
	var tidying sync.WaitGroup
	tidying.Go(func() { h.tidy(ctx) })
	h.clock.run(ctx, func(chat wire.ChatID) { h.due(base, chat, time.Now()) })
	h.setStart(nil)
	interrupt(errShutdown)
	runs.Wait()
	tidying.Wait()
	return nil
}

func (h *Hub) setStart(start func(*run)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.start = start
}

// stopping reports whether no run can start any more.
func (h *Hub) stopping() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.start == nil
}

// begun waits until [Hub.Run] has begun.
func (h *Hub) begun(ctx context.Context) error {
	select {
	case <-h.running:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Canceled, "Signalbox takes no prompts yet.").Because(context.Cause(ctx))
	}
}

// begin starts the run's goroutine, or says why none can start.
func (h *Hub) begin(r *run) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.start == nil {
		return fault.New(fault.Unavailable, "Signalbox is stopping and takes no prompts.").
			WithHint("Nothing was sent. Send it again when Signalbox is back.")
	}
	h.start(r)
	return nil
}

// Prompt gives the chat a prompt on behalf of a person and returns when it is
// durable: in the log, so that the run goes on by itself, or in the queue, as
// another run lives. The same client id and text again, now or after a restart,
// gets the first answer, or the prompt's place in the queue while it waits. A ctx
// that ends makes Prompt return, not the run end.
//
// Faults: invalid, too_large, not_found; conflict for a client id that was used
// with another text or whose prompt was removed from the queue; busy, with the run
// that holds the chat, if the prompt is not to wait or cannot; unavailable.
func (h *Hub) Prompt(ctx context.Context, chat wire.ChatID, by wire.Person, p Prompt) (wire.PromptResult, error) {
	if p.ClientID == "" {
		p.ClientID = id.New("m_")
	}
	p.word()
	if err := p.check(); err != nil {
		return wire.PromptResult{}, err
	}
	meta, err := h.chats.Get(chat)
	if err != nil {
		return wire.PromptResult{}, err
	}
	room, err := h.room(chat)
	if err != nil {
		return wire.PromptResult{}, err
	}
	if err := h.begun(ctx); err != nil {
		return wire.PromptResult{}, err
	}
	// A repeated prompt gets its answer whatever became of its agent since.
	if earlier, err := room.earlier(&p); earlier != nil || err != nil {
		return earlier.wait(ctx, err)
	}
	if p.Attachments, err = attachment.Check(room.log, p.Attachments); err != nil {
		return wire.PromptResult{}, err
	}
	selection, provider, err := h.choose(ctx, by, meta, p.Selection)
	if err != nil {
		return wire.PromptResult{}, err
	}
	receipt, err := room.admit(ctx, &run{
		hub: h, room: room, by: by, prompt: p, selection: selection, provider: provider, cwd: meta.Cwd,
	})
	return receipt.wait(ctx, err)
}

// Cancel stops the chat's run: the one named, or the live one if run is empty.
// It returns at once; the run ends by itself. Stopping a run that is being
// stopped does nothing. Of a chat that is held it looks again whether the
// processes are gone. Without such a run it is a fault conflict.
func (h *Hub) Cancel(_ context.Context, chat wire.ChatID, by wire.Person, run wire.RunID) error {
	if _, err := h.chats.Get(chat); err != nil {
		return err
	}
	h.mu.Lock()
	room := h.rooms[chat]
	h.mu.Unlock()
	if room == nil {
		return errNothingRuns()
	}
	return room.cancel(by, run)
}

func errNothingRuns() error {
	return fault.New(fault.Conflict, "Nothing is running in this chat.")
}

// listed returns the hub's side of a chat that is in the list.
func (h *Hub) listed(chat wire.ChatID) (*room, error) {
	if _, err := h.chats.Get(chat); err != nil {
		return nil, err
	}
	return h.room(chat)
}

// room returns the hub's side of a chat that the catalog knows.
func (h *Hub) room(chat wire.ChatID) (*room, error) {
	h.mu.Lock()
	r := h.rooms[chat]
	h.mu.Unlock()
	if r != nil {
		r.loaded.Do(r.loadQueue)
		return r, nil
	}
	// Opening a log may repair it, so nobody else waits for that.
	l, err := h.logs.Log(chat)
	if err != nil {
		return nil, fmt.Errorf("chat %s: %w", chat, err)
	}
	if r, err = h.addRoom(chat, l); err != nil {
		return nil, err
	}
	r.loaded.Do(r.loadQueue)
	return r, nil
}

// addRoom makes no room for a chat that is not listed. What goes into the trash
// leaves the list first and is then forgotten here, so that it keeps no room, and
// gets another one when it comes back.
func (h *Hub) addRoom(chat wire.ChatID, l journal) (*room, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rooms[chat] == nil {
		if _, err := h.chats.Get(chat); err != nil {
			return nil, err
		}
		h.rooms[chat] = newRoom(h, chat, l)
	}
	return h.rooms[chat], nil
}

func (h *Hub) recordPath(chat wire.ChatID) string {
	return filepath.Join(h.logs.Dir(chat), "running.json")
}

// noLauncher stands in where no processes can be started.
type noLauncher struct{}

func (noLauncher) Start(context.Context, proc.Spec) (*proc.Child, error) {
	return nil, fault.New(fault.Unavailable, "This daemon starts no processes.")
}

func (noLauncher) Sweep(context.Context) ([]proc.Process, error) { return nil, nil }
