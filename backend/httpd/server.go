// Package httpd is the daemon's door for browsers and programs: REST, sockets,
// server-sent events, blobs and the web UI. It alone knows HTTP.
//
// It owns no data. It judges who asks (the guard, the session, the rule of
// package access), translates, and turns every error into one answer by one
// table. Every route has an entry in that table of rules; one that had none
// would answer not found.
//
// Each connection that outlives its request, a socket or a stream, is run by a
// goroutine of its own that [Server.Run] waits for. Followers are cursors of
// package runhub: this package queues no events.
package httpd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"signalbox/backend/agent"
	"signalbox/backend/auth"
	"signalbox/backend/catalog"
	"signalbox/backend/draft"
	"signalbox/backend/eventlog"
	"signalbox/backend/httpd/socket"
	"signalbox/backend/index"
	"signalbox/backend/preference"
	"signalbox/backend/runhub"
	"signalbox/backend/skill"
	"signalbox/backend/wire"
	"signalbox/backend/workdir"
)

// Hub runs prompts and is followed. *runhub.Hub is one.
type Hub interface {
	Prompt(ctx context.Context, chat wire.ChatID, by wire.Person, p runhub.Prompt) (wire.PromptResult, error)
	Cancel(ctx context.Context, chat wire.ChatID, by wire.Person, run wire.RunID) error
	Answer(ctx context.Context, chat wire.ChatID, by wire.Person, a runhub.Answer) error
	Revoke(chat wire.ChatID, rule string) error
	Outline(chat wire.ChatID) (wire.Outline, error)
	Rewind(chat wire.ChatID, by wire.Person, seq uint64) (wire.Cut, error)
	Restore(chat wire.ChatID, by wire.Person, epoch uint64) error
	Fork(chat wire.ChatID, by wire.Person, f runhub.Fork) (wire.ChatID, error)
	Trash(ctx context.Context, chat wire.ChatID, by wire.Person) error
	Untrash(chat wire.ChatID, by wire.Person) error
	Purge(chat wire.ChatID, by wire.Person) error
	// Typing shows the others that a person is writing.
	Typing(chat wire.ChatID, by wire.Person) error
	Queue(chat wire.ChatID) (wire.Queue, error)
	ChangeQueued(chat wire.ChatID, by wire.Person, clientID string, c runhub.Change) (wire.Queue, error)
	RemoveQueued(chat wire.ChatID, clientID string, rev uint64) (wire.Queue, error)
	ResumeQueue(ctx context.Context, chat wire.ChatID) (wire.Queue, error)
	Continue(ctx context.Context, chat wire.ChatID, by wire.Person, when runhub.When) (wire.PromptResult, error)
	// Check says why no prompt could use the selection.
	Check(s wire.Selection) error
	Follow(chat wire.ChatID, by wire.Person, since *wire.Position) (*runhub.Feed, error)
}

// Deps is what the daemon is made of, as far as this door needs it.
type Deps struct {
	Auth  *auth.Auth
	Hub   Hub
	Chats *catalog.Catalog
	Logs  *eventlog.Store
	Index *index.Index
	// Homes are the folders in which agents keep the sessions that the daemon's
	// user has with them.
	Homes  map[wire.AgentID]string
	Agents *agent.Registry
	Skills *skill.Catalogue
	// Files finds files of chats' working directories.
	Files  *workdir.Finder
	Drafts *draft.Store
	People *preference.Store
}

// Options configure a [Server]; the zero value works.
type Options struct {
	Log *slog.Logger // default discards
	// Version is the daemon's, as clients see it.
	Version string
	// URL is how browsers reach the daemon from elsewhere, as in
	// SIGNALBOX_URL. The address on which a connection arrives is always
	// allowed, by loopback's names too where it is loopback.
	URL string
	// TrustedProxies are believed about whom they ask for.
	TrustedProxies []netip.Prefix
	// UI is the built web UI; default none.
	UI fs.FS
	// Socket are the limits of each socket.
	Socket socket.Options
	// Grace is how long requests may take to end when the server stops;
	// default 10 s.
	Grace time.Duration
}

// Server answers HTTP. Use [New].
type Server struct {
	deps  Deps
	opts  Options
	log   *slog.Logger
	guard guard
	echo  *echo.Echo
	api   huma.API
	rules rules
	// addrOf returns the address for which a request is made.
	addrOf echo.IPExtractor
	conns  *connections
	ui     *webUI
	// setups bounds the tries to guess a set-up token.
	setups *rate.Limiter
}

// New returns a server that listens to nothing yet.
func New(deps Deps, opts Options) (*Server, error) {
	g, err := newGuard(opts.URL)
	if err != nil {
		return nil, err
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Grace == 0 {
		opts.Grace = 10 * time.Second
	}
	s := &Server{
		deps: deps, opts: opts, log: opts.Log, guard: g,
		echo: echo.New(), rules: rules{}, addrOf: clientAddr(opts.TrustedProxies),
		ui:     newWebUI(opts.UI),
		setups: rate.NewLimiter(2, 10),
	}
	s.conns = newConnections(deps.Auth)
	s.echo.HTTPErrorHandler = s.answerError
	s.echo.Use(s.logRequests, s.recoverPanics, setHeaders, s.judge, drainBodies)
	s.api = newAPI(s.echo, opts.Version)
	s.routes()
	return s, nil
}

// Run serves what l accepts until ctx ends or serving fails. It then closes the
// sockets and streams with GoingAway, lets requests end for as long as Options
// allow, and returns when nothing of it runs any more.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler:           s.echo,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1) // one value, from Serve
	go func() { failed <- srv.Serve(l) }()

	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("serve: %w", err)
	}
	s.conns.close(&socket.Close{Code: socket.GoingAway, Reason: "the daemon is stopping"})
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Grace)
	defer cancel()
	if stop := srv.Shutdown(bounded); stop != nil {
		err = errors.Join(err, fmt.Errorf("requests cut off: %w", stop), srv.Close())
	}
	if err == nil {
		<-failed
	}
	s.conns.wait()
	return err
}

// secure reports whether browsers reach the server by https alone, so that the
// cookie may be kept from plain http.
func (s *Server) secure(r *http.Request) bool {
	return r.TLS != nil || s.guard.url.scheme == "https"
}

// parseURL reads SIGNALBOX_URL.
func parseURL(raw string) (origin, error) {
	if raw == "" {
		return origin{}, nil
	}
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" ||
		u.User != nil || (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" {
		return origin{}, fmt.Errorf("url %q is not http(s)://host[:port]", raw)
	}
	return origin{scheme: u.Scheme, host: canonicalHost(u.Scheme, u.Host)}, nil
}
