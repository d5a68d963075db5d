package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"signalbox/backend/access"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// control answers the command line on a unix socket in the data folder. Only
// the user who runs the daemon can reach it, so nobody is asked who they are.
type control struct {
	listener net.Listener
	log      *slog.Logger
	mux      *http.ServeMux
}

// Status is what a daemon says about itself.
type Status struct {
	Version  string    `json:"version"`
	PID      int       `json:"pid"`
	URL      string    `json:"url"`    // how people open it
	Listen   string    `json:"listen"` // where it listens
	TLS      bool      `json:"tls"`
	Data     string    `json:"data"`
	Started  wire.Time `json:"started"`
	Chats    int       `json:"chats"`
	Running  int       `json:"running"`
	Accounts bool      `json:"accounts"` // there is one
}

// newUser is the body of POST /users, and of POST /passwords without a role.
type newUser struct {
	Name     string      `json:"name"`
	Password string      `json:"password"`
	Role     access.Role `json:"role,omitempty"`
}

type setupLink struct {
	URL string `json:"url"`
}

// openControl listens in dir. The caller holds the folder's lock, so a socket
// that is there already is a dead daemon's.
func openControl(dir string, log *slog.Logger) (*control, error) {
	path, release, err := socketPath(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove old control socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on control socket: %w", err)
	}
	// The path may be through a descriptor that is closed by then, and the next
	// daemon removes what is left.
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect control socket: %w", err), l.Close())
	}
	return &control{listener: l, log: log, mux: http.NewServeMux()}, nil
}

// handle makes pattern answer with f's result, or its error as a fault.
func handle[In, Out any](c *control, pattern string, f func(context.Context, In) (Out, error)) {
	c.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		var in In
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if err == nil && len(body) > 0 {
			err = json.Unmarshal(body, &in)
		}
		var out any
		if err != nil {
			err = fault.New(fault.Invalid, "The request cannot be read.").Because(err)
		} else {
			out, err = f(r.Context(), in)
		}
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			c.log.Info("command refused", "path", r.URL.Path, "err", err)
			w.WriteHeader(http.StatusBadRequest)
			out = wireFault(err)
		}
		if err := json.NewEncoder(w).Encode(out); err != nil {
			c.log.Debug("control answer not sent", "err", err)
		}
	})
}

// wireFault is err as the other side may see it.
func wireFault(err error) wire.Fault {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return wire.Fault{Code: string(fault.Internal), Message: "The daemon failed. Its log says why."}
	}
	return wire.Fault{Code: string(f.Code), Message: f.Message, Hint: f.Hint}
}

func (c *control) run(ctx context.Context) error {
	srv := &http.Server{
		Handler: c.mux, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		ErrorLog: slog.NewLogLogger(c.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1) // one value, from Serve
	go func() { failed <- srv.Serve(c.listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve control socket: %w", err)
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := srv.Shutdown(bounded); err != nil {
		return errors.Join(err, srv.Close())
	}
	<-failed
	return nil
}

func (c *control) close() error { return c.listener.Close() }
