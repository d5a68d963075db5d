package httpd

import (
	"bytes"
	"encoding/json"
	"slices"

	"signalbox/backend/wire"
)

// ender recognizes the end of what a stream is about. The zero value never does.
type ender struct {
	// The prompt that the stream is about, and its run once it has one.
	clientID string
	run      wire.RunID

	ended bool       // the run's complete was sent
	holds wire.RunID // the run that holds the lock
	left  bool       // the prompt waits no more
	there uint64     // the last event that there was when the stream began
}

// line takes an event and reports whether it is the last.
func (e *ender) line(line []byte) bool {
	if e.clientID == "" {
		return false
	}
	if e.run == "" && bytes.Contains(line, []byte(`"user"`)) {
		if env, ev, err := wire.Decode(line); err == nil {
			if u, ok := ev.(wire.User); ok && u.ClientID == e.clientID {
				e.run = env.Run
			}
		}
	}
	if e.run != "" && bytes.Contains(line, []byte(`"complete"`)) {
		env, _, err := wire.Decode(line)
		e.ended = e.ended || err == nil && env.Type == wire.TypeComplete && env.Run == e.run
	}
	return e.over()
}

// frame takes a frame and reports whether it is the last: the lock is free again.
func (e *ender) frame(frame []byte) bool {
	if e.clientID == "" {
		return false
	}
	var f struct {
		Type    wire.Type         `json:"type"`
		Running bool              `json:"running"`
		Run     wire.RunID        `json:"run"`
		Items   []wire.QueuedItem `json:"items"`
		LastSeq uint64            `json:"lastSeq"`
	}
	if err := json.Unmarshal(frame, &f); err != nil {
		return false // not ours
	}
	switch f.Type {
	case wire.TypeConnected:
		e.there = f.LastSeq
	case wire.TypeSync:
		if e.holds = ""; f.Running {
			e.holds = f.Run
		}
	case wire.TypeQueue:
		e.left = !slices.ContainsFunc(f.Items, func(it wire.QueuedItem) bool { return it.ClientID == e.clientID })
	}
	return e.over()
}

// upto takes how far the stream has come and reports whether the prompt will never
// be sent: it left the queue, and the event that would say so is not there.
func (e *ender) upto(seq uint64) bool {
	return e.clientID != "" && e.left && e.run == "" && seq >= e.there
}

// over reports whether the run has ended and holds the lock no more. States may be
// late: a run that holds the lock and is older than this one, as ids say, had it
// before. What is sent next waits for the lock in any case.
func (e *ender) over() bool { return e.ended && (e.holds == "" || e.holds > e.run) }
