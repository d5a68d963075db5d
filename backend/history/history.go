// Package history reads the sessions that people had with Claude Code, Codex and
// Kimi Code outside of Signalbox, from the files in which those keep them.
//
// It reads and never writes. The files are of programs whose formats change: a
// line that is not known is passed over, and so is one that is damaged or longer
// than 64 MiB. A session is read turn by turn; what a turn holds is bounded.
package history

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Session is one that an agent keeps.
type Session struct {
	Agent wire.AgentID `json:"agent"`
	ID    string       `json:"id"` // the agent's own
	// Title is what the person began with.
	Title string `json:"title"`
	Cwd   string `json:"cwd"`
	// Started is when it began, and Active when the file was last written to.
	Started wire.Time `json:"started"`
	Active  wire.Time `json:"active"`
	// Prompts is how many prompts the beginning of the file has; More that the
	// file goes on behind what was looked at.
	Prompts int   `json:"prompts"`
	More    bool  `json:"more,omitempty"`
	Bytes   int64 `json:"bytes"`

	path string
}

// Turn is a prompt and what came of it.
type Turn struct {
	At     wire.Time
	Text   string
	Model  string
	Events []Event
	// ID is the agent's own for the end of the turn, to copy the session up to
	// there; empty where it has none.
	ID string
	// End is when the last of it happened.
	End wire.Time
	// Failed says what went wrong, where something did.
	Failed string
}

// Event is what happened in a turn.
type Event struct {
	At wire.Time
	wire.Event
}

// reader knows the files of one agent.
type reader struct {
	agent wire.AgentID
	// files yields the files below a home that may hold a session.
	files func(home string) []string
	// id returns the session's id from its path; nil where the lines say it.
	id func(path string) string
	// read makes what reads the lines of a session.
	read func() parser
}

// parser reads a session line by line. It calls turn with each turn that ended.
type parser interface {
	// line reads the next line; at the end the last turn is still open.
	line(raw []byte, turn func(Turn) bool) bool
	// end returns the last turn, if there is one.
	end() (Turn, bool)
	// about returns what the lines so far say of the session.
	about() Session
}

var readers = map[wire.AgentID]reader{
	"claude": {"claude", claudeFiles, claudeID, func() parser { return &claudeParser{} }},
	"codex":  {"codex", codexFiles, nil, func() parser { return &codexParser{} }},
	"kimi":   {"kimi", kimiFiles, kimiID, func() parser { return &kimiParser{} }},
}

// Homes says where each agent keeps its files: CLAUDE_CONFIG_DIR, CODEX_HOME,
// KIMI_CODE_HOME, else below the home folder.
func Homes(getenv func(string) string) map[wire.AgentID]string {
	home := getenv("HOME")
	homes := map[wire.AgentID]string{}
	for agent, at := range map[wire.AgentID][2]string{
		"claude": {"CLAUDE_CONFIG_DIR", ".claude"},
		"codex":  {"CODEX_HOME", ".codex"},
		"kimi":   {"KIMI_CODE_HOME", ".kimi-code"},
	} {
		switch dir := getenv(at[0]); {
		case dir != "":
			homes[agent] = dir
		case home != "":
			homes[agent] = filepath.Join(home, at[1])
		}
	}
	return homes
}

const (
	maxSessions = 500       // that are listed, the newest
	headBytes   = 256 << 10 // of a file that is looked at for the list
)

// List returns the sessions below the homes, the one that was active last first.
// It looks at the beginning of each file only.
func List(ctx context.Context, homes map[wire.AgentID]string) ([]Session, error) {
	type found struct {
		reader
		path string
		st   fs.FileInfo
	}
	var all []found
	for agent, r := range readers {
		home, ok := homes[agent]
		if !ok {
			continue
		}
		for _, path := range r.files(home) {
			if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() && st.Size() > 0 {
				all = append(all, found{r, path, st})
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(b.st.ModTime().Compare(a.st.ModTime()), cmp.Compare(a.path, b.path))
	})
	list := []Session{}
	known := map[[2]string]bool{} // a link to a folder shows what is in it again
	for _, f := range all[:min(len(all), maxSessions)] {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s, ok := f.look(f.path, f.st)
		if key := [2]string{string(s.Agent), s.ID}; ok && !known[key] {
			known[key] = true
			list = append(list, s)
		}
	}
	return list, nil
}

// look reads the beginning of a session's file.
func (r reader) look(path string, st fs.FileInfo) (Session, bool) {
	p := r.read()
	n, prompts := 0, 0
	more := false
	for raw, err := range lines(path) {
		if err != nil {
			break
		}
		p.line(raw, func(Turn) bool { prompts++; return true })
		if n += len(raw); n > headBytes {
			more = true
			break
		}
	}
	if _, ok := p.end(); ok {
		prompts++
	}
	s := p.about()
	if s.ID == "" && r.id == nil || prompts == 0 {
		return s, false // a subagent's, or one in which nothing was said
	}
	s.Agent, s.path, s.Bytes = r.agent, path, st.Size()
	if r.id != nil {
		s.ID = r.id(path)
	}
	s.Active = wire.Time{Time: st.ModTime().UTC()}
	s.Prompts, s.More = prompts, more
	if s.Started.IsZero() {
		s.Started = s.Active
	}
	return s, true
}

// Find returns the session of an agent with an id (fault not_found).
func Find(ctx context.Context, homes map[wire.AgentID]string, agent wire.AgentID, id string) (Session, error) {
	r, known := readers[agent]
	if home, ok := homes[agent]; known && ok && id != "" {
		for _, path := range r.files(home) {
			if ctx.Err() != nil {
				return Session{}, context.Cause(ctx)
			}
			// Each agent has the id in the file's path.
			if !strings.Contains(path, id) {
				continue
			}
			st, err := os.Lstat(path)
			if err != nil || !st.Mode().IsRegular() {
				continue
			}
			if s, ok := r.look(path, st); ok && s.ID == id {
				return s, nil
			}
		}
	}
	return Session{}, fault.New(fault.NotFound, "There is no such session of %.40q.", agent).
		WithHint("Load the list again: the agent may have removed it.")
}

// Turns yields what happened in a session.
func (s Session) Turns() iter.Seq2[Turn, error] {
	return func(yield func(Turn, error) bool) {
		p := readers[s.Agent].read()
		if c, ok := p.(*claudeParser); ok {
			c.prepare(s.path)
		}
		for raw, err := range lines(s.path) {
			if err != nil {
				yield(Turn{}, fault.Disk("read the agent's session", err))
				return
			}
			if !p.line(raw, func(t Turn) bool { return yield(t, nil) }) {
				return
			}
		}
		if t, ok := p.end(); ok {
			yield(t, nil)
		}
	}
}

// title makes a session's title of its first prompt.
func title(text string) string {
	const most = 200
	text = strings.Join(strings.Fields(text), " ")
	return wire.CutText(strings.ToValidUTF8(text, ""), most)
}

// raw is v as JSON if it is an object, else an empty one: tools take objects.
func object(v json.RawMessage) json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(v, &o) != nil || o == nil {
		return json.RawMessage(`{}`)
	}
	return v
}
