package httpd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"signalbox/backend/access"
	"signalbox/backend/agent"
	"signalbox/backend/auth"
	"signalbox/backend/catalog"
	"signalbox/backend/draft"
	"signalbox/backend/eventlog"
	"signalbox/backend/httpd"
	"signalbox/backend/index"
	"signalbox/backend/preference"
	"signalbox/backend/runhub"
	"signalbox/backend/skill"
	"signalbox/backend/wire"
	"signalbox/backend/workdir"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// scripted is an agent that does what the prompt's first word says: "say n"
// tells n notices, "wait" waits for release, "ask" and "question" ask people,
// anything else ends at once.
type scripted struct{ release chan struct{} } // closed by the test

func (s *scripted) Info() agent.Info {
	modes := []agent.ModePolicy{}
	for _, m := range wire.Modes() {
		modes = append(modes, agent.ModePolicy{Mode: m, Policy: "Does as told"})
	}
	return agent.Info{ID: "scripted", Name: "Scripted", Models: []agent.Choice{}, Efforts: []agent.Choice{}, Tiers: []agent.Choice{}, Modes: modes}
}

func (s *scripted) Probe(context.Context) agent.Status { return agent.Status{State: agent.StateReady} }

func (s *scripted) Run(ctx context.Context, req agent.Request, host agent.Host) (agent.Result, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(req.Text), " ")
	switch word {
	case "say":
		n, err := strconv.Atoi(rest)
		if err != nil {
			return agent.Result{}, err
		}
		for i := range n {
			notice := wire.System{Level: wire.LevelInfo, Code: "said", Text: fmt.Sprintf("%d %s", i, strings.Repeat("—", 300))}
			if err := host.Emit(notice); err != nil {
				return agent.Result{}, err
			}
		}
	case "ask", "question":
		ask := agent.Ask{Kind: wire.ApprovalCommand, Tool: "Bash", Title: "make", Cwd: req.Cwd}
		if word == "question" {
			ask = agent.Ask{Kind: wire.ApprovalQuestion, Questions: []wire.QuestionItem{
				{Question: "Which?", MultiSelect: true, Options: []wire.QuestionOption{{Label: "A"}, {Label: "B"}}},
			}}
		}
		got, err := host.Ask(ctx, ask)
		if err != nil {
			return agent.Result{Status: wire.StatusCancelled}, nil
		}
		heard := fmt.Sprint(got.Allow, got.Answers, got.Reason)
		if err := host.Emit(wire.System{Level: wire.LevelInfo, Code: "heard", Text: heard}); err != nil {
			return agent.Result{}, err
		}
	case "wait":
		select {
		case <-s.release:
		case <-ctx.Done():
			return agent.Result{Status: wire.StatusCancelled}, nil
		}
	}
	return agent.Result{Status: wire.StatusOK}, nil
}

// daemon is a whole one on a loopback port.
type daemon struct {
	t      *testing.T
	dir    string
	addr   string
	agent  *scripted
	auth   *auth.Auth
	logs   *eventlog.Store
	index  *index.Index
	people *preference.Store
	chats  *catalog.Catalog
	srv    *httpd.Server
	log    *logBuffer

	addrs atomic.Int32

	stop   func() // of the server alone
	served chan error
	all    func() // ends everything
}

// logBuffer keeps what is logged.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// setup is what a test may change of a daemon.
type setup struct {
	dir    string // default a new one
	opts   httpd.Options
	homes  map[wire.AgentID]string // of agents' sessions
	skills map[wire.AgentID]skill.Places
	hub    func(httpd.Hub) httpd.Hub       // wraps the hub
	listen func(net.Listener) net.Listener // wraps the listener
}

