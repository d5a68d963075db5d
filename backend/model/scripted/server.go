package scripted

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxBody is the vendor's limit of a request.
	maxBody = 32 << 20
	// defaultKeep bounds the log of requests: an agent's are 50 to 500 KB each.
	defaultKeep = 256
)

// Options configure a [Server].
type Options struct {
	// Scenarios are added to [Standard]; one with the same name replaces it.
	Scenarios []Scenario
	// Keep is how many requests the log holds; default 256.
	Keep int
}

// Server answers model requests by script. It is an [http.Handler].
type Server struct {
	scenarios map[string]Scenario
	record    *record
	mux       *http.ServeMux
	serial    string // tells the ids of this server from those of another
	ids       atomic.Int64

	mu      sync.Mutex
	refused map[string]int // how often a step was refused, by scenario and step
	cached  map[[32]byte]bool
}

// New returns a server; it starts nothing.
func New(opts Options) *Server {
	serial := make([]byte, 4)
	rand.Read(serial) // never fails
	s := &Server{
		scenarios: map[string]Scenario{},
		record:    newRecord(defaultKeep),
		mux:       http.NewServeMux(),
		serial:    hex.EncodeToString(serial),
		refused:   map[string]int{},
		cached:    map[[32]byte]bool{},
	}
	if opts.Keep > 0 {
		s.record.keep = opts.Keep
	}
	for _, sc := range append(Standard(), opts.Scenarios...) {
		s.scenarios[sc.Name] = sc
	}
	s.mux.HandleFunc("POST /v1/messages", s.answer(messages{}))
	s.mux.HandleFunc("POST /v1/messages/count_tokens", s.countTokens(messages{}))
	s.mux.HandleFunc("POST /v1/responses", s.answer(responses{}))
	s.mux.HandleFunc("POST /v1/chat/completions", s.answer(completions{}))
	s.mux.HandleFunc("GET /v1/models", s.models(messages{}))
	s.mux.HandleFunc("GET /requests", s.requests)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		n := s.record.add(Request{Method: r.Method, Path: r.URL.Path, Header: blanked(r.Header)})
		s.refuse(w, n, messages{}, Refuse{Status: http.StatusNotFound, Kind: "not_found_error", Message: "no such route"})
	})
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Serve answers on ln until ctx ends; answers that stream are then broken off.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stopped := make(chan error, 1) // one value, from the goroutine below
	stop := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if err := srv.Shutdown(grace); err != nil {
			err = errors.Join(err, srv.Close())
			stopped <- err
			return
		}
		stopped <- nil
	})
	err := srv.Serve(ln)
	if !stop() {
		err = <-stopped
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// door is one model API: it reads requests and writes answers in its words.
type door interface {
	read(body []byte) (Conversation, error)
	tools(c Conversation) Tools
	// counts is a usage as this API tells it.
	counts(u Usage) Usage
	// stream returns what writes m's answer piece by piece.
	stream(out *sse, m message) encoder
	// whole is the body of an answer that does not stream.
	whole(m message) any
	// failure is the body of an error.
	failure(f Refuse, requestID string) any
	// models is the body of the list of models.
	models() any
	// counted is the body of a count of tokens.
	counted(n int64) any
}

// message is one answer on its way out.
type message struct {
	ID      string
	Model   string
	Step    Step
	CallIDs []string // by block; empty where the block is no call
	Usage   Usage
}

// open reads and logs a request that d answers. A nil conversation means that
// the answer was given.
func (s *Server) open(w http.ResponseWriter, r *http.Request, d door) (n int, conv *Conversation) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	req := Request{Method: r.Method, Path: r.URL.Path, Header: blanked(r.Header)}
	if err == nil && json.Valid(body) {
		req.Body = body
	}
	n = s.record.add(req)
	switch {
	case err != nil && errors.As(err, new(*http.MaxBytesError)):
		s.refuse(w, n, d, Refuse{Status: http.StatusRequestEntityTooLarge, Kind: "request_too_large", Message: "Request exceeds the maximum size"})
	case err != nil:
		s.record.update(n, func(r *Request) { r.End = EndGone })
	case r.Header.Get("X-Api-Key") == "" && r.Header.Get("Authorization") == "":
		s.refuse(w, n, d, Refuse{Status: http.StatusUnauthorized, Kind: "authentication_error", Message: "no key was sent"})
	case r.Method == http.MethodGet:
		return n, &Conversation{}
	default:
		c, err := d.read(body)
		if err != nil {
			s.refuse(w, n, d, Refuse{Status: http.StatusBadRequest, Kind: "invalid_request_error", Message: err.Error()})
			return n, nil
		}
		s.record.update(n, func(r *Request) { r.Model, r.Tools = c.Model, c.Tools })
		return n, &c
	}
	return n, nil
}

