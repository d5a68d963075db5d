package runhub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

const (
	// stopLimit is how long an agent may take to end once its run is stopped;
	// its contract says 15 s. Then its processes are ended without it.
	stopLimit = 16 * time.Second
	// leaveLimit is how long it may then take, with no process left to wait
	// for, before it is left behind.
	leaveLimit = 5 * time.Second
)

// converse gives the prompt to the agent and waits until it has ended.
func (r *run) converse(ctx context.Context, log *slog.Logger) ending {
	if ctx.Err() != nil {
		return ending{} // stopped before anything was started
	}
	// Before the spawn: a daemon that dies right after it must know.
	if err := r.children.record(); err != nil {
		return ending{err: fmt.Errorf("record the run: %w", err)}
	}
	if err := r.sink.emit(wire.RunStarted{Selection: r.selection, Cwd: r.cwd}); err != nil {
		return ending{err: err}
	}
	// One slot, so that an agent that was left behind can end at any time.
	done := make(chan ending, 1)
	go func() { done <- r.callProvider(ctx, log) }()
	select {
	case end := <-done:
		return end
	case <-ctx.Done():
		r.room.enter(r, wire.PhaseStopping)
	}
	select {
	case end := <-done:
		return end
	case <-time.After(stopLimit):
		log.Warn("agent does not stop, its processes are ended")
		r.children.stop()
	}
	select {
	case end := <-done:
		return end
	case <-time.After(leaveLimit):
		log.Error("agent does not return and is left behind")
		return ending{err: errors.New("the agent did not return")}
	}
}

// callProvider runs the agent; a panic in it fails this run alone.
func (r *run) callProvider(ctx context.Context, log *slog.Logger) (end ending) {
	defer func() {
		if v := recover(); v != nil {
			log.Error("agent panicked", "err", fmt.Sprint(v), "stack", string(debug.Stack()))
			end = ending{err: fmt.Errorf("agent panicked: %v", v)}
		}
	}()
	words, err := r.words()
	if err == nil && words.again {
		err = r.sink.emit(askedAgain())
	}
	if err == nil && words.anew {
		err = r.sink.emit(sessionFresh(r.provider.Info().Name))
	}
	if err != nil {
		log.Error("prompt not made for the agent", "err", err)
		return ending{err: err}
	}
	req := agent.Request{
		Chat: r.room.id, Run: r.id,
		Text: words.text, Fresh: words.fresh, Skills: words.skills,
		Selection: r.selection, Cwd: r.cwd,
		Session: r.resume.Session, Fork: r.resume.Fork, Turn: r.resume.Turn,
		Start: r.children.start,
	}
	if err := r.attach(&req, words.attachments); err != nil {
		log.Error("files of the prompt not laid out", "err", err)
		return ending{err: err}
	}
	req.Servers = serversFor(r.hub.servers, req.Skills)
	req.Private = r.hub.privatePath(r.room.id, r.id)
	defer r.hub.clearPrivate(r.room.id)
	result, err := r.provider.Run(ctx, req, &host{run: r})
	if err != nil {
		log.Error("agent failed", "err", err)
	}
	return ending{result: result, err: err}
}

// serversFor leaves out the servers of skills that were not chosen.
func serversFor(all []agent.MCPServer, skills []string) []agent.MCPServer {
	var given []agent.MCPServer
	for _, s := range all {
		if s.Skill == "" || slices.Contains(skills, s.Skill) {
			given = append(given, s)
		}
	}
	return given
}