func start(t *testing.T, with ...func(*setup)) *daemon {
	t.Helper()
	var cfg setup
	for _, f := range with {
		f(&cfg)
	}
	if cfg.dir == "" {
		cfg.dir = t.TempDir()
	}
	d := &daemon{t: t, dir: cfg.dir, agent: &scripted{release: make(chan struct{})}, log: &logBuffer{}}
	log := slog.New(slog.NewTextHandler(d.log, &slog.HandlerOptions{Level: slog.LevelDebug}))

	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	d.auth, err = auth.Open(cfg.dir, auth.Options{Log: log, Cost: auth.Cost{MemoryKiB: 8, Passes: 1}})
	must(err)
	d.logs, err = eventlog.Open(cfg.dir, eventlog.Options{Log: log})
	must(err)
	d.chats, err = catalog.Open(d.logs, catalog.Options{Log: log})
	must(err)
	agents, err := agent.NewRegistry(d.agent)
	must(err)
	d.people, err = preference.Open(cfg.dir, preference.Options{Log: log})
	must(err)
	hub := runhub.New(d.logs, d.chats, agents, runhub.Options{Version: "test", Settings: d.people.Get, Log: log})
	must(hub.Recover(t.Context()))

	var lower, upper sync.WaitGroup
	background, endBackground := context.WithCancel(context.Background())
	hubCtx, endHub := context.WithCancel(context.Background())
	lower.Go(func() { _ = d.logs.Run(background) })
	d.index = index.New(d.logs, filepath.Join(cfg.dir, "index.db"), index.Options{Log: log, Delay: time.Millisecond})
	lower.Go(func() { _ = d.index.Run(background) })
	upper.Go(func() { _ = hub.Run(hubCtx) })

	var door httpd.Hub = hub
	if cfg.hub != nil {
		door = cfg.hub(hub)
	}
	cfg.opts.Log, cfg.opts.Version = log, "test"
	d.srv, err = httpd.New(httpd.Deps{Auth: d.auth, Hub: door, Chats: d.chats, Logs: d.logs, Index: d.index, Homes: cfg.homes, Agents: agents, Skills: skill.New(cfg.skills), Files: workdir.New(workdir.Options{}), Drafts: draft.New(d.logs.Dir, draft.Options{Log: log}), People: d.people}, cfg.opts)
	must(err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	d.addr = l.Addr().String()
	if cfg.listen != nil {
		l = cfg.listen(l)
	}
	srvCtx, endServer := context.WithCancel(context.Background())
	d.stop, d.served = endServer, make(chan error, 1)
	go func() { d.served <- d.srv.Run(srvCtx, l) }()

	d.all = sync.OnceFunc(func() {
		endServer()
		if err := <-d.served; err != nil {
			t.Errorf("serving ended with %v", err)
		}
		endHub()
		upper.Wait()
		endBackground()
		lower.Wait()
		if err := d.logs.Close(); err != nil {
			t.Errorf("close logs: %v", err)
		}
	})
	t.Cleanup(d.all)
	return d
}

// person is an account with a session.
type person struct {
	d      *daemon
	secret string
	token  string // in place of a session
	who    wire.Person
}

const password = "canary-password-0b5e"

// signIn makes an account if there is none of the name, and a session.
func (d *daemon) signIn(name string, role access.Role) person {
	d.t.Helper()
	_, err := d.auth.AddUser(d.t.Context(), name, password, role)
	if err != nil && !strings.Contains(err.Error(), "conflict") {
		d.t.Fatal(err)
	}
	// Each from an address of its own, which no limit counts together.
	n := d.addrs.Add(1)
	id, secret, err := d.auth.SignIn(d.t.Context(), name, password,
		auth.Browser{Addr: fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)})
	if err != nil {
		d.t.Fatal(err)
	}
	return person{d: d, secret: secret, who: id.Person}
}

func (d *daemon) chat(p person) wire.ChatID {
	d.t.Helper()
	m, err := d.chats.Create(p.who, catalog.New{})
	if err != nil {
		d.t.Fatal(err)
	}
	return m.ID
}

func (d *daemon) url(path string) string { return "http://" + d.addr + path }

// request is one that our own page would make.
func (p person) request(method, path, body string) *http.Request {
	p.d.t.Helper()
	r, err := http.NewRequestWithContext(p.d.t.Context(), method, p.d.url(path), strings.NewReader(body))
	if err != nil {
		p.d.t.Fatal(err)
	}
	r.Header.Set("Origin", "http://"+p.d.addr)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if p.secret != "" {
		r.AddCookie(&http.Cookie{Name: "signalbox_session", Value: p.secret})
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	return r
}

// client makes each request on a connection of its own, which no test leaks.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

type reply struct {
	status int
	header http.Header
	body   []byte
}

func (d *daemon) do(r *http.Request) reply {
	d.t.Helper()
	resp, err := client.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, b}
}

func (p person) call(method, path, body string) reply {
	p.d.t.Helper()
	return p.d.do(p.request(method, path, body))
}

