package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"signalbox/backend/chat"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/internal/atomicfile"
	"signalbox/backend/internal/id"
	"signalbox/backend/wire"
)

// Options configure a Catalog.
type Options struct {
	Log *slog.Logger // default discards
}

// Catalog is the list of chats. Use [Open].
type Catalog struct {
	logs *eventlog.Store
	log  *slog.Logger

	mu       sync.RWMutex
	chats    map[wire.ChatID]*entry
	chosen   map[wire.UserID]choice // each person's last
	watchers map[*Watcher]struct{}
}

type entry struct {
	writing sync.Mutex // held while meta.json is replaced; taken before Catalog.mu

	// Guarded by Catalog.mu. A meta is replaced, never changed.
	meta  *Meta
	phase wire.Phase
	needs *wire.NeedsYou
	// The queue: how many wait, and whether for somebody to resume it.
	waiting int
	paused  bool
}

type choice struct {
	selection wire.Selection
	at        wire.Time
}

// New says what a new chat is to be. All of it is optional.
type New struct {
	Title    string
	Selected wire.Selection // default: what the owner chose last
	Skills   []string
	Cwd      string // absolute; default the chat's own folder
	// ForkOf is where the chat is cut off another; MakeLog then makes its log
	// with what it has of that one.
	ForkOf  *wire.Origin
	MakeLog func(to wire.ChatID) error
	// Imported is the agent's session that the chat is made of. ForkOf then has no
	// chat, and the last event that was made of the session.
	Imported string
}

// Create makes a chat: its log, its working folder and its metadata, durable
// when it returns.
func (c *Catalog) Create(owner wire.Person, n New) (Meta, error) {
	now := Now()
	m := Meta{
		ID: wire.ChatID(id.New("c_")), Owner: owner, Created: now, Active: now,
		Selected: n.Selected, SelectedBy: owner.ID, SelectedAt: now, Skills: slices.Clone(n.Skills), Cwd: n.Cwd,
		ForkOf: n.ForkOf, Imported: n.Imported,
	}
	m.MarkRead(owner.ID)
	if n.Selected == (wire.Selection{}) {
		m.Selected = c.LastSelection(owner.ID)
	}
	if n.Title = strings.TrimSpace(n.Title); n.Title != "" {
		if err := chat.CheckTitle(n.Title); err != nil {
			return Meta{}, err
		}
		m.Title, m.TitleSource = n.Title, TitleByUser
	}
	if err := errors.Join(chat.CheckSkills(m.Skills), checkSelection(m.Selected)); err != nil {
		return Meta{}, err
	}
	if err := c.make(&m, n.MakeLog); err != nil {
		return Meta{}, fmt.Errorf("create chat: %w", err)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	stored := m.clone()
	c.chats[m.ID] = &entry{meta: &stored, phase: wire.PhaseIdle}
	c.chooseLocked(&m)
	c.notifyLocked(m.ID)
	return m, nil
}

// make makes the chat's files. The metadata of a fork comes before its log: a
// log without it would pass for a chat whose agents' sessions are its own.
func (c *Catalog) make(m *Meta, makeLog func(wire.ChatID) error) (err error) {
	if makeLog == nil {
		makeLog = func(id wire.ChatID) error {
			_, err := c.logs.Create(id)
			return err
		}
	}
	if m.ForkOf == nil {
		if err := makeLog(m.ID); err != nil {
			return err
		}
	} else if err := os.Mkdir(c.logs.Dir(m.ID), 0o700); err != nil {
		return fault.Disk("create chat's folder", err)
	}
	if m.Cwd == "" {
		m.Cwd = c.workDir(m.ID)
		if err := os.Mkdir(m.Cwd, 0o700); err != nil {
			return fault.Disk("create chat", err)
		}
	}
	if err := c.write(m); err != nil || m.ForkOf == nil {
		return err
	}
	if err := makeLog(m.ID); err != nil {
		return errors.Join(err, c.removeFiles(m.ID, false))
	}
	return nil
}

// Get returns what is known of the chat, or a fault not_found.
func (c *Catalog) Get(id wire.ChatID) (Meta, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, err := c.entryLocked(id)
	if err != nil {
		return Meta{}, err
	}
	return e.meta.clone(), nil
}

// Update changes what is known of the chat: change gets a copy, and what it
// leaves there is checked, written and told to the watchers. An error of change
// leaves all as it was and is returned; so does one of writing. The chat's id
// cannot be changed.
func (c *Catalog) Update(id wire.ChatID, change func(*Meta) error) (Meta, error) {
	c.mu.RLock()
	e, err := c.entryLocked(id)
	c.mu.RUnlock()
	if err != nil {
		return Meta{}, err
	}
	return c.update(e, change)
}

func (c *Catalog) update(e *entry, change func(*Meta) error) (Meta, error) {
	e.writing.Lock()
	defer e.writing.Unlock()
	c.mu.RLock()
	old := e.meta
	c.mu.RUnlock()
	m := old.clone()
	if err := change(&m); err != nil {
		return Meta{}, err
	}
	if err := m.check(old); err != nil {
		return Meta{}, err
	}
	if m.Selected != old.Selected && m.SelectedAt.Equal(old.SelectedAt.Time) {
		m.SelectedAt = Now()
	}
	if reflect.DeepEqual(*old, m) {
		return m, nil
	}
	if err := c.write(&m); err != nil {
		return Meta{}, fmt.Errorf("update chat %s: %w", m.ID, err)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	stored := m.clone()
	e.meta = &stored
	c.chooseLocked(&m)
	c.notifyLocked(m.ID)
	return m, nil
}

// SetPhase says how far the chat's run is. An unknown chat is ignored.
func (c *Catalog) SetPhase(id wire.ChatID, p wire.Phase) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.chats[id]; ok && e.phase != p {
		e.phase = p
		c.notifyLocked(id)
	}
}

// SetNeeds says what the chat's run waits for people to answer; nil is nothing.
// It is kept in memory only. An unknown chat is ignored.
func (c *Catalog) SetNeeds(id wire.ChatID, needs *wire.NeedsYou) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.chats[id]; ok && !reflect.DeepEqual(e.needs, needs) {
		e.needs = needs
		c.notifyLocked(id)
	}
}

