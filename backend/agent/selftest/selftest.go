// Package selftest plays short turns through the real agents of a machine, offline, and
// says which behaviours hold: a vendor changes its command line every few days, and
// whoever updates it wants to know before the next prompt.
//
// The model is the scripted one, on loopback and in this process. Each agent gets a
// home and a folder of its own in a temporary place, so nothing of the person's is read
// or changed, and no account is used.
//
// [Run] owns all that it starts and returns when it is gone.
package selftest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/internal/id"
	"signalbox/backend/model/scripted"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

const (
	// turnLimit is for one turn; most take two seconds.
	turnLimit = 60 * time.Second
	// stopLimit is what the contract of agents allows for a stop.
	stopLimit = 15 * time.Second
)

// Subject is an agent to be tested.
type Subject struct {
	ID   wire.AgentID
	Path string // of its program
	// Environ is what the program is started in, as far as agents inherit it; its
	// home is replaced.
	Environ []string
}

// Launcher starts the agents' processes. *proc.Launcher is one.
type Launcher interface {
	Start(ctx context.Context, spec proc.Spec) (*proc.Child, error)
}

// Finding is whether a behaviour holds.
type Finding struct {
	Behaviour string
	Problem   string // what was seen instead; empty where it holds
	Took      time.Duration
}

// behaviours are what is tried, in their order.
var behaviours = []struct {
	name string
	try  func(context.Context, *bench) error
}{
	{"answers as it writes", answers},
	{"edits files", edits},
	{"runs commands", commands},
	{"takes no for an answer", asks},
	{"stops", stops},
	{"resumes its session", resumes},
}

// Run tries the behaviours of an agent. An error means that they could not be tried.
func Run(ctx context.Context, s Subject, launcher Launcher) (found []Finding, err error) {
	// Agents treat the temporary directories as their own: Codex has no sandbox for a
	// home in one.
	cache, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(cache, 0o700)
	}
	if err != nil {
		cache = ""
	}
	dir, err := os.MkdirTemp(cache, "signalbox-selftest-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the test: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	model := scripted.New(scripted.Options{})
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the scripted model: %w", err)
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1) // one value, when it has ended
	go func() { served <- model.Serve(serving, ln) }()
	defer func() {
		stop()
		err = errors.Join(err, <-served)
	}()
	for i, b := range behaviours {
		place := filepath.Join(dir, fmt.Sprint(i))
		if err := os.MkdirAll(filepath.Join(place, "work"), 0o700); err != nil {
			return nil, fmt.Errorf("make a folder for the test: %w", err)
		}
		provider, err := Offline(s, filepath.Join(place, "home"), "http://"+ln.Addr().String())
		if err != nil {
			return nil, err
		}
		began := time.Now()
		f := Finding{Behaviour: b.name}
		if err := b.try(ctx, &bench{id: s.ID, provider: provider, launcher: launcher, dir: filepath.Join(place, "work")}); err != nil {
			f.Problem = err.Error()
		}
		f.Took = time.Since(began)
		found = append(found, f)
		if ctx.Err() != nil {
			return found, context.Cause(ctx)
		}
	}
	return found, nil
}

// bench is an agent and the folder that it works in.
type bench struct {
	id       wire.AgentID
	provider agent.Provider
	launcher Launcher
	dir      string
}

// turn gives the agent a prompt and waits for the end of its turn. allow is the answer
// to what it asks. middle, if set, is told of each event and reports whether the turn
// is to be stopped.
func (b *bench) turn(ctx context.Context, mode wire.Mode, text, session string, allow bool, middle func(wire.Event) bool) (*host, agent.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	run := wire.RunID(id.New("r_"))
	h := &host{allow: allow, emitted: func(ev wire.Event) {
		if middle != nil && middle(ev) {
			stop(errStopped)
		}
	}}
	res, err := b.provider.Run(running, agent.Request{
		Chat: wire.ChatID(id.New("c_")), Run: run, Text: text, Session: session, Cwd: b.dir,
		Selection: wire.Selection{Agent: b.id, Mode: mode}, Private: filepath.Join(filepath.Dir(b.dir), "private"),
		Start: func(ctx context.Context, spec proc.Spec) (*proc.Child, error) {
			spec.Run = run
			return b.launcher.Start(ctx, spec)
		},
	}, h)
	switch {
	case err != nil:
		return h, res, err
	case ctx.Err() != nil:
		return h, res, fmt.Errorf("the turn did not end within %v", turnLimit)
	case h.failure != nil:
		return h, res, errors.New(h.failure.Message)
	}
	return h, res, nil
}

