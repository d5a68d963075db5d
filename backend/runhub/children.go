package runhub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"signalbox/backend/internal/atomicfile"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// children are the processes that a run started. They end with it.
type children struct {
	run *run
	log *slog.Logger

	mu       sync.Mutex
	closed   bool
	starting sync.WaitGroup // starts under way; none is added once closed
	all      []child
}

// child is what the hub needs of a [proc.Child].
type child interface {
	Supervisor() proc.Process
	Stop()
	Done() <-chan struct{}
	Wait() proc.Exit
}

// record is running.json: which run a daemon was about, for the next one and for
// people. The log decides what became of the run.
type record struct {
	Run       wire.RunID     `json:"run"`
	Agent     wire.AgentID   `json:"agent"`
	Started   wire.Time      `json:"started"`
	Processes []proc.Process `json:"processes"` // the supervisors
}

// start starts a process under the run's supervision.
func (c *children) start(ctx context.Context, spec proc.Spec) (*proc.Child, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, errSinkClosed
	}
	c.starting.Add(1)
	c.mu.Unlock()
	defer c.starting.Done()

	spec.Run, spec.Private = c.run.id, c.run.hub.privatePath(c.run.room.id, c.run.id)
	spec.Spill = func() (proc.Spill, error) {
		w, err := c.run.room.log.NewBlob()
		if err != nil {
			return nil, err
		}
		return w, nil
	}
	spec.OnCut = c.cut
	child, err := c.run.hub.launcher.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.all = append(c.all, child)
	c.mu.Unlock()
	if err := c.record(); err != nil {
		// What is left of the run is found without it, too.
		c.log.Warn("processes of the run not recorded", "err", err)
	}
	return child, nil
}

func (c *children) cut(ref wire.BlobRef) {
	err := c.run.sink.emit(wire.System{
		Level: wire.LevelWarn, Code: "line_cut",
		Text: fmt.Sprintf("The agent printed a line of %d bytes, more than can be read as an event. It is kept whole.", ref.Bytes),
		Ref:  &ref,
	})
	if err != nil && !errors.Is(err, errSinkClosed) {
		c.log.Warn("cut line not noted", "err", err)
	}
}

// record writes running.json as it now is.
func (c *children) record() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := record{
		Run: c.run.id, Agent: c.run.selection.Agent, Started: c.run.started,
		Processes: make([]proc.Process, len(c.all)),
	}
	for i, child := range c.all {
		r.Processes[i] = child.Supervisor()
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(c.run.hub.recordPath(c.run.room.id), append(b, '\n'), 0o600)
}

// stop begins to end the processes that are still there.
func (c *children) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, child := range c.all {
		select {
		case <-child.Done():
		default:
			child.Stop()
		}
	}
}

// end lets nothing more be started, ends what is still there and returns what
// could not be ended.
func (c *children) end() []proc.Process {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.starting.Wait()
	c.stop()
	c.mu.Lock()
	all := slices.Clone(c.all)
	c.mu.Unlock()
	var left []proc.Process
	for _, child := range all {
		left = append(left, child.Wait().Left...)
	}
	return living(left)
}

func (h *Hub) removeRecord(chat wire.ChatID) error {
	path := h.recordPath(chat)
	return errors.Join(atomicfile.Remove(path), atomicfile.Sweep(path))
}
