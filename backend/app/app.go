// Package app is the whole daemon: it builds every part, starts them, and stops
// them in reverse. It also answers the command line, over a unix socket in the
// data folder.
//
// [Open] builds and takes what can be refused (the data folder's lock, the
// address) and starts nothing; [App.Run] runs until its context ends;
// [App.Close] gives back what Open took. So a test runs the whole daemon in its
// own process. What goes wrong at the start comes back as a fault that tells a
// person what to do.
package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"runtime/debug"
	"syscall"
	"time"

	"signalbox/backend/access"
	"signalbox/backend/agent"
	"signalbox/backend/auth"
	"signalbox/backend/catalog"
	"signalbox/backend/config"
	"signalbox/backend/draft"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/httpd"
	"signalbox/backend/index"
	"signalbox/backend/preference"
	"signalbox/backend/proc"
	"signalbox/backend/runhub"
	"signalbox/backend/skill"
	"signalbox/backend/wire"
	"signalbox/backend/workdir"
	"signalbox/frontend"
)

// stopLimit is how long a daemon may take to stop; a run has 15 s of it to end.
const stopLimit = 20 * time.Second

// Options configure [Open].
type Options struct {
	Log *slog.Logger // default discards
	// Out takes what a person is to read at the start: the address and the
	// link to make the first account. Default discards.
	Out io.Writer
	// Exe is the program that supervises runs; default this one.
	Exe string
}

// App is the daemon.
type App struct {
	cfg  *config.Config
	log  *slog.Logger
	out  io.Writer
	born time.Time

	logs     *eventlog.Store
	auth     *auth.Auth
	chats    *catalog.Catalog
	index    *index.Index
	drafts   *draft.Store
	people   *preference.Store
	launcher *proc.Launcher
	agents   *agent.Registry
	hub      *runhub.Hub
	server   *httpd.Server
	listener net.Listener
	control  *control // nil where the data folder's path is too long for one

	ready chan struct{} // closed by Run once everything runs
}

// Open builds the daemon. Everything that it took is given back by [App.Close],
// or already when it fails.
func Open(cfg *config.Config, opts Options) (_ *App, err error) {
	a := &App{cfg: cfg, log: opts.Log, out: opts.Out, born: time.Now(), ready: make(chan struct{})}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.out == nil {
		a.out = io.Discard
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	for _, w := range cfg.Warnings {
		a.log.Warn("settings", "warning", w)
	}
	if err := a.openData(); err != nil {
		return nil, err
	}
	if err := a.buildHub(opts.Exe); err != nil {
		return nil, err
	}
	if err := a.openDoors(); err != nil {
		return nil, err
	}
	return a, nil
}

// openData takes the data folder and reads what is small in it.
func (a *App) openData() (err error) {
	dir := a.cfg.Data
	if err := prepareFolder(dir, a.component("app")); err != nil {
		return err
	}
	if err := checkRestored(dir); err != nil {
		return err
	}
	if a.logs, err = eventlog.Open(dir, eventlog.Options{Log: a.component("eventlog")}); err != nil {
		return folderFault(dir, err)
	}
	a.index = index.New(a.logs, indexPath(dir), index.Options{Log: a.component("index")})
	if a.auth, err = auth.Open(dir, auth.Options{Log: a.component("auth")}); err != nil {
		return folderFault(dir, err)
	}
	a.drafts = draft.New(a.logs.Dir, draft.Options{Log: a.component("draft")})
	if a.people, err = preference.Open(dir, preference.Options{Log: a.component("preference")}); err != nil {
		return folderFault(dir, err)
	}
	if a.chats, err = catalog.Open(a.logs, catalog.Options{Log: a.component("catalog")}); err != nil {
		return folderFault(dir, err)
	}
	return nil
}

func (a *App) buildHub(exe string) (err error) {
	a.launcher = proc.NewLauncher(proc.Options{Exe: exe, Instance: a.cfg.Data, Log: a.component("proc")})
	if a.agents, err = newAgents(a.cfg, exe, a.component("agent")); err != nil {
		return err
	}
	a.hub = runhub.New(a.logs, a.chats, a.agents, runhub.Options{
		Launcher: a.launcher, Version: Version(), Servers: mcpServers(a.cfg), May: a.maySend, Settings: a.people.Get, Log: a.component("hub"),
	})
	return nil
}

// maySend judges whether a person may still send prompts.
func (a *App) maySend(who wire.Person) error {
	role, err := a.auth.RoleOf(who.ID)
	if err != nil {
		return err
	}
	return access.Check(role, access.Send, access.Loose)
}

// openDoors takes the address and the control socket.
func (a *App) openDoors() (err error) {
	a.server, err = httpd.New(
		httpd.Deps{
			Auth: a.auth, Hub: a.hub, Chats: a.chats, Logs: a.logs, Index: a.index, Homes: homes(a.cfg), Agents: a.agents,
			Skills: skill.New(skill.Vendors(variable(a.cfg))), Files: workdir.New(workdir.Options{}),
			Drafts: a.drafts, People: a.people,
		},
		httpd.Options{Log: a.component("http"), Version: Version(), URL: a.cfg.URL, TrustedProxies: a.cfg.TrustedProxies, UI: frontend.Files()},
	)
	if err != nil {
		return err
	}
	if a.listener, err = net.Listen("tcp", a.cfg.Addr); err != nil {
		return addrFault(a.cfg.Addr, err)
	}
	if a.cfg.TLSCert != "" {
		c, err := newCertificate(a.cfg.TLSCert, a.cfg.TLSKey, a.component("tls"))
		if err != nil {
			return err
		}
		a.listener = tls.NewListener(a.listener, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get})
	}
	if a.control, err = openControl(a.cfg.Data, a.component("control")); err != nil {
		a.log.Warn("the command line cannot reach this daemon", "err", err)
	}
	return nil
}

