package kimi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"signalbox/backend/wire"
)

const (
	// recordLimit is how long the end of the turn is waited for: the CLI writes
	// it some milliseconds after it has answered.
	recordLimit = 2 * time.Second
	recordPause = 10 * time.Millisecond
	// maxRecord bounds how much of a record is read.
	maxRecord = 512 << 20
)

// record is what the CLI's own record says of the last turn of a session.
type record struct {
	ended  bool
	reason string // completed, failed, cancelled
	err    recordError
	finish string // of the last step: end_turn, max_tokens, filtered
	used   wire.Usage
	parts  []recordPart // what the main agent said, runs of one kind joined
}

type recordPart struct {
	thought bool
	text    string
}

type recordError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// recordLine is a line of the record, as far as it is used.
type recordLine struct {
	Type   string      `json:"type"`
	Time   int64       `json:"time"`
	Reason string      `json:"reason"`
	Error  recordError `json:"error"`
	Usage  struct {
		Input      int64 `json:"inputOther"`
		Output     int64 `json:"output"`
		CacheRead  int64 `json:"inputCacheRead"`
		CacheWrite int64 `json:"inputCacheCreation"`
	} `json:"usage"`
	Event struct {
		Type   string `json:"type"`
		Finish string `json:"finishReason"`
		Part   struct {
			Type  string `json:"type"`
			Text  string `json:"text"`
			Think string `json:"think"`
		} `json:"part"`
	} `json:"event"`
}

// sessionID is what the CLI calls its sessions. Nothing else becomes a part of a
// path.
var sessionID = regexp.MustCompile(`^session_[0-9a-fA-F-]{1,64}$`)

// recordReader reads the record of a session as it grows. It is used by one
// errand at a time.
type recordReader struct {
	home, session string

	file   string
	offset int64
	since  int64 // when the turn began, in milliseconds since 1970
	rec    record
	joins  bool // the next part goes on with the last one
}

// mark notes where the record ends before the prompt is given: what stands there
// is of earlier turns.
func (r *recordReader) mark() {
	r.since = time.Now().UnixMilli()
	if r.find() {
		if st, err := os.Stat(r.file); err == nil {
			r.offset = st.Size()
		}
	}
}

// wait reads the turn, as soon as its end is written. Of a record that cannot be
// read it returns what could be.
func (r *recordReader) wait(ctx context.Context) *record {
	ctx, cancel := context.WithTimeout(ctx, recordLimit)
	defer cancel()
	for !r.read() && ctx.Err() == nil {
		timer := time.NewTimer(recordPause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			r.read()
		}
	}
	r.addSubagents()
	return &r.rec
}

func (r *recordReader) find() bool {
	if r.file == "" && sessionID.MatchString(r.session) {
		found, err := filepath.Glob(filepath.Join(escapeGlob(r.home), "sessions", "*", r.session, "agents", "main", "wire.jsonl"))
		if err == nil && len(found) > 0 {
			r.file = found[0]
		}
	}
	return r.file != ""
}

// read reads on and reports whether the turn has ended.
func (r *recordReader) read() bool {
	if r.find() {
		r.offset += eachLine(r.file, r.offset, r.take)
	}
	return r.rec.ended
}

// take reads a line of the main agent.
func (r *recordReader) take(l *recordLine) {
	switch l.Type {
	case "turn.ended":
		r.rec.ended, r.rec.reason, r.rec.err = true, l.Reason, l.Error
	case "usage.record":
		r.rec.add(l)
	case "context.append_loop_event":
		p := &l.Event.Part
		switch {
		case l.Event.Type == "tool.call":
			r.joins = false // it parts what is said
		case l.Event.Type == "step.end":
			r.rec.finish = l.Event.Finish
		case l.Event.Type != "content.part":
		case p.Type == "text":
			r.say(recordPart{false, p.Text})
		case p.Type == "think":
			r.say(recordPart{true, p.Think})
		}
	}
}

func (r *recordReader) say(p recordPart) {
	if p.text == "" {
		return
	}
	n := len(r.rec.parts)
	if r.joins && n > 0 && r.rec.parts[n-1].thought == p.thought {
		r.rec.parts[n-1].text += p.text
		return
	}
	r.joins = true
	if n < maxOpen {
		r.rec.parts = append(r.rec.parts, p)
	}
}

func (r *record) add(l *recordLine) {
	r.used = plus(r.used, wire.Usage{
		Input: l.Usage.Input, Output: l.Usage.Output, CacheRead: l.Usage.CacheRead, CacheWrite: l.Usage.CacheWrite,
	})
}

// plus adds the tokens of two usages.
func plus(a, b wire.Usage) wire.Usage {
	a.Input += b.Input
	a.Output += b.Output
	a.CacheRead += b.CacheRead
	a.CacheWrite += b.CacheWrite
	return a
}

// addSubagents adds what the subagents used since the turn began.
func (r *recordReader) addSubagents() {
	if r.file == "" {
		return
	}
	agents := filepath.Dir(filepath.Dir(r.file))
	files, err := filepath.Glob(filepath.Join(escapeGlob(agents), "*", "wire.jsonl"))
	if err != nil {
		return
	}
	for _, file := range files {
		if file == r.file {
			continue
		}
		eachLine(file, 0, func(l *recordLine) {
			if l.Type == "usage.record" && l.Time >= r.since {
				r.rec.add(l)
			}
		})
	}
}

// eachLine calls f with each whole line of file from offset on and returns how
// many bytes they are. A line that cannot be read is passed over.
func eachLine(file string, offset int64, f func(*recordLine)) int64 {
	in, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer in.Close() // it is only read
	if _, err := in.Seek(offset, io.SeekStart); err != nil {
		return 0
	}
	lines := bufio.NewReaderSize(io.LimitReader(in, maxRecord), 64<<10)
	var done int64
	for {
		b, err := lines.ReadBytes('\n')
		if err != nil {
			return done // the last line is still being written
		}
		done += int64(len(b))
		var l recordLine
		if interesting(b) && json.Unmarshal(b, &l) == nil {
			f(&l)
		}
	}
}

// escapeGlob makes a path a pattern that matches itself.
func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}

// interesting tells the lines that are worth decoding.
func interesting(b []byte) bool {
	for _, word := range []string{`"turn.ended"`, `"usage.record"`, `"context.append_loop_event"`} {
		if bytes.Contains(b, []byte(word)) {
			return true
		}
	}
	return false
}
