package httpd_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"signalbox/backend/access"
	"signalbox/backend/httpd"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// A22, A33: the order on a socket, one ack to the sender alone, the same events
// in the same order for all who watch.
func TestChatSocket_twoBrowsersSeeTheSame(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob := d.signIn("ann", access.Admin), d.signIn("bob", access.Member)
	chat := d.chat(ann)
	a, b := ann.socket("/ws/chat/"+string(chat)), bob.socket("/ws/chat/"+string(chat))

	for _, s := range []*tap{a, b} {
		first, second := s.until(ofType(wire.TypeConnected)), s.until(ofType(wire.TypeSync))
		if len(first) != 1 || len(second) != 1 {
			t.Errorf("order is %v %v", types(first), types(second))
		}
	}
	a.send(`{"type":"prompt","id":"k1","text":"say 50"}`)
	fromA, fromB := a.until(idle), b.until(idle)
	logged := func(all []message) (lines []string) {
		for _, m := range all {
			if m.Seq > 0 {
				lines = append(lines, m.line)
			}
		}
		return lines
	}
	if diff := cmp.Diff(logged(fromA), logged(fromB)); diff != "" {
		t.Errorf("the two differ (-ann +bob):\n%s", diff)
	}
	acks := 0
	for _, m := range fromA {
		if m.Type == wire.TypeAck {
			acks++
			if m.ID != "k1" || !m.OK || m.Result == nil || m.Result.Run == "" || m.Result.Seq == 0 {
				t.Errorf("ack is %s", m.line)
			}
		}
	}
	if acks != 1 {
		t.Errorf("the sender got %d acks", acks)
	}
	for _, m := range fromB {
		if m.Type == wire.TypeAck {
			t.Errorf("the other got %s", m.line)
		}
	}
	for i, m := range logged(fromA) {
		if want := fmt.Sprintf(`{"seq":%d,`, i+1); !strings.HasPrefix(m, want) {
			t.Fatalf("line %d begins %.20q", i, m)
		}
	}
}

// T6: an old socket's end does not touch the new one.
func TestChatSocket_oldOneClosesAfterTheNewOneOpened(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := d.chat(ann)
	s1 := ann.socket("/ws/chat/" + string(chat))
	s1.until(ofType(wire.TypePresence))
	s2 := ann.socket("/ws/chat/" + string(chat))
	s2.until(ofType(wire.TypePresence))
	_ = s1.ws.CloseNow()
	d.eventually("one connection is left", func() bool { return d.srv.Connections() == 1 })

	s2.send(`{"type":"prompt","text":"say 3"}`)
	if got := s2.until(idle); got[len(got)-1].Type != wire.TypeSync {
		t.Errorf("got %v", types(got))
	}
	if n := d.srv.Connections(); n != 1 {
		t.Errorf("%d connections are counted", n)
	}
}