func addrFault(addr string, err error) error {
	f := fault.New(fault.Unavailable, "Signalbox cannot listen on %s: %s.", addr, cause(err)).Because(err)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		f.Message = fmt.Sprintf("The address %s is in use.", addr)
		f.Hint = "Another Signalbox may be running (see `signalbox status`); or choose another with --addr."
	case errors.Is(err, syscall.EACCES):
		f.Hint = "Ports below 1024 need more rights; choose a higher one with --addr."
	default:
		f.Hint = "Choose another with --addr or SIGNALBOX_ADDR."
	}
	return f
}

func (a *App) component(name string) *slog.Logger { return a.log.With("component", name) }

// Run ends what an earlier daemon left, then serves until ctx ends. Then it
// refuses prompts, interrupts the runs, waits for their verdicts, closes the
// sockets and the logs. It is called once.
func (a *App) Run(ctx context.Context) error {
	if err := a.hub.Recover(ctx); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	parts := []part{
		{"logs", a.logs.Run},
		{"index", a.index.Run},
		{"sessions", a.auth.Run},
		{"launcher", a.launcher.Run},
		{"agents", func(ctx context.Context) error { return watchAgents(ctx, a.agents) }},
		{"http", func(ctx context.Context) error { return a.server.Run(ctx, a.listener) }},
		{"hub", a.hub.Run},
	}
	if a.control != nil {
		a.serveControl()
		parts = append(parts, part{"control", a.control.run})
	}
	err := runParts(ctx, stopLimit, func() {
		a.greet()
		close(a.ready)
		debug.FreeOSMemory() // what the building of all this needed
	}, parts...)
	a.log.Info("stopped", "clean", err == nil)
	return err
}

// greet tells a person where to go.
func (a *App) greet() {
	a.log.Info("started", "version", Build(), "addr", a.Addr(), "url", a.URL(), "data", a.cfg.Data)
	fmt.Fprintf(a.out, "Signalbox %s is at %s\n", Version(), a.URL())
	if !a.auth.NeedsSetup() {
		return
	}
	link, err := a.SetupLink()
	if err != nil {
		a.log.Error("no link to make the first account", "err", err)
		return
	}
	fmt.Fprintf(a.out, "\nThere is no account yet. Make the first one here; the link works once, for 30 minutes:\n\n  %s\n\n", link)
}

// Ready returns a channel that is closed when the daemon serves.
func (a *App) Ready() <-chan struct{} { return a.ready }

// Addr returns the address on which the daemon listens.
func (a *App) Addr() string { return a.listener.Addr().String() }

// URL returns how people open the daemon, without a slash at its end.
func (a *App) URL() string {
	if a.cfg.URL != "" {
		return a.cfg.URL
	}
	scheme := "http"
	if a.cfg.TLSCert != "" {
		scheme = "https"
	}
	return (&url.URL{Scheme: scheme, Host: a.local()}).String()
}

// local returns an address at which the daemon is reached from its own machine.
func (a *App) local() string {
	host, port, err := net.SplitHostPort(a.Addr())
	if err != nil {
		return a.Addr()
	}
	if ip := net.ParseIP(host); ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// SetupLink returns a new link to make the first account; earlier ones are void
// (fault conflict when there is an account).
func (a *App) SetupLink() (string, error) {
	token, err := a.auth.SetupToken()
	if err != nil {
		return "", err
	}
	return a.URL() + "/setup#" + token, nil
}

func (a *App) serveControl() {
	handle(a.control, "GET /status", func(context.Context, struct{}) (Status, error) { return a.status(), nil })
	handle(a.control, "POST /setup-link", func(context.Context, struct{}) (setupLink, error) {
		link, err := a.SetupLink()
		return setupLink{link}, err
	})
	handle(a.control, "POST /users", func(ctx context.Context, u newUser) (wire.Person, error) {
		return a.auth.AddUser(ctx, u.Name, u.Password, u.Role)
	})
	a.control.mux.HandleFunc("GET /backup", a.serveBackup)
	handle(a.control, "GET /index", func(context.Context, struct{}) (IndexState, error) { return stateOf(a.index), nil })
	handle(a.control, "POST /reindex", func(context.Context, struct{}) (struct{}, error) {
		a.index.Rebuild()
		return struct{}{}, nil
	})
	handle(a.control, "POST /passwords", func(ctx context.Context, u newUser) (struct{}, error) {
		return struct{}{}, a.auth.SetPassword(ctx, u.Name, u.Password)
	})
}

// Close gives back what Open took. It is called after Run has returned.
func (a *App) Close() error {
	var errs []error
	if a.control != nil {
		errs = append(errs, a.control.close())
	}
	if a.listener != nil {
		errs = append(errs, a.listener.Close())
	}
	if a.logs != nil {
		errs = append(errs, a.logs.Close())
	}
	// Run has closed the listeners already, if it ran.
	for i, err := range errs {
		if errors.Is(err, net.ErrClosed) {
			errs[i] = nil
		}
	}
	return errors.Join(errs...)
}