// Summary returns the chat as lists show it to viewer, or a fault not_found.
func (c *Catalog) Summary(id wire.ChatID, viewer wire.UserID) (wire.ChatSummary, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, err := c.entryLocked(id)
	if err != nil {
		return wire.ChatSummary{}, err
	}
	return e.summary(viewer), nil
}

// List returns all chats as viewer sees them, the one in which something
// happened last first.
func (c *Catalog) List(viewer wire.UserID) []wire.ChatSummary {
	c.mu.RLock()
	list := make([]wire.ChatSummary, 0, len(c.chats))
	for _, e := range c.chats {
		if e.meta.Trashed == nil {
			list = append(list, e.summary(viewer))
		}
	}
	c.mu.RUnlock()
	slices.SortFunc(list, func(a, b wire.ChatSummary) int {
		if d := b.Active.Compare(a.Active.Time); d != 0 {
			return d
		}
		return strings.Compare(string(b.ID), string(a.ID))
	})
	return list
}

// LastSelection returns what the person chose last in any chat; it is empty if
// they never did.
func (c *Catalog) LastSelection(who wire.UserID) wire.Selection {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.chosen[who].selection
}

func (c *Catalog) entryLocked(id wire.ChatID) (*entry, error) {
	e, ok := c.chats[id]
	if !ok {
		return nil, fault.New(fault.NotFound, "There is no chat %.40q.", id)
	}
	if e.meta.Trashed != nil {
		return nil, fault.New(fault.NotFound, "The chat was deleted.").WithHint("It may still be in the trash.")
	}
	return e, nil
}

func (c *Catalog) chooseLocked(m *Meta) {
	who := m.SelectedBy
	if who == "" {
		who = m.Owner.ID
	}
	if m.Selected != (wire.Selection{}) && !m.SelectedAt.Before(c.chosen[who].at.Time) {
		c.chosen[who] = choice{selection: m.Selected, at: m.SelectedAt}
	}
}

func (c *Catalog) write(m *Meta) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("encode metadata: %w", err)
	}
	return atomicfile.Write(c.path(m.ID), append(b, '\n'), 0o600)
}

// The names of a chat's files that are the catalog's.
const (
	metaName = "meta.json"
	workName = "work"
)

func (c *Catalog) path(id wire.ChatID) string { return filepath.Join(c.logs.Dir(id), metaName) }

func (c *Catalog) workDir(id wire.ChatID) string { return filepath.Join(c.logs.Dir(id), workName) }

func (e *entry) summary(viewer wire.UserID) wire.ChatSummary {
	m := e.meta
	origin := m.ForkOf
	if origin != nil && origin.Chat == "" {
		origin = nil // metadata that was made again does not know it
	}
	return wire.ChatSummary{
		ID: m.ID, Title: m.Title, Owner: m.Owner, Created: m.Created, Active: m.Active,
		Running: Running(e.phase), Phase: e.phase, Verdict: m.Verdict,
		Unread: m.Unread(viewer), Selected: m.Selected, Skills: slices.Clone(m.Skills), Cwd: m.Cwd, NeedsYou: e.needs,
		Queued: e.waiting, Paused: e.paused, Limits: m.Limits,
		Pinned: !m.Pins[viewer].IsZero(), Archived: m.Archived, Trashed: m.Trashed, ForkOf: origin,
	}
}

// Running reports whether a run is under way in the phase. A chat that is held
// runs no more, though its lock is taken.
func Running(p wire.Phase) bool {
	return p == wire.PhaseStarting || p == wire.PhaseRunning || p == wire.PhaseStopping
}