// T7: what each cursor gets, and that it is never a silent full replay.
func TestChatSocket_since(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := d.chat(ann)
	d.say(ann, chat, 300)
	d.say(ann, chat, 300) // where the last page begins
	log, err := d.logs.Log(chat)
	if err != nil {
		t.Fatal(err)
	}
	end := log.End()
	tests := []struct {
		since  string
		status int // other than 101
		reset  string
		first  uint64 // the first event; 0: none before the live ones
	}{
		{since: fmt.Sprintf("%d:%d", end.Epoch, end.Seq)},
		{since: fmt.Sprintf("%d:%d", end.Epoch, end.Seq-1), first: end.Seq},
		{since: fmt.Sprintf("%d:%d", end.Epoch, end.Seq-100), first: end.Seq - 99},
		{since: fmt.Sprintf("%d:%d", end.Epoch, end.Seq+1), reset: wire.ResetAhead},
		{since: fmt.Sprintf("%d:%d", end.Epoch, end.Seq+1_000_000), reset: wire.ResetAhead},
		{since: fmt.Sprintf("%d:%d", end.Epoch+1, end.Seq), reset: wire.ResetStale},
		{since: "-1:3", status: http.StatusBadRequest},
		{since: "1:-3", status: http.StatusBadRequest},
		{since: "+1:3", status: http.StatusBadRequest},
		{since: "1:03", status: http.StatusBadRequest},
		{since: "7", status: http.StatusBadRequest},
		{since: "abc", status: http.StatusBadRequest},
		{since: "1:2:3", status: http.StatusBadRequest},
		{since: "%20", status: http.StatusBadRequest},
		{since: "1:99999999999999999999999", status: http.StatusBadRequest},
	}
	for _, tt := range tests {
		path := "/ws/chat/" + string(chat) + "?since=" + tt.since
		if tt.status != 0 {
			_, resp, err := ann.dial(path)
			if err == nil || resp.StatusCode != tt.status {
				t.Errorf("since=%s: %v, want status %d", tt.since, resp, tt.status)
			}
			continue
		}
		s := ann.socket(path)
		// The socket answers in order: what comes before the pong is the replay.
		s.until(ofType(wire.TypePresence))
		var first, n uint64
		var reset string
		if tt.first != 0 || tt.reset != "" {
			for _, m := range s.until(func(m message) bool { return m.Seq == end.Seq }) {
				if m.Type == wire.TypeReset {
					reset = m.Reason
				}
				if m.Seq > 0 {
					n++
					if first == 0 {
						first = m.Seq
					}
				}
			}
		}
		if reset != tt.reset {
			t.Errorf("since=%s: reset %q, want %q", tt.since, reset, tt.reset)
		}
		if tt.reset == "" && first != tt.first {
			t.Errorf("since=%s: first event is %d, want %d", tt.since, first, tt.first)
		}
		if tt.reset != "" && n >= end.Seq {
			t.Errorf("since=%s: all %d events came, without a word", tt.since, n)
		}
		// Nothing was sent twice: what follows is live.
		s.send(`{"type":"ping","n":7}`)
		for _, m := range s.until(ofType(wire.TypePong)) {
			if m.Seq > 0 || m.Type == wire.TypeReset {
				t.Errorf("since=%s: %s follows the replay", tt.since, m.line)
			}
		}
		_ = s.ws.CloseNow()
	}
}

// A browser that is cut off in the middle of a batch and comes back with the last
// event that it has gets exactly the rest.
func TestChatSocket_reconnectGetsExactlyWhatWasMissed(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := d.chat(ann)
	whole := ann.socket("/ws/chat/" + string(chat))
	whole.send(`{"type":"prompt","text":"say 300"}`)

	var got []string
	epoch, last := uint64(0), uint64(0)
	path := "/ws/chat/" + string(chat)
	for drops, done := 0, false; !done; drops++ {
		p := path
		if epoch > 0 {
			p += fmt.Sprintf("?since=%d:%d", epoch, last)
		}
		s := ann.socket(p)
		for n := 0; n < 37; {
			m, err := s.message()
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case m.Type == wire.TypeConnected:
				epoch = m.Epoch
			case m.Type == wire.TypeReset:
				t.Fatalf("a reset after %d: %s", last, m.line)
			case m.Seq > 0:
				got, last = append(got, m.line), m.Seq
				n++
			}
			if done = m.Type == wire.TypeComplete; done {
				break
			}
		}
		_ = s.ws.CloseNow() // what else the batch held is lost on the way
	}
	var want []string
	for _, m := range whole.until(ofType(wire.TypeComplete)) {
		if m.Seq > 0 {
			want = append(want, m.line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-one socket +many):\n%s", diff)
	}
}

// T10: one client id, one prompt.
func TestPrompt_sameClientID(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := d.chat(ann)
	s := ann.socket("/ws/chat/" + string(chat))
	send := func(s *tap, id, text string) message {
		t.Helper()
		s.send(`{"type":"prompt","id":%q,"clientId":"m1","text":%q}`, id, text)
		return s.ack(id)
	}
	// At once, without waiting for the first ack.
	s.send(`{"type":"prompt","id":"k1","clientId":"m1","text":"say 2"}`)
	s.send(`{"type":"prompt","id":"k2","clientId":"m1","text":"say 2"}`)
	first, second := s.ack("k1"), s.ack("k2")
	if !first.OK || !second.OK {
		t.Fatalf("acks are %s and %s", first.line, second.line)
	}
	if diff := cmp.Diff(first.Result, second.Result); diff != "" {
		t.Errorf("the second ack differs:\n%s", diff)
	}
	// Over a new connection.
	s = ann.socket("/ws/chat/" + string(chat))
	if again := send(s, "k3", "say 2"); !again.OK || *again.Result != *first.Result {
		t.Errorf("after a reconnect: %s", again.line)
	}
	if other := send(s, "k4", "say 3"); other.OK || other.Error.Code != "conflict" {
		t.Errorf("with another text: %s", other.line)
	}
	// And by the REST twin.
	got := read[wire.PromptResult](t, ann.call(http.MethodPost, "/api/chats/"+string(chat)+"/messages",
		`{"clientId":"m1","text":"say 2"}`), http.StatusAccepted)
	if got != *first.Result {
		t.Errorf("over REST: %+v", got)
	}
	if r := ann.call(http.MethodPost, "/api/chats/"+string(chat)+"/messages", `{"clientId":"m1","text":"x"}`); r.status != http.StatusConflict {
		t.Errorf("over REST with another text: %d %s", r.status, r.body)
	}
	// After a restart.
	d.all()
	d = start(t, func(c *setup) { c.dir = d.dir })
	ann = d.signIn("ann", access.Admin)
	s = ann.socket("/ws/chat/" + string(chat))
	if again := send(s, "k5", "say 2"); !again.OK || *again.Result != *first.Result {
		t.Errorf("after a restart: %s", again.line)
	}
	users := 0
	log, err := d.logs.Log(chat)
	if err != nil {
		t.Fatal(err)
	}
	for line, err := range log.Events(0) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(line), `"type":"user"`) {
			users++
		}
	}
	if users != 1 {
		t.Errorf("the log has %d prompts", users)
	}
}

