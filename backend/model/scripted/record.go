package scripted

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
)

// End is how the answer to a request ended.
type End string

// The ends of an answer.
const (
	EndOpen  End = ""      // not yet
	EndWhole End = "whole" // sent to its end, an error status included
	EndCut   End = "cut"   // broken off by the script
	EndGone  End = "gone"  // the client left first
)

// Request is a request as the server saw it.
type Request struct {
	N        int             `json:"n"` // from 0
	Method   string          `json:"method"`
	Path     string          `json:"path"`
	Header   http.Header     `json:"header"` // credentials blanked
	Body     json.RawMessage `json:"body,omitempty"`
	Model    string          `json:"model,omitempty"`
	Scenario string          `json:"scenario,omitempty"`
	Step     int             `json:"step"`
	Tools    []string        `json:"tools,omitempty"`
	Status   int             `json:"status"` // 0 while nothing was sent
	// Usage is what the answer said that it cost; zero where it said nothing.
	Usage Usage `json:"usage"`
	End   End   `json:"end"`
}

// record is the log of requests.
type record struct {
	keep int

	mu      sync.Mutex
	kept    []Request // ascending by N
	next    int
	changed chan struct{} // closed and replaced at each change
}

func newRecord(keep int) *record {
	return &record{keep: keep, changed: make(chan struct{})}
}

// add logs a request and returns its number.
func (r *record) add(req Request) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	req.N = r.next
	r.next++
	if len(r.kept) == r.keep {
		r.kept = append(r.kept[:0], r.kept[1:]...)
	}
	r.kept = append(r.kept, req)
	r.wakeLocked()
	return req.N
}

// update changes the request n, unless it was dropped meanwhile.
func (r *record) update(n int, change func(*Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := len(r.kept) - (r.next - n)
	if i < 0 {
		return
	}
	change(&r.kept[i])
	r.wakeLocked()
}

func (r *record) wakeLocked() {
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *record) snapshot() ([]Request, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Request(nil), r.kept...), r.changed
}

// Requests returns the requests that the log still holds, oldest first.
func (s *Server) Requests() []Request {
	reqs, _ := s.record.snapshot()
	return reqs
}

// Dropped returns how many requests the log no longer holds.
func (s *Server) Dropped() int {
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	return s.record.next - len(s.record.kept)
}

// Wait returns the first request of the log that match accepts, as soon as there
// is one. It returns ctx's cause when ctx ends first.
func (s *Server) Wait(ctx context.Context, match func(Request) bool) (Request, error) {
	for {
		reqs, changed := s.record.snapshot()
		for _, req := range reqs {
			if match(req) {
				return req, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Request{}, context.Cause(ctx)
		}
	}
}

// credentials are the headers whose values are never logged.
var credentials = []string{"Authorization", "X-Api-Key", "Proxy-Authorization", "Cookie"}

// blanked returns h without secrets.
func blanked(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range credentials {
		if h.Get(name) != "" {
			h.Set(name, "[redacted]")
		}
	}
	return h
}
