package app

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"time"
	_ "time/tzdata" // the days of a person's zone, also where the system has no zones

	"signalbox/backend/config"
	"signalbox/backend/eventlog"
	"signalbox/backend/index"
	"signalbox/backend/wire"
)

// indexPath is the file of the search index in a data folder.
func indexPath(dir string) string { return filepath.Join(dir, "index.db") }

// IndexState is how far the search index is.
type IndexState struct {
	Behind int         `json:"behind"` // chats that are still to be read
	Chats  int         `json:"chats"`
	Fault  *wire.Fault `json:"fault,omitempty"` // why it is not brought up to date
}

func stateOf(x *index.Index) IndexState {
	st := x.Status()
	state := IndexState{Behind: st.Behind, Chats: st.Chats}
	if st.Err != nil {
		f := wireFault(st.Err)
		state.Fault = &f
	}
	return state
}

// Reindex makes the daemon begin its search index anew.
func (c *Client) Reindex(ctx context.Context) error {
	return c.do(ctx, http.MethodPost, "/reindex", nil, &struct{}{})
}

// Index asks the daemon how far its search index is.
func (c *Client) Index(ctx context.Context) (IndexState, error) {
	var s IndexState
	err := c.do(ctx, http.MethodGet, "/index", nil, &s)
	return s, err
}

// Reindex makes the search index of a data folder that no daemon serves anew, and
// tells progress as often as something changed.
func Reindex(ctx context.Context, cfg *config.Config, log *slog.Logger, progress func(IndexState)) error {
	return withLogs(cfg, log, func(logs *eventlog.Store) error {
		x := index.New(logs, indexPath(cfg.Data), index.Options{Log: log, Eager: true})
		x.Rebuild()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel(nil)
		running.Go(func() {
			if err := x.Run(ctx); err != nil {
				cancel(err)
			}
		})
		running.Go(func() {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				st := stateOf(x)
				progress(st)
				if err := x.Status().Err; err != nil {
					cancel(err) // trying again is the daemon's business
				}
			}
		})
		if err := x.Wait(ctx); err != nil {
			return err
		}
		progress(stateOf(x))
		return nil
	})
}
