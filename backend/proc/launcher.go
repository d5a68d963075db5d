package proc

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"signalbox/backend/fault"
)

// Launcher starts children, each under a supervisor of its own.
//
// The guard is started with the first child. It ends with the last one, or,
// while Run runs, with that.
type Launcher struct {
	exe      string // absolute
	name     string // of the binary, for ps
	instance string
	mark     mark
	grace    Grace
	log      *slog.Logger
	lastID   atomic.Uint64 // the last child's; marks of children under different guards differ too

	mu sync.Mutex

	guard    *link // nil before the first child
	running  bool  // Run runs
	closed   bool  // Run has ended
	users    int   // children, and starts under way
	children map[*Child]struct{}
	work     sync.WaitGroup // one for each user
}

// NewLauncher returns a Launcher. It starts nothing.
func NewLauncher(opts Options) *Launcher {
	l := &Launcher{
		exe:      opts.Exe,
		name:     opts.Exe,
		instance: opts.Instance,
		mark:     newMark(opts.Instance),
		grace:    opts.Grace.withDefaults(),
		log:      opts.Log,
		children: map[*Child]struct{}{},
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	return l
}

// Run keeps the guard between children until ctx ends. Then no child can be
// started, those that live are ended at once, as when the daemon dies, and Run
// returns when they and the guard are gone. It is run once; starting children
// does not need it, a daemon that wants to leave nothing behind does.
func (l *Launcher) Run(ctx context.Context) error {
	l.mu.Lock()
	if l.running || l.closed {
		l.mu.Unlock()
		return errors.New("launcher runs already or has ended")
	}
	l.running = true
	l.mu.Unlock()

	<-ctx.Done()

	l.mu.Lock()
	l.running, l.closed = false, true
	for c := range l.children {
		c.letGo()
	}
	l.mu.Unlock()
	l.work.Wait()
	l.mu.Lock()
	guard := l.guard
	l.guard = nil
	l.mu.Unlock()
	if guard != nil {
		guard.end()
		<-guard.gone
	}
	return nil
}

// Start starts spec. ctx bounds the start alone; when it ends first, what was
// begun is undone. The error is a [fault.Error]: invalid for a spec that can't
// be right, not_found for a folder or program that is not there, unavailable for
// one that can't be used now, too_large for arguments, canceled.
//
// The caller reads lines to the end and waits for the child.
func (l *Launcher) Start(ctx context.Context, spec Spec) (*Child, error) {
	path, err := check(spec)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	if ctx.Err() != nil {
		return nil, canceled(ctx, name)
	}
	c, err := l.start(ctx, spec, path)
	if errors.Is(err, errNoGuard) {
		// It was killed just now; the next one is as good.
		c, err = l.start(ctx, spec, path)
	}
	if err != nil && ctx.Err() != nil {
		return nil, canceled(ctx, name)
	}
	if err != nil {
		return nil, asFault(name, err)
	}
	return c, nil
}

func (l *Launcher) start(ctx context.Context, spec Spec, path string) (*Child, error) {
	c, err := l.open(spec)
	if err != nil {
		return nil, err
	}
	go c.watch(order{Launch: &launch{
		Path:    []byte(path),
		Argv:    bytesOf(spec.Argv),
		Dir:     []byte(spec.Dir),
		Env:     bytesOf(environment(spec.Env, string(spec.Run), c.mark)),
		Private: []byte(spec.Private),
		Mark:    string(c.mark),
		Grace:   l.grace,
	}})
	select {
	case <-c.begun:
	case <-ctx.Done():
		c.letGo()
		return nil, context.Cause(ctx)
	}
	switch {
	case c.failed != nil:
		return nil, startFault(spec, path, *c.failed)
	case c.process != Process{}:
		return c, nil
	case c.unguarded:
		return nil, errNoGuard
	}
	return nil, errors.New("the supervisor ended before it started anything")
}

// open makes a child's channels and has its supervisor started.
func (l *Launcher) open(spec Spec) (*Child, error) {
	p, err := openPipes()
	if err != nil {
		return nil, err
	}
	defer p.closeTheirs()
	guard, err := l.enter()
	if err != nil {
		p.close()
		return nil, err
	}
	id := l.lastID.Add(1)
	end, err := guard.handOver(id, p.theirs)
	if err != nil {
		p.close()
		l.leave(nil)
		return nil, err
	}
	c := newChild(l, spec, p, l.mark.child(id), end)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.children[c] = struct{}{}
	if l.closed {
		c.letGo()
	}
	return c, nil
}

// enter counts a child that is about to be, and returns its guard.
func (l *Launcher) enter() (*link, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, fault.New(fault.Unavailable, "The daemon is stopping: nothing can be started.")
	}
	guard, err := l.guardLocked()
	if err != nil {
		return nil, err
	}
	l.users++
	l.work.Add(1)
	return guard, nil
}

func (l *Launcher) leave(c *Child) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.children, c)
	l.users--
	if l.users == 0 && !l.running && !l.closed && l.guard != nil {
		l.guard.end()
		l.guard = nil
	}
	l.work.Done()
}

// guardLocked returns the guard, a new one if there is none that can be used.
func (l *Launcher) guardLocked() (*link, error) {
	if l.guard != nil && l.guard.usable() {
		return l.guard, nil
	}
	if err := l.findExe(); err != nil {
		return nil, err
	}
	guard, err := startGuard(l)
	if err != nil {
		return nil, err
	}
	l.guard = guard
	return guard, nil
}

func (l *Launcher) findExe() (err error) {
	if l.exe == "" {
		l.exe, err = selfPath()
		l.name = os.Args[0]
		return err
	}
	l.exe, err = filepath.Abs(l.exe)
	return err
}
