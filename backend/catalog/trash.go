package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"signalbox/backend/fault"
	"signalbox/backend/internal/atomicfile"
	"signalbox/backend/wire"
)

const (
	// keepTrash is how long a chat lies in the trash.
	keepTrash = 30 * 24 * time.Hour
	// keepBare is how long a chat's folder may lie without a log: a chat that is
	// being made has none yet.
	keepBare = 24 * time.Hour
)

// Trash puts the chat into the trash: no method but [Catalog.Trashed],
// [Catalog.Untrash] and [Catalog.Purge] knows it any more, and watchers hear
// that it is gone. Its files stay as they are. The caller sees to it that no run
// lives.
func (c *Catalog) Trash(id wire.ChatID, by wire.Person) error {
	_, err := c.Update(id, func(m *Meta) error {
		now := Now()
		m.Trashed, m.TrashedBy = &now, &by
		return nil
	})
	return err
}

// Untrash takes the chat out of the trash as it was (fault not_found when it is
// not there).
func (c *Catalog) Untrash(id wire.ChatID) error {
	e, err := c.trashed(id)
	if err != nil {
		return err
	}
	_, err = c.update(e, func(m *Meta) error {
		if m.Trashed == nil || m.Purged {
			return errNotTrashed(id)
		}
		m.Trashed, m.TrashedBy = nil, nil
		return nil
	})
	return err
}

// Trashed returns what lies in the trash as viewer sees it, what was deleted
// last first.
func (c *Catalog) Trashed(viewer wire.UserID) []wire.ChatSummary {
	c.mu.RLock()
	list := []wire.ChatSummary{}
	for _, e := range c.chats {
		if e.meta.Trashed != nil && !e.meta.Purged {
			list = append(list, e.summary(viewer))
		}
	}
	c.mu.RUnlock()
	slices.SortFunc(list, func(a, b wire.ChatSummary) int {
		if d := b.Trashed.Compare(a.Trashed.Time); d != 0 {
			return d
		}
		return strings.Compare(string(b.ID), string(a.ID))
	})
	return list
}

// InTrash returns what is known of a chat that lies in the trash, or a fault
// not_found.
func (c *Catalog) InTrash(id wire.ChatID) (Meta, error) {
	e, err := c.trashed(id)
	if err != nil {
		return Meta{}, err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return e.meta.clone(), nil
}

// Purge removes a chat that lies in the trash, with all its files. A working
// folder that other chats work in stays as long as they do. What a crash
// interrupts, [Catalog.Tidy] goes on with.
func (c *Catalog) Purge(id wire.ChatID) error {
	e, err := c.trashed(id)
	if err != nil {
		return err
	}
	// From here on it is in no list, whatever happens.
	_, err = c.update(e, func(m *Meta) error {
		if m.Trashed == nil {
			return errNotTrashed(id)
		}
		m.Purged = true
		return nil
	})
	if err != nil {
		return err
	}
	return c.remove(id, e)
}

// remove deletes the files of a purged chat. The metadata goes last: it says
// that the rest has to go.
func (c *Catalog) remove(id wire.ChatID, e *entry) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	if err := c.logs.Release(id); err != nil {
		c.log.Warn("log of a deleted chat not closed cleanly", "chat", id, "err", err)
	}
	if err := c.removeFiles(id, c.worksElsewhere(id)); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.chats, id)
	return nil
}

func (c *Catalog) removeFiles(id wire.ChatID, keepWork bool) error {
	dir := c.logs.Dir(id)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Disk("delete chat", err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if name == metaName || keepWork && name == workName {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return fault.Disk("delete chat", err)
		}
	}
	if err := atomicfile.Remove(c.path(id)); err != nil {
		return fault.Disk("delete chat", err)
	}
	if keepWork {
		return nil
	}
	return fault.Disk("delete chat", os.Remove(dir))
}

// worksElsewhere reports whether another chat works in the folder of this one,
// as forks do.
func (c *Catalog) worksElsewhere(id wire.ChatID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for other, e := range c.chats {
		if other != id && !e.meta.Purged && e.meta.Cwd == c.workDir(id) {
			return true
		}
	}
	return false
}

// Forks returns the chats that were forked from the one, the oldest first.
func (c *Catalog) Forks(of wire.ChatID) []Meta {
	c.mu.RLock()
	var forks []Meta
	for _, e := range c.chats {
		if m := e.meta; m.ForkOf != nil && m.ForkOf.Chat == of && m.Trashed == nil {
			forks = append(forks, m.clone())
		}
	}
	c.mu.RUnlock()
	slices.SortFunc(forks, func(a, b Meta) int {
		if d := a.Created.Compare(b.Created.Time); d != 0 {
			return d
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	return forks
}

// Tidy removes what has been in the trash for 30 days, what an interrupted
// removal left, and working folders of removed chats that nobody works in any
// more. Between two chats it ends with ctx.
func (c *Catalog) Tidy(ctx context.Context, now time.Time) error {
	c.mu.RLock()
	var due []wire.ChatID
	for id, e := range c.chats {
		if t := e.meta.Trashed; t != nil && (e.meta.Purged || now.Sub(t.Time) > keepTrash) {
			due = append(due, id)
		}
	}
	c.mu.RUnlock()
	var errs []error
	for _, id := range due {
		if ctx.Err() != nil {
			break
		}
		if err := c.Purge(id); err != nil && fault.CodeOf(err) != fault.NotFound {
			errs = append(errs, fmt.Errorf("purge chat %s: %w", id, err))
		}
	}
	return errors.Join(append(errs, c.tidyBare(ctx, now))...)
}

// tidyBare removes folders without a log: working folders that outlived their
// chat, and what the making of a chat left.
func (c *Catalog) tidyBare(ctx context.Context, now time.Time) error {
	ids, err := c.logs.Chats()
	if err != nil {
		return err
	}
	var errs []error
	for _, id := range ids {
		if ctx.Err() != nil {
			return errors.Join(append(errs, context.Cause(ctx))...)
		}
		c.mu.RLock()
		_, listed := c.chats[id]
		c.mu.RUnlock()
		if listed || c.worksElsewhere(id) || !c.bare(id, now) {
			continue
		}
		if err := c.removeFiles(id, false); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// bare reports whether a folder has neither log nor metadata, and has been so
// for long enough.
func (c *Catalog) bare(id wire.ChatID, now time.Time) bool {
	dir := c.logs.Dir(id)
	st, err := os.Lstat(dir)
	if err != nil || !st.IsDir() || now.Sub(st.ModTime()) <= keepBare {
		return false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Name() != workName {
			return false
		}
	}
	return true
}

// trashed returns the entry of a chat that lies in the trash.
func (c *Catalog) trashed(id wire.ChatID) (*entry, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.chats[id]
	if !ok || e.meta.Trashed == nil {
		return nil, errNotTrashed(id)
	}
	return e, nil
}

func errNotTrashed(id wire.ChatID) error {
	return fault.New(fault.NotFound, "The chat %.40q is not in the trash.", id).
		WithHint("It was restored or deleted for good. Load the trash again.")
}
