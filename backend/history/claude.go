package history

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"signalbox/backend/wire"
)

// claudeFiles are projects/<folder>/<session>.jsonl. The folder's name is made of
// the working folder's and cannot be read back: the lines name that.
func claudeFiles(home string) []string {
	files, _ := filepath.Glob(filepath.Join(escape(home), "projects", "*", "*.jsonl")) // the pattern is right
	return files
}

// claudeID is the file's name: a session that was forked has lines of another.
func claudeID(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") }

// escape makes a path a pattern for itself.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// claudeParser reads the sessions of Claude Code.
type claudeParser struct {
	turns

	// chain, where the whole file was looked at before, tells the lines that are
	// of the conversation as it ended from those that it went back from.
	chain map[string]bool
	calls map[string]bool // tool calls in the chain
}

type claudeLine struct {
	Type        string `json:"type"`
	UUID        string `json:"uuid"`
	Parent      string `json:"parentUuid"`
	Logical     string `json:"logicalParentUuid"`
	Session     string `json:"sessionId"`
	Time        string `json:"timestamp"`
	Cwd         string `json:"cwd"`
	Sidechain   bool   `json:"isSidechain"`
	Meta        bool   `json:"isMeta"`
	Summary     bool   `json:"isCompactSummary"`
	Failed      bool   `json:"isApiErrorMessage"`
	Source      string `json:"promptSource"`
	Custom      string `json:"customTitle"`
	SummaryText string `json:"summary"`
	Message     struct {
		ID      string  `json:"id"`
		Model   string  `json:"model"`
		Content content `json:"content"`
	} `json:"message"`
}

type claudePart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	ToolID   string          `json:"tool_use_id"`
	Content  content         `json:"content"`
	Error    bool            `json:"is_error"`
}

func (l *claudeLine) parts() []claudePart {
	var parts []claudePart
	if json.Unmarshal(l.Message.Content, &parts) != nil {
		return nil
	}
	return parts
}

// prepare finds the lines that lead to the last one: what a person went back from
// stays in the file.
func (p *claudeParser) prepare(path string) {
	type node struct {
		parent string
		index  int
	}
	nodes := map[string]node{}
	calls := map[string][]string{} // of a line
	last, index := "", 0
	for raw, err := range lines(path) {
		if err != nil {
			return
		}
		var l claudeLine
		if json.Unmarshal(raw, &l) != nil || l.UUID == "" || l.Sidechain {
			continue
		}
		if l.Parent == "" {
			l.Parent = l.Logical
		}
		index++
		nodes[l.UUID] = node{l.Parent, index}
		if l.Type == "user" || l.Type == "assistant" {
			last = l.UUID
			for _, part := range l.parts() {
				if part.Type == "tool_use" {
					calls[l.UUID] = append(calls[l.UUID], part.ID)
				}
			}
		}
	}
	p.chain, p.calls = map[string]bool{}, map[string]bool{}
	root := 0
	for id := last; id != "" && !p.chain[id]; {
		n, ok := nodes[id]
		if !ok {
			break
		}
		p.chain[id], root = true, n.index
		for _, call := range calls[id] {
			p.calls[call] = true
		}
		id = n.parent
	}
	// The chain begins anew where a conversation was summed up.
	for id, n := range nodes {
		if n.index < root {
			p.chain[id] = true
			for _, call := range calls[id] {
				p.calls[call] = true
			}
		}
	}
}

func (p *claudeParser) line(raw []byte, yield func(Turn) bool) bool {
	var l claudeLine
	if json.Unmarshal(raw, &l) != nil {
		return true
	}
	s := &p.session
	if s.ID == "" {
		s.ID = l.Session
	}
	if s.Cwd == "" && filepath.IsAbs(l.Cwd) {
		s.Cwd = l.Cwd
	}
	if l.Type == "custom-title" && l.Custom != "" {
		s.Title = title(l.Custom)
	}
	if l.Sidechain || l.Meta || l.Summary {
		return true
	}
	at := clock(l.Time)
	switch l.Type {
	case "user":
		return p.user(&l, at, yield)
	case "assistant":
		if p.chain == nil || p.chain[l.UUID] {
			p.assistant(&l, at)
		}
	}
	return true
}

func (p *claudeParser) user(l *claudeLine, at wire.Time, yield func(Turn) bool) bool {
	isResult := false
	for _, part := range l.parts() {
		if part.Type != "tool_result" {
			continue
		}
		isResult = true
		if p.calls == nil || p.calls[part.ToolID] {
			p.result(at, part.ToolID, !part.Error, part.Content.text())
		}
	}
	if isResult || p.chain != nil && !p.chain[l.UUID] || l.Source == "system" {
		return true
	}
	text := l.Message.Content.text()
	// What the program itself puts in a person's place is marked like this.
	for _, own := range []string{"<command-name>", "<command-message>", "<local-command-", "<system-reminder>", "<task-notification>", "[Request interrupted"} {
		if strings.HasPrefix(strings.TrimSpace(text), own) {
			return true
		}
	}
	if text = strings.TrimRight(text, "\n"); strings.TrimSpace(text) == "" {
		return true
	}
	return p.begin(at, text, yield)
}

func (p *claudeParser) assistant(l *claudeLine, at wire.Time) {
	if l.Failed {
		if p.open {
			p.now.Failed = valid(l.Message.Content.text())
		}
		return
	}
	if p.open && l.UUID != "" {
		p.now.ID = l.UUID
	}
	if m := l.Message.Model; m != "" && m[0] != '<' {
		p.now.Model, p.model = m, m
	}
	for _, part := range l.parts() {
		// One message lies on several lines, a part on each.
		switch item := l.UUID; part.Type {
		case "text":
			p.text(at, item, part.Text)
		case "thinking":
			p.thinking(at, item, part.Thinking)
		case "tool_use":
			p.call(at, part.ID, part.Name, part.Input)
		}
	}
}