func TestPrompt_badOnes_areAckedAndTheSocketLives(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	s := ann.socket("/ws/chat/" + string(d.chat(ann)))
	tests := []struct{ name, frame, id, code string }{
		{"unknown command", `{"type":"dance","id":"k"}`, "k", "invalid"},
		{"unknown field", `{"type":"prompt","id":"k","text":"x","txet":"y"}`, "k", "invalid"},
		{"no text", `{"type":"prompt","id":"k"}`, "k", "invalid"},
		{"text is a number", `{"type":"prompt","id":"k","text":7}`, "k", "invalid"},
		{"empty text", `{"type":"prompt","id":"k","text":" \n"}`, "k", "invalid"},
		{"no id", `{"type":"prompt","text":""}`, "", "invalid"},
		{"id is a number", `{"type":"prompt","id":7,"text":""}`, "", "invalid"},
		{"unknown mode", `{"type":"prompt","id":"k","text":"x","mode":"yolo"}`, "k", "invalid"},
		{"unknown agent", `{"type":"prompt","id":"k","text":"x","agent":"nobody"}`, "k", "invalid"},
		{"unknown whenBusy", `{"type":"prompt","id":"k","text":"x","whenBusy":"maybe"}`, "k", "invalid"},
		{"NUL", `{"type":"prompt","id":"k","text":"a\u0000"}`, "k", "invalid"},
		{"lone surrogate", `{"type":"prompt","id":"k","text":"a\ud83d"}`, "k", "invalid"},
		{"too long", `{"type":"prompt","id":"k","text":"` + strings.Repeat("a", 1<<20+1) + `"}`, "k", "too_large"},
		{"nothing to cancel", `{"type":"cancel","id":"k"}`, "k", "conflict"},
		{"run that is none", `{"type":"cancel","id":"k","run":"../x"}`, "k", "invalid"},
	}
	for _, tt := range tests {
		s.send("%s", tt.frame)
		ack := s.ack(tt.id)
		if ack.OK || ack.Error == nil || ack.Error.Code != tt.code || ack.Error.Message == "" || ack.ID == "" {
			t.Errorf("%s: %.300s", tt.name, ack.line)
		}
	}
	// A prompt of the greatest length is taken.
	s.send(`{"type":"prompt","id":"big","text":"%s"}`, strings.Repeat("a", 1<<20))
	if ack := s.ack("big"); !ack.OK {
		t.Errorf("1 MB: %.300s", ack.line)
	}
	s.send(`{"type":"ping","n":1}`)
	s.until(ofType(wire.TypePong))
}

func TestChatSocket_framesOfNoClient_closeWith4503(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := d.chat(ann)
	for _, frame := range []string{"", "hello", "{", "[]", "7", `"prompt"`, "{}", `{"type":7}`, `{"type":"dance"}`, "{\"type\":\"ping\"}\n{}"} {
		s := ann.socket("/ws/chat/" + string(chat))
		s.send("%s", frame)
		if code := s.closed(); code != 4503 {
			t.Errorf("%q closed with %d", frame, code)
		}
	}
	s := ann.socket("/ws/chat/" + string(chat))
	if err := s.ws.Write(t.Context(), websocket.MessageBinary, []byte(`{"type":"ping","n":1}`)); err != nil {
		t.Fatal(err)
	}
	if code := s.closed(); code != 4503 {
		t.Errorf("a binary frame closed with %d", code)
	}
	// A frame over the limit is acked first.
	s = ann.socket("/ws/chat/" + string(chat))
	var write sync.WaitGroup
	write.Go(func() {
		// The end may come before all of it was taken.
		_ = s.ws.Write(t.Context(), websocket.MessageText, []byte(`{"type":"prompt","id":"huge","text":"`+strings.Repeat("a", 2<<20)+`"}`))
	})
	if ack := s.ack("huge"); ack.OK || ack.Error.Code != "too_large" {
		t.Errorf("over the limit: %s", ack.line)
	}
	if code := s.closed(); code != 4503 {
		t.Errorf("a frame over the limit closed with %d", code)
	}
	write.Wait()
}

