package agenttest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/internal/id"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// Options say what is particular about one run.
type Options struct {
	Session   string
	Fresh     string
	Images    []agent.Image
	Skills    []string
	Servers   []agent.MCPServer
	Fork      bool
	Turn      string
	Cwd       string // default a new folder
	Cancelled bool   // the context has ended before
	Refuse    error  // of every event
	// Ask answers; default yes.
	Ask func(context.Context, agent.Ask) (agent.Answer, error)
}

// Running is a run of a provider under test, and its host.
type Running struct {
	t      *testing.T
	id     wire.RunID
	cwd    string
	opts   Options
	cancel context.CancelCauseFunc
	done   chan struct{} // closed after res and err are set

	// Result and Err are what the run returned; set after Wait.
	Result agent.Result
	Err    error

	mu sync.Mutex

	evs      []wire.Event
	frames   []wire.Frame
	asked    []agent.Ask
	refusals int
	ended    bool
	changed  chan struct{} // replaced and closed at each event
	children []*proc.Child
}

// Start runs the part's prompt. When the test ends the run is cancelled and
// waited for.
func Start(t *testing.T, part Part, opts Options) *Running {
	t.Helper()
	if opts.Cwd == "" {
		opts.Cwd = t.TempDir()
	}
	if part.Mode == "" {
		part.Mode = wire.ModeCode
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &Running{
		t: t, id: wire.RunID(id.New("r_")), cwd: opts.Cwd, opts: opts, cancel: cancel,
		done: make(chan struct{}), changed: make(chan struct{}),
	}
	if opts.Cancelled {
		cancel(context.Canceled)
	}
	launcher := proc.NewLauncher(proc.Options{
		Instance: t.TempDir(), Log: Logger(t),
		Grace: proc.Grace{Interrupt: time.Second, Terminate: time.Second},
	})
	req := agent.Request{
		Chat: wire.ChatID(id.New("c_")), Run: r.id, Text: part.Prompt, Cwd: opts.Cwd,
		Session: opts.Session, Fresh: opts.Fresh, Fork: opts.Fork, Turn: opts.Turn, Images: opts.Images, Skills: opts.Skills,
		Servers: opts.Servers, Private: filepath.Join(t.TempDir(), "private"),
		Selection: wire.Selection{Agent: part.Provider.Info().ID, Mode: part.Mode},
		Start: func(ctx context.Context, spec proc.Spec) (*proc.Child, error) {
			spec.Run = r.id
			c, err := launcher.Start(ctx, spec)
			if err == nil {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.children = append(r.children, c)
			}
			return c, err
		},
	}
	go func() {
		defer close(r.done)
		r.Result, r.Err = part.Provider.Run(ctx, req, r)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended = true
	}()
	t.Cleanup(func() {
		cancel(context.Canceled)
		r.mu.Lock()
		for _, c := range r.children {
			c.Stop() // a provider that fails the test may have left one
		}
		r.mu.Unlock()
		<-r.done
	})
	return r
}

// Emit implements [agent.Host].
func (r *Running) Emit(evs ...wire.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		r.t.Errorf("events after the end of the run: %#v", evs)
	}
	if r.opts.Refuse != nil {
		r.refusals++
		return r.opts.Refuse
	}
	r.evs = append(r.evs, evs...)
	close(r.changed)
	r.changed = make(chan struct{})
	return nil
}

// Remark implements [agent.Host].
func (r *Running) Remark(f wire.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frames = append(r.frames, f)
}

// Keep implements [agent.Host].
func (r *Running) Keep(body []byte) (wire.BlobRef, error) { return ref(body), nil }

// ref is how bytes that are kept are named.
func ref(body []byte) wire.BlobRef {
	return wire.BlobRef{SHA256: fmt.Sprintf("%x", sha256.Sum256(body)), Bytes: int64(len(body))}
}

// Ask implements [agent.Host].
func (r *Running) Ask(ctx context.Context, ask agent.Ask) (agent.Answer, error) {
	r.mu.Lock()
	r.asked = append(r.asked, ask)
	r.mu.Unlock()
	if r.opts.Ask != nil {
		return r.opts.Ask(ctx, ask)
	}
	return agent.Answer{Allow: true}, nil
}

// Events returns the events so far.
func (r *Running) Events() []wire.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]wire.Event(nil), r.evs...)
}

// Frames returns the passing frames so far.
func (r *Running) Frames() []wire.Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]wire.Frame(nil), r.frames...)
}

// Cancel ends the run's context.
func (r *Running) Cancel(cause error) { r.cancel(cause) }

// Asks returns what the run asked leave for.
func (r *Running) Asks() []agent.Ask {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]agent.Ask(nil), r.asked...)
}

func (r *Running) refused() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusals
}

// Until waits for an event that is wanted.
func (r *Running) Until(what string, wanted func(wire.Event) bool) {
	r.t.Helper()
	deadline := time.After(runLimit)
	for seen := 0; ; {
		r.mu.Lock()
		for ; seen < len(r.evs); seen++ {
			if wanted(r.evs[seen]) {
				r.mu.Unlock()
				return
			}
		}
		changed := r.changed
		r.mu.Unlock()
		select {
		case <-changed:
		case <-r.done:
			r.t.Fatalf("the run ended before %s: %+v, %v; events %+v", what, r.Result, r.Err, r.Events())
		case <-deadline:
			r.t.Fatalf("%s does not come", what)
		}
	}
}

// Wait waits for the end of the run.
func (r *Running) Wait(limit time.Duration) {
	r.t.Helper()
	select {
	case <-r.done:
	case <-time.After(limit):
		r.t.Fatalf("the run did not end within %v; events %+v", limit, r.Events())
	}
}

// Text returns the text that an agent says, joined from its pieces.
func (r *Running) Text(parent string) string {
	return Text(r.Events(), parent)
}

// NobodyLeft checks that the run has left no process: its children are known to
// be gone, and nothing on the machine carries its mark.
func (r *Running) NobodyLeft() {
	r.t.Helper()
	r.mu.Lock()
	for _, c := range r.children {
		select {
		case <-c.Done():
		default:
			r.t.Error("the run ended before its process")
		}
	}
	r.mu.Unlock()
	for _, p := range marked("SIGNALBOX_RUN=" + string(r.id)) {
		r.t.Errorf("left behind: %s", p)
	}
}

// marked returns the living processes with a variable in their environment.
// Without /proc there is nothing to look at.
func marked(variable string) []string {
	if runtime.GOOS != "linux" {
		return nil
	}
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	var found []string
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+variable+"\x00")) {
			continue // gone, or another user's
		}
		args, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		if err != nil || len(args) == 0 {
			continue // gone, or a zombie that is about to be
		}
		found = append(found, fmt.Sprintf("%s %s", file, bytes.ReplaceAll(args, []byte{0}, []byte(" "))))
	}
	return found
}
