package catalog

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"signalbox/backend/chat"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// TitleSource says who a title is from.
type TitleSource string

// The sources of a title. A chat without a title has none.
const (
	TitleByUser TitleSource = "user"
	TitleAuto   TitleSource = "auto"
)

// Meta is what the list knows of a chat, as it lies in meta.json.
type Meta struct {
	ID          wire.ChatID    `json:"id"`
	Title       string         `json:"title"`
	TitleSource TitleSource    `json:"titleSource,omitempty"`
	Owner       wire.Person    `json:"owner"`
	Created     wire.Time      `json:"created"`
	Active      wire.Time      `json:"active"` // when something last happened in it
	Selected    wire.Selection `json:"selected"`
	// SelectedBy and SelectedAt say whose choice that is: it becomes the
	// default of that person's next chat. Without SelectedBy it is the owner's.
	SelectedBy wire.UserID               `json:"selectedBy,omitempty"`
	SelectedAt wire.Time                 `json:"selectedAt"`
	Skills     []string                  `json:"skills,omitempty"` // that its prompts are to use, the first one first
	Cwd        string                    `json:"cwd"`
	Verdict    wire.Status               `json:"verdict,omitempty"` // of the last run
	Reads      map[wire.UserID]wire.Time `json:"reads,omitempty"`   // up to when each has read
	Rules      []wire.Rule               `json:"rules,omitempty"`   // what people allowed for the chat
	Pins       map[wire.UserID]wire.Time `json:"pins,omitempty"`    // who pinned it, and when
	Archived   bool                      `json:"archived,omitempty"`
	Limits     *wire.Limits              `json:"limits,omitempty"`
	Used       *Used                     `json:"used,omitempty"` // by its runs so far
	// ForkOf is where the chat was cut off another.
	ForkOf *wire.Origin `json:"forkOf,omitempty"`
	// Imported is the agent's session that the chat was made of, where it was.
	Imported string `json:"imported,omitempty"`
	// Trashed is when the chat was deleted, and TrashedBy who did it. Purged
	// means that its files are being removed.
	Trashed   *wire.Time   `json:"trashed,omitempty"`
	TrashedBy *wire.Person `json:"trashedBy,omitempty"`
	Purged    bool         `json:"purged,omitempty"`

	unknown map[string]json.RawMessage // fields of other versions
}

// Happened notes that something happens in the chat now. That is never before what
// happened last, also when the clock was set back: people have read up to there.
func (m *Meta) Happened() {
	now := Now()
	if !now.After(m.Active.Time) {
		now = wire.Time{Time: m.Active.Add(time.Millisecond)}
	}
	m.Active = now
}

// MarkRead notes that the person has seen all that happened in the chat.
func (m *Meta) MarkRead(who wire.UserID) {
	if m.Reads == nil {
		m.Reads = map[wire.UserID]wire.Time{}
	}
	if m.Reads[who].Before(m.Active.Time) {
		m.Reads[who] = m.Active
	}
}

// MarkUnread takes back that the person has seen what happened last.
func (m *Meta) MarkUnread(who wire.UserID) { delete(m.Reads, who) }

// Pin pins the chat for the person, or no longer.
func (m *Meta) Pin(who wire.UserID, pinned bool) {
	if !pinned {
		delete(m.Pins, who)
		return
	}
	if m.Pins == nil {
		m.Pins = map[wire.UserID]wire.Time{}
	}
	if _, ok := m.Pins[who]; !ok {
		m.Pins[who] = Now()
	}
}

// Unread reports whether something happened since the person last looked.
func (m *Meta) Unread(who wire.UserID) bool { return m.Active.After(m.Reads[who].Time) }

// Now returns the time as metadata keeps it: to the millisecond.
func Now() wire.Time { return wire.Time{Time: time.Now().UTC().Truncate(time.Millisecond)} }

// MarshalJSON writes the known fields, then those of other versions by name.
func (m Meta) MarshalJSON() ([]byte, error) {
	type known Meta // without this method
	b, err := json.Marshal(known(m))
	if err != nil || len(m.unknown) == 0 {
		return b, err
	}
	rest, err := json.Marshal(m.unknown)
	if err != nil {
		return nil, err
	}
	b[len(b)-1] = ','
	return append(b, rest[1:]...), nil
}

// UnmarshalJSON reads the known fields and keeps the rest as it is.
func (m *Meta) UnmarshalJSON(b []byte) error {
	type known Meta
	var k known
	if err := json.Unmarshal(b, &k); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &k.unknown); err != nil {
		return err
	}
	for _, name := range knownFields {
		delete(k.unknown, name)
	}
	*m = Meta(k)
	return nil
}

// knownFields are the names in JSON of the fields of Meta.
var knownFields = func() []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Meta]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}()

func (m *Meta) clone() Meta {
	c := *m
	c.Reads = maps.Clone(m.Reads)
	c.Rules = slices.Clone(m.Rules)
	c.Pins = maps.Clone(m.Pins)
	c.Skills = slices.Clone(m.Skills)
	return c
}

// check returns why m cannot stand after old, as a [*fault.Error].
func (m *Meta) check(old *Meta) error {
	m.ID = old.ID
	if m.Title != old.Title && (m.Title != "" || m.TitleSource != "") {
		m.Title = strings.TrimSpace(m.Title)
		if err := chat.CheckTitle(m.Title); err != nil {
			return err
		}
	}
	if err := chat.CheckSkills(m.Skills); err != nil {
		return err
	}
	return checkSelection(m.Selected)
}

func checkSelection(s wire.Selection) error {
	if s.Mode != "" && !slices.Contains(wire.Modes(), s.Mode) {
		return fault.New(fault.Invalid, "There is no mode %.40q.", s.Mode).WithHint("Choose one of the modes that are listed.")
	}
	const limit = 200
	for _, v := range []string{string(s.Agent), s.Model, s.Effort, s.Tier} {
		if len(v) > limit || !utf8.ValidString(v) {
			return fault.New(fault.Invalid, "The choice %.40q is too long.", v)
		}
	}
	return nil
}
