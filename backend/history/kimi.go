package history

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"signalbox/backend/wire"
)

// kimiFiles are sessions/<folder>/<session>/agents/main/wire.jsonl.
func kimiFiles(home string) []string {
	files, _ := filepath.Glob(filepath.Join(escape(home), "sessions", "*", "session_*", "agents", "main", "wire.jsonl")) // the pattern is right
	return files
}

// kimiID is the name of the session's folder.
func kimiID(path string) string { return filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(path)))) }

// kimiParser reads the sessions of Kimi Code.
type kimiParser struct {
	turns

	items int
}

type kimiLine struct {
	Type   string  `json:"type"`
	Time   int64   `json:"time"`
	Input  content `json:"input"`
	Origin struct {
		Kind string `json:"kind"`
	} `json:"origin"`
	Environment struct {
		Cwd string `json:"cwd"`
	} `json:"environmentDisclosure"`
	Model  string `json:"model"`
	Reason string `json:"reason"`
	Error  struct {
		Message string `json:"message"`
	} `json:"error"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
	Event struct {
		Type string `json:"type"`
		Part struct {
			Type  string `json:"type"`
			Text  string `json:"text"`
			Think string `json:"think"`
		} `json:"part"`
		ToolCallID string          `json:"toolCallId"`
		Name       string          `json:"name"`
		Args       json.RawMessage `json:"args"`
		Result     struct {
			Output  content `json:"output"`
			IsError bool    `json:"isError"`
		} `json:"result"`
	} `json:"event"`
}

func (p *kimiParser) line(raw []byte, yield func(Turn) bool) bool {
	var l kimiLine
	if json.Unmarshal(raw, &l) != nil {
		return true
	}
	at := milli(l.Time)
	switch l.Type {
	case "profile.bind":
		if filepath.IsAbs(l.Environment.Cwd) && p.session.Cwd == "" {
			p.session.Cwd = l.Environment.Cwd
		}
	case "turn.prompt":
		text := l.Input.text()
		if l.Origin.Kind == "user" && strings.TrimSpace(text) != "" {
			return p.begin(at, text, yield)
		}
	case "llm.request":
		if l.Model != "" {
			p.model, p.now.Model = l.Model, l.Model
		}
	case "turn.ended":
		if l.Reason == "failed" && p.open {
			if p.now.Failed = valid(l.Error.Message); p.now.Failed == "" {
				p.now.Failed = "The turn failed."
			}
		}
	case "tools.update_store":
		p.todo(&l, at)
	case "context.append_loop_event":
		p.loop(&l, at)
	}
	return true
}

func (p *kimiParser) loop(l *kimiLine, at wire.Time) {
	switch ev := &l.Event; ev.Type {
	case "content.part":
		p.items++
		item := "k" + strconv.Itoa(p.items)
		if ev.Part.Type == "think" {
			p.thinking(at, item, ev.Part.Think)
		} else {
			p.text(at, item, ev.Part.Text)
		}
	case "tool.call":
		p.call(at, ev.ToolCallID, ev.Name, ev.Args)
	case "tool.result":
		p.result(at, ev.ToolCallID, !ev.Result.IsError, ev.Result.Output.text())
	}
}

func (p *kimiParser) todo(l *kimiLine, at wire.Time) {
	var items []struct {
		Title  string `json:"title"`
		Status string `json:"status"`
	}
	if l.Key != "todo" || json.Unmarshal(l.Value, &items) != nil {
		return
	}
	todo := wire.Todo{Items: []wire.TodoItem{}}
	size := 0
	for _, it := range items {
		status := wire.TodoPending
		switch it.Status {
		case "in_progress":
			status = wire.TodoInProgress
		case "done", "completed":
			status = wire.TodoCompleted
		}
		todo.Items = append(todo.Items, wire.TodoItem{Text: valid(it.Title), Status: status})
		size += len(it.Title)
	}
	p.add(at, size, todo)
}