func (s *Server) answer(d door) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, conv := s.open(w, r, d)
		if conv == nil {
			return
		}
		turn, step := s.choose(*conv, d)
		s.record.update(n, func(r *Request) { r.Scenario, r.Step = turn.Scenario, turn.Step })
		switch f := step.Fault.(type) {
		case Refuse:
			if s.refuses(turn, f) {
				s.refuse(w, n, d, f)
				return
			}
		case Hang:
			<-r.Context().Done()
			s.record.update(n, func(r *Request) { r.End = EndGone })
			return
		}
		m := message{ID: s.id("msg"), Model: conv.Model, Step: step, Usage: d.counts(s.usage(*conv, step))}
		for _, b := range step.Blocks {
			id := ""
			if _, ok := b.(Call); ok {
				id = s.id("toolu")
			}
			m.CallIDs = append(m.CallIDs, id)
		}
		for name, value := range step.Header {
			w.Header().Set(name, value)
		}
		w.Header().Set("Request-Id", s.id("req"))
		if !conv.Stream {
			s.record.update(n, func(r *Request) { r.Usage = m.Usage })
			s.reply(w, n, http.StatusOK, d.whole(m))
			return
		}
		s.stream(w, r, n, d, m)
	}
}

// choose returns the step that the conversation asks for.
func (s *Server) choose(conv Conversation, d door) (Turn, Step) {
	turn := conv.turn()
	turn.Tools = d.tools(conv)
	sc, ok := s.scenarios[turn.Scenario]
	if !ok {
		return turn, Step{Blocks: []Block{Text("There is no scenario " + strconv.Quote(turn.Scenario) + ".")}}
	}
	steps := sc.Steps(turn)
	step := steps[min(turn.Step, len(steps)-1)]
	if len(conv.Tools) == 0 {
		step.Blocks = withoutCalls(step.Blocks)
	}
	return turn, step
}

// withoutCalls is what a step says to an agent that offers no tools, such as one
// that wants a title.
func withoutCalls(blocks []Block) []Block {
	var said []Block
	for _, b := range blocks {
		if _, ok := b.(Call); !ok {
			said = append(said, b)
		}
	}
	if len(said) == 0 {
		said = []Block{Text("No tools were offered.")}
	}
	return said
}

// refuses counts a refusal and tells whether it still holds.
func (s *Server) refuses(t Turn, f Refuse) bool {
	if f.Times == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := t.Scenario + ":" + strconv.Itoa(t.Step)
	if s.refused[key] >= f.Times {
		delete(s.refused, key)
		return false
	}
	s.refused[key]++
	return true
}

// usage counts an answer. A prefix that was seen before comes from the cache.
func (s *Server) usage(conv Conversation, step Step) Usage {
	u := Usage{Input: conv.Count.Rest, Output: outputTokens(step.Blocks)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cached[conv.Count.prefix] {
		u.CacheRead = conv.Count.Prefix
	} else {
		u.CacheWrite = conv.Count.Prefix
		s.cached[conv.Count.prefix] = true
	}
	return u
}

func (s *Server) countTokens(d door) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if n, conv := s.open(w, r, d); conv != nil {
			s.reply(w, n, http.StatusOK, d.counted(conv.Count.total()))
		}
	}
}

func (s *Server) models(d door) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if n, conv := s.open(w, r, d); conv != nil {
			s.reply(w, n, http.StatusOK, d.models())
		}
	}
}

// requests serves the log to tests in another process, bodies left out.
func (s *Server) requests(w http.ResponseWriter, _ *http.Request) {
	reqs := s.Requests()
	for i := range reqs {
		reqs[i].Body = nil
	}
	writeJSON(w, http.StatusOK, map[string]any{"requests": reqs, "dropped": s.Dropped()})
}

func (s *Server) refuse(w http.ResponseWriter, n int, d door, f Refuse) {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	id := s.id("req")
	w.Header().Set("Request-Id", id)
	s.reply(w, n, f.Status, d.failure(f, id))
}

// reply sends a whole body and logs how that went.
func (s *Server) reply(w http.ResponseWriter, n, status int, body any) {
	end := EndWhole
	if err := writeJSON(w, status, body); err != nil {
		end = EndGone
	}
	s.record.update(n, func(r *Request) { r.Status, r.End = status, end })
}

func writeJSON(w http.ResponseWriter, status int, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Errorf("encode an answer: %w", err)) // every body is plain data
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err = w.Write(b)
	return err
}

// id returns an id that no other answer has.
func (s *Server) id(kind string) string {
	return fmt.Sprintf("%s_%s%06d", kind, s.serial, s.ids.Add(1))
}
