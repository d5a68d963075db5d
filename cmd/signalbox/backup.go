package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"signalbox/backend/app"
	"signalbox/backend/backup"
	"signalbox/backend/fault"
)

func (p *program) backup() *cobra.Command {
	skipWork := false
	cmd := p.command("backup FILE", "Save all that the data folder holds into one file, also while the daemon runs",
		one("FILE"), func(args []string) error { return p.save(args[0], skipWork) })
	cmd.Long = cmd.Short + ". The file must not exist; - is standard output."
	cmd.Flags().BoolVar(&skipWork, "skip-work", false, "leave out the working folders of chats")
	return cmd
}

// save writes a backup to file.
func (p *program) save(file string, skipWork bool) (err error) {
	cfg, err := p.settings.load()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals()...)
	defer stop()
	out := os.Stdout
	if file != "-" {
		if out, err = createBackup(file, cfg.Data); err != nil {
			return err
		}
		defer func() {
			if err = errors.Join(err, out.Close()); err != nil {
				_ = os.Remove(file) // it is of no use; the first error counts
			}
		}()
	}
	sum, err := app.NewClient(cfg.Data).Backup(ctx, out, skipWork)
	if errors.Is(err, app.ErrNotRunning) {
		sum, err = app.Backup(ctx, cfg, app.NewLogger(os.Stderr, cfg.LogLevel), out, skipWork)
	}
	if err != nil {
		return err
	}
	if file != "-" {
		if err := out.Sync(); err != nil {
			return fault.Disk("write backup", err)
		}
	}
	fmt.Fprintf(os.Stderr, "Saved %s.\n", told(sum))
	for _, name := range sum.Changed {
		fmt.Fprintf(os.Stderr, "This changed while it was copied: %s\n", name)
	}
	return nil
}

// createBackup makes the file for its owner alone, outside of what is saved.
func createBackup(path, data string) (*os.File, error) {
	abs, err := filepath.Abs(path)
	if err == nil {
		if dir, err2 := filepath.EvalSymlinks(filepath.Dir(abs)); err2 == nil {
			abs = filepath.Join(dir, filepath.Base(abs))
		}
		if real, err2 := filepath.EvalSymlinks(data); err2 == nil {
			data = real
		}
	}
	if rel, err2 := filepath.Rel(data, abs); err == nil && err2 == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
		return nil, fault.New(fault.Invalid, "A backup cannot lie in the data folder that it saves.").
			WithHint("Name a file elsewhere, best on another disk.")
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fault.New(fault.Conflict, "The file %s exists; it was left as it is.", path).
			WithHint("Name another file, or remove that one first.")
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "The backup cannot be written: %v.", err).
			WithHint("Name a file in a folder that is there and that you may write to. Nothing was saved.").Because(err)
	}
	return f, nil
}

// restore makes an empty data folder what the file in args holds.
func (p *program) restore(args []string) error {
	file := args[0]
	cfg, err := p.settings.load()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals()...)
	defer stop()
	in := io.Reader(os.Stdin)
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return fault.New(fault.NotFound, "The backup %s cannot be read: %v.", file, err).Because(err)
		}
		defer f.Close() //nolint:errcheck // only read
		in = f
	}
	sum, err := backup.Restore(ctx, in, cfg.Data)
	if err != nil {
		return err
	}
	fmt.Printf("Restored %s to %s. Start it with `signalbox`.\n", told(sum), cfg.Data)
	return nil
}

func told(sum backup.Summary) string {
	return fmt.Sprintf("%d chats (%d files, %.1f MB)", sum.Chats, sum.Files, float64(sum.Bytes)/1e6)
}

// reindex makes the search index anew, by the daemon where one runs, and waits
// for it.
func (p *program) reindex([]string) error {
	cfg, err := p.settings.load()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals()...)
	defer stop()
	c := app.NewClient(cfg.Data)
	err = c.Reindex(ctx)
	if errors.Is(err, app.ErrNotRunning) {
		err = app.Reindex(ctx, cfg, app.NewLogger(os.Stderr, cfg.LogLevel), tellIndex)
	} else if err == nil {
		err = followIndex(ctx, c)
	}
	if err == nil {
		fmt.Println("All chats are indexed.")
	}
	return err
}

// followIndex tells how far the daemon is, until it is done.
func followIndex(ctx context.Context, c *app.Client) error {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		st, err := c.Index(ctx)
		if err != nil {
			return err
		}
		if f := st.Fault; f != nil {
			return &fault.Error{Code: fault.Code(f.Code), Message: f.Message, Hint: f.Hint}
		}
		if st.Behind == 0 {
			return nil
		}
		tellIndex(st)
		select {
		case <-ctx.Done():
			return fault.New(fault.Canceled, "The daemon goes on making the index.")
		case <-tick.C:
		}
	}
}

func tellIndex(st app.IndexState) {
	if st.Behind > 0 {
		fmt.Fprintf(os.Stderr, "%d of %d chats are still to be read.\n", st.Behind, max(st.Chats, st.Behind))
	}
}