// errStopped is why a turn is stopped in its middle.
var errStopped = errors.New("stopped by the test")

// ended is turn for one that is to end well.
func (b *bench) ended(ctx context.Context, mode wire.Mode, text, session string, allow bool) (*host, error) {
	h, res, err := b.turn(ctx, mode, text, session, allow, nil)
	if err == nil && res.Status != wire.StatusOK {
		err = fmt.Errorf("the turn ended as %s", res.Status)
	}
	return h, err
}

func answers(ctx context.Context, b *bench) error {
	h, err := b.ended(ctx, wire.ModeCode, "Hello!", "", true)
	if err == nil && !strings.Contains(h.text.String(), "Hello from the scripted model.") {
		err = fmt.Errorf("it answered %.200q", h.text.String())
	}
	return err
}

func edits(ctx context.Context, b *bench) error {
	if _, err := b.ended(ctx, wire.ModeCode, "SCENARIO edit", "", true); err != nil {
		return err
	}
	got, err := os.ReadFile(filepath.Join(b.dir, "notes.txt"))
	if err == nil && string(got) != "alpha\nBETA\ngamma\n" {
		err = fmt.Errorf("the file holds %.200q", got)
	}
	return err
}

func commands(ctx context.Context, b *bench) error {
	h, err := b.ended(ctx, wire.ModeCode, "SCENARIO shell", "", true)
	switch {
	case err != nil:
		return err
	case h.tool == nil:
		return errors.New("it ran none")
	case !h.tool.OK || !strings.Contains(h.tool.Output, "out"):
		return fmt.Errorf("the command said %.200q", h.tool.Output)
	}
	return nil
}

// asks: in Chat mode every agent asks before it changes something, and a no holds.
func asks(ctx context.Context, b *bench) error {
	scenario := "write"
	if b.id == kimiID {
		scenario = "shell-touch" // it writes files under git unasked
	}
	h, err := b.ended(ctx, wire.ModeChat, "SCENARIO "+scenario, "", false)
	switch _, statErr := os.Stat(filepath.Join(b.dir, "made.txt")); {
	case err != nil:
		return err
	case h.asked == 0:
		return errors.New("it did not ask")
	case statErr == nil:
		return errors.New("it did all the same")
	}
	return nil
}

func stops(ctx context.Context, b *bench) error {
	var began time.Time
	_, res, err := b.turn(ctx, wire.ModeCode, "SCENARIO slow", "", true, func(ev wire.Event) bool {
		_, speaks := ev.(wire.AssistantText)
		if speaks && began.IsZero() {
			began = time.Now()
		}
		return speaks
	})
	switch {
	case err != nil:
		return err
	case began.IsZero():
		return errors.New("it said nothing that could be stopped")
	case res.Status != wire.StatusCancelled:
		return fmt.Errorf("the turn ended as %s", res.Status)
	case time.Since(began) > stopLimit:
		return fmt.Errorf("it took %v", time.Since(began).Round(time.Second))
	}
	return nil
}

func resumes(ctx context.Context, b *bench) error {
	first, err := b.ended(ctx, wire.ModeCode, "SCENARIO text about signals", "", true)
	if err != nil {
		return err
	}
	second, err := b.ended(ctx, wire.ModeCode, "SCENARIO recall", first.session, true)
	switch {
	case err != nil:
		return err
	case first.session == "" || second.session != first.session:
		return fmt.Errorf("session %q became %q", first.session, second.session)
	case !strings.Contains(second.text.String(), "text about signals"):
		return fmt.Errorf("it remembers %.200q", second.text.String())
	}
	return nil
}