// read decodes the answer, which must have the status.
func read[T any](t *testing.T, r reply, status int) T {
	t.Helper()
	var v T
	if r.status != status {
		t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	if err := json.Unmarshal(r.body, &v); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
	return v
}

// tap is a client's end of a socket; it takes lines apart.
type tap struct {
	t     *testing.T
	ws    *websocket.Conn
	lines []string
}

func (p person) socket(path string) *tap {
	p.d.t.Helper()
	c, resp, err := p.dial(path)
	if err != nil {
		p.d.t.Fatalf("dial %s: %v (%v)", path, err, resp)
	}
	return c
}

func (p person) dial(path string) (*tap, *http.Response, error) {
	h := http.Header{"Origin": {"http://" + p.d.addr}}
	if p.secret != "" {
		h.Set("Cookie", "signalbox_session="+p.secret)
	}
	if p.token != "" {
		h.Set("Authorization", "Bearer "+p.token)
	}
	ctx, cancel := context.WithTimeout(p.d.t.Context(), patience)
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, "ws://"+p.d.addr+path, &websocket.DialOptions{HTTPHeader: h, HTTPClient: client})
	if err != nil {
		return nil, resp, err
	}
	ws.SetReadLimit(80 << 20)
	c := &tap{t: p.d.t, ws: ws}
	p.d.t.Cleanup(func() { _ = ws.CloseNow() })
	return c, resp, nil
}

// next returns the next line, or the error that ended the socket.
func (c *tap) next() (string, error) {
	for len(c.lines) == 0 {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		_, b, err := c.ws.Read(ctx)
		cancel()
		if err != nil {
			return "", err
		}
		c.lines = strings.Split(string(b), "\n")
	}
	line := c.lines[0]
	c.lines = c.lines[1:]
	return line, nil
}

// message is what tests look at of a line.
type message struct {
	Seq    uint64      `json:"seq"`
	Type   wire.Type   `json:"type"`
	Run    wire.RunID  `json:"run"`
	ID     string      `json:"id"`
	OK     bool        `json:"ok"`
	Reason string      `json:"reason"`
	Epoch  uint64      `json:"epoch"`
	Error  *wire.Fault `json:"error"`
	Result *wire.PromptResult
	Chat   json.RawMessage
	N      int64
	line   string
}

func (c *tap) message() (message, error) {
	line, err := c.next()
	if err != nil {
		return message{}, err
	}
	m := message{line: line}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		c.t.Fatalf("%v in %.200q", err, line)
	}
	return m, nil
}

// until reads on to the first message that is wanted and returns all of them.
func (c *tap) until(want func(message) bool) []message {
	c.t.Helper()
	var all []message
	for {
		m, err := c.message()
		if err != nil {
			c.t.Fatalf("socket ended: %v, after %v", err, types(all))
		}
		all = append(all, m)
		if want(m) {
			return all
		}
	}
}

// ack reads on to the ack of a command.
func (c *tap) ack(id string) message {
	c.t.Helper()
	all := c.until(func(m message) bool { return m.Type == wire.TypeAck && (id == "" || m.ID == id) })
	return all[len(all)-1]
}

func ofType(t wire.Type) func(message) bool {
	return func(m message) bool { return m.Type == t }
}

// idle is the sync that says that nothing runs.
func idle(m message) bool {
	return m.Type == wire.TypeSync && strings.Contains(m.line, `"running":false`)
}

func types(all []message) []wire.Type {
	var list []wire.Type
	for _, m := range all {
		list = append(list, m.Type)
	}
	return list
}

func (c *tap) send(format string, args ...any) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.ws.Write(ctx, websocket.MessageText, []byte(fmt.Sprintf(format, args...))); err != nil {
		c.t.Fatal(err)
	}
}

// closed reads to the end and returns the close code.
func (c *tap) closed() int {
	for {
		if _, err := c.next(); err != nil {
			var end websocket.CloseError
			if errors.As(err, &end) {
				return int(end.Code)
			}
			return -1
		}
	}
}

// eventually waits until what is said holds.
func (d *daemon) eventually(what string, holds func() bool) {
	d.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-limit.C:
			d.t.Fatalf("never came true: %s", what)
		}
	}
}

// say lets the agent tell n notices and waits for the end of the run.
func (d *daemon) say(p person, chat wire.ChatID, n int) {
	d.t.Helper()
	r := p.request(http.MethodPost, "/api/chats/"+string(chat)+"/messages", fmt.Sprintf(`{"text":"say %d"}`, n))
	r.Header.Set("Accept", "text/event-stream")
	got := d.do(r)
	if got.status != http.StatusOK || !strings.Contains(string(got.body), `"type":"complete"`) {
		d.t.Fatalf("run ended with %d: %s", got.status, got.body)
	}
	// The lock is freed just after the end is told.
	s := p.socket("/ws/chat/" + string(chat))
	s.until(idle)
	_ = s.ws.CloseNow()
}
