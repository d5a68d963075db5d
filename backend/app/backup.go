package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"signalbox/backend/backup"
	"signalbox/backend/config"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

const (
	summaryTrailer = "Signalbox-Summary"
	faultTrailer   = "Signalbox-Fault"
	// chunkLimit is how long the command line may take to read a piece of a backup.
	chunkLimit = time.Minute
)

// serveBackup answers with a backup of the data folder. How it ended stands in
// the trailer: by then the answer has begun.
func (a *App) serveBackup(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Trailer", summaryTrailer+", "+faultTrailer)
	w.Header().Set("Content-Type", "application/gzip")
	out := &patientWriter{w: w, ctl: http.NewResponseController(w)}
	opts := backup.Options{Version: Version(), SkipWork: r.FormValue("work") == "no"}
	sum, err := backup.Write(r.Context(), out, a.cfg.Data, a.logs, opts)
	name, value := summaryTrailer, any(sum)
	if err != nil {
		a.log.Warn("backup failed", "err", err)
		name, value = faultTrailer, wireFault(err)
	} else {
		a.log.Info("backup written", "chats", sum.Chats, "bytes", sum.Bytes)
	}
	b, err := json.Marshal(value)
	if err != nil {
		a.log.Error("outcome of a backup not told", "err", err)
		return
	}
	w.Header().Set(name, string(b))
}

// patientWriter gives each piece time, instead of the whole answer.
type patientWriter struct {
	w   io.Writer
	ctl *http.ResponseController
}

func (p *patientWriter) Write(b []byte) (int, error) {
	if err := p.ctl.SetWriteDeadline(time.Now().Add(chunkLimit)); err != nil {
		return 0, err
	}
	return p.w.Write(b)
}

// Backup writes a backup of the data folder to w, without the chats' working
// folders if skipWork is set.
func (c *Client) Backup(ctx context.Context, w io.Writer, skipWork bool) (backup.Summary, error) {
	path := "/backup"
	if skipWork {
		path += "?work=no"
	}
	var sum backup.Summary
	err := c.stream(ctx, path, func(res *http.Response) error {
		if _, err := io.Copy(w, res.Body); err != nil {
			return fault.Disk("write backup", err)
		}
		var f wire.Fault
		if t := res.Trailer.Get(faultTrailer); t != "" && json.Unmarshal([]byte(t), &f) == nil {
			return &fault.Error{Code: fault.Code(f.Code), Message: f.Message, Hint: f.Hint}
		}
		if json.Unmarshal([]byte(res.Trailer.Get(summaryTrailer)), &sum) != nil {
			return fault.New(fault.Unavailable, "The daemon ended before the backup was whole.").WithHint("Start it again.")
		}
		return nil
	})
	return sum, err
}

// Backup writes a backup of a data folder that no daemon serves to w.
func Backup(ctx context.Context, cfg *config.Config, log *slog.Logger, w io.Writer, skipWork bool) (sum backup.Summary, err error) {
	err = withLogs(cfg, log, func(logs *eventlog.Store) error {
		sum, err = backup.Write(ctx, w, cfg.Data, logs, backup.Options{Version: Version(), SkipWork: skipWork})
		return err
	})
	return sum, err
}

// withLogs gives f the logs of a data folder that is there and that no daemon
// serves, and holds the folder meanwhile.
func withLogs(cfg *config.Config, log *slog.Logger, f func(*eventlog.Store) error) (err error) {
	if _, err := os.Stat(filepath.Join(cfg.Data, "chats")); err != nil {
		return fault.New(fault.NotFound, "There is no data in %s.", cfg.Data).
			WithHint("Name the data folder with --data or SIGNALBOX_DATA.").Because(err)
	}
	if err := checkRestored(cfg.Data); err != nil {
		return err
	}
	logs, err := eventlog.Open(cfg.Data, eventlog.Options{Log: log})
	if err != nil {
		return folderFault(cfg.Data, err)
	}
	defer func() { err = errors.Join(err, logs.Close()) }()
	return f(logs)
}

// checkRestored refuses a data folder into which a backup was restored only in
// part.
func checkRestored(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, backup.Unfinished)); err != nil {
		return nil //nolint:nilerr // it is not there, or nothing is
	}
	return fault.New(fault.Unavailable, "The data folder %s holds a backup that was not restored to its end.", dir).
		WithHint("Remove what is in the folder and restore the backup again.")
}