// slowHub takes no prompt before its gate opens.
type slowHub struct {
	httpd.Hub

	gate    chan struct{}
	entered chan struct{} // gets a value for each prompt that waits; nil: none
}

func (h slowHub) Prompt(ctx context.Context, chat wire.ChatID, by wire.Person, p runhub.Prompt) (wire.PromptResult, error) {
	select {
	case h.entered <- struct{}{}:
	default:
	}
	select {
	case <-h.gate:
		return h.Hub.Prompt(ctx, chat, by, p)
	case <-ctx.Done():
		return wire.PromptResult{}, context.Cause(ctx)
	}
}

// A22: a prompt that is slow to be taken blocks neither the socket nor a cancel,
// and not without end many may wait.
func TestChatSocket_slowPrompt_doesNotBlockTheSocket(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	d := start(t, func(c *setup) { c.hub = func(h httpd.Hub) httpd.Hub { return slowHub{Hub: h, gate: gate} } })
	ann := d.signIn("ann", access.Admin)
	s := ann.socket("/ws/chat/" + string(d.chat(ann)))
	s.send(`{"type":"prompt","id":"slow","text":"hello"}`)
	s.send(`{"type":"ping","n":1}`)
	s.send(`{"type":"cancel","id":"c"}`)
	for _, m := range s.until(func(m message) bool { return m.ID == "c" }) {
		if m.ID == "slow" {
			t.Fatalf("the prompt was acked first: %s", m.line)
		}
	}
	const more = 30
	for i := range more {
		s.send(`{"type":"prompt","id":"more%d","text":"hello"}`, i)
	}
	if m := s.ack(""); m.OK || m.Error.Code != "rate_limited" {
		t.Errorf("with %d prompts under way: %s", more, m.line)
	}
	close(gate)
	if m := s.ack("slow"); !m.OK {
		t.Errorf("the slow prompt: %s", m.line)
	}
}

func TestCancel_stopsTheRunAndAllSeeIt(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob := d.signIn("ann", access.Admin), d.signIn("bob", access.Member)
	chat := d.chat(ann)
	a, b := ann.socket("/ws/chat/"+string(chat)), bob.socket("/ws/chat/"+string(chat))
	a.send(`{"type":"prompt","id":"k","text":"wait"}`)
	ack := a.ack("k")

	// A second prompt is refused to its sender alone, and names the run.
	b.send(`{"type":"prompt","id":"late","text":"me too","whenBusy":"reject"}`)
	if m := b.ack("late"); m.OK || m.Error.Code != "busy" || m.Error.Run != ack.Result.Run {
		t.Errorf("a prompt to a busy chat: %s", m.line)
	}
	r := bob.call(http.MethodPost, "/api/chats/"+string(chat)+"/messages", `{"text":"me too","whenBusy":"reject"}`)
	if p := read[contract.Problem](t, r, http.StatusConflict); p.Code != "busy" || p.Run != ack.Result.Run {
		t.Errorf("the same over REST: %s", r.body)
	}
	b.send(`{"type":"cancel","id":"c","run":%q}`, ack.Result.Run)
	if m := b.ack("c"); !m.OK {
		t.Errorf("cancel: %s", m.line)
	}
	for _, s := range []*tap{a, b} {
		all := s.until(ofType(wire.TypeComplete))
		if end := all[len(all)-1]; !strings.Contains(end.line, `"status":"cancelled"`) {
			t.Errorf("the run ended with %s", end.line)
		}
	}
	a.until(idle)
	if r := ann.call(http.MethodPost, "/api/chats/"+string(chat)+"/cancel", ""); r.status != http.StatusConflict {
		t.Errorf("cancel with nothing to stop: %d %s", r.status, r.body)
	}
}
