package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"signalbox/backend/chat"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/internal/atomicfile"
	"signalbox/backend/wire"
)

// Open reads the metadata of every chat. One that is damaged, or cannot be made
// again from its log, is reported to the log and does not keep the others from
// being listed.
func Open(logs *eventlog.Store, opts Options) (*Catalog, error) {
	c := &Catalog{
		logs: logs, log: opts.Log,
		chats:    map[wire.ChatID]*entry{},
		chosen:   map[wire.UserID]choice{},
		watchers: map[*Watcher]struct{}{},
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	ids, err := logs.Chats()
	if err != nil {
		return nil, fmt.Errorf("open catalog: %w", err)
	}
	metas := make([]*Meta, len(ids))
	var g errgroup.Group
	g.SetLimit(2 * runtime.GOMAXPROCS(0)) // reading files waits for the disk as much as it computes
	for i, id := range ids {
		g.Go(func() error {
			m, err := c.read(id)
			if err != nil {
				c.log.Error("chat is not listed", "chat", id, "err", err)
			}
			metas[i] = m
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, m := range metas {
		if m != nil {
			c.chats[m.ID] = &entry{meta: m, phase: wire.PhaseIdle}
			c.chooseLocked(m) // nobody else has c yet
		}
	}
	return c, nil
}

// read returns the chat's metadata, made again from its log where needed; nil
// for a chat whose creation was cut off, of which there is nothing to show.
func (c *Catalog) read(id wire.ChatID) (*Meta, error) {
	path := c.path(id)
	if err := atomicfile.Sweep(path); err != nil {
		c.log.Warn("temporary files not removed", "chat", id, "err", err)
	}
	b, err := atomicfile.Read(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err == nil:
		var m *Meta
		if m, err = decode(b); err == nil {
			m.ID = id // the folder's name decides: the file may be a copy
			return m, c.checkFork(&m)
		}
	case !missing && !errors.Is(err, fault.ErrNotPlain):
		return nil, err // what cannot be read now may be whole
	}
	m, errRebuild := c.rebuild(id)
	if missing && fault.CodeOf(errRebuild) == fault.NotFound {
		return nil, nil // the working folder of a chat that is gone
	}
	if errRebuild != nil {
		return nil, fmt.Errorf("rebuild metadata: %w", errRebuild)
	}
	if m == nil && missing {
		return nil, nil
	}
	if !missing {
		if m == nil {
			// An empty chat of which the file alone knew more.
			now := Now()
			m = &Meta{ID: id, Created: now, Active: now, Cwd: c.workDir(id)}
		}
		kept := fmt.Sprintf("%s.damaged-%s", path, time.Now().UTC().Format("20060102T150405.000"))
		if err := os.Rename(path, kept); err != nil {
			return nil, fmt.Errorf("keep damaged metadata: %w", err)
		}
	}
	c.log.Warn("metadata was rebuilt from the log", "chat", id, "missing", missing, "err", err)
	if err := c.write(m); err != nil {
		// It can be made again at the next start, too.
		c.log.Error("rebuilt metadata is not saved", "chat", id, "err", err)
	}
	return m, nil
}

// checkFork forgets a fork of which the log was not made: its creation was cut
// off.
func (c *Catalog) checkFork(m **Meta) error {
	if (*m).ForkOf == nil || (*m).Purged {
		return nil
	}
	if c.logs.Exists((*m).ID) {
		return nil
	}
	id := (*m).ID
	*m = nil
	return c.removeFiles(id, false)
}

// decode reads metadata. What lacks a field that every chat has is no metadata,
// however well-formed it is.
func decode(b []byte) (*Meta, error) {
	var m Meta
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	if m.Created.IsZero() || m.Active.IsZero() || !filepath.IsAbs(m.Cwd) {
		return nil, errors.New("metadata has no times or no working folder")
	}
	return &m, nil
}

// rebuild makes metadata from the chat's log; nil if the log holds no prompt.
func (c *Catalog) rebuild(id wire.ChatID) (*Meta, error) {
	l, err := c.logs.Log(id)
	if err != nil {
		return nil, err
	}
	m := &Meta{ID: id, Cwd: c.workDir(id)}
	for line, err := range l.Events(0) {
		if err != nil {
			return nil, err
		}
		if string(chat.TypeOf(line)) != string(wire.TypeUser) {
			continue
		}
		env, ev, err := wire.Decode(line)
		if err != nil {
			continue
		}
		if user, ok := ev.(wire.User); ok {
			m.Owner, m.Created = user.By, env.T
			m.Title, m.TitleSource = chat.Title(user.Text), TitleAuto
			break
		}
	}
	if m.Owner.ID == "" {
		return nil, nil
	}
	if created := l.Created(); m.Created.Before(created.Time) {
		if m.ForkOf, err = originOf(l, created); err != nil {
			return nil, err
		}
		m.Created = created
		// It worked in the folder of its chat.
		if err := os.Mkdir(m.Cwd, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fault.Disk("create chat's folder", err)
		}
	}
	return m, lastOf(l, m)
}

// originOf returns where a fork was cut off its chat, which is not known: its last
// event that is older than the fork itself.
func originOf(l *eventlog.Log, created wire.Time) (*wire.Origin, error) {
	for line, err := range l.Backward() {
		if err != nil {
			return nil, err
		}
		if env, _, err := wire.Decode(line); err == nil && env.T.Before(created.Time) {
			return &wire.Origin{Seq: env.Seq}, nil
		}
	}
	return nil, nil
}

// lastOf adds to m what the end of the log says.
func lastOf(l *eventlog.Log, m *Meta) error {
	for line, err := range l.Backward() {
		if err != nil {
			return err
		}
		t := wire.Type(chat.TypeOf(line))
		if !m.Active.IsZero() && t != wire.TypeUser && t != wire.TypeComplete {
			continue
		}
		env, ev, err := wire.Decode(line)
		if err != nil {
			continue
		}
		if m.Active.IsZero() {
			m.Active = env.T
		}
		switch ev := ev.(type) {
		case wire.Complete:
			if m.Verdict == "" {
				m.Verdict = ev.Status
			}
		case wire.User:
			m.Selected, m.SelectedBy, m.SelectedAt = ev.Selection, ev.By.ID, env.T
			return nil
		}
	}
	return nil
}
