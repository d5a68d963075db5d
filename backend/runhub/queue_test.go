package runhub_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// send gives a prompt as it comes from a client that says nothing else.
func (w *world) send(id wire.ChatID, by wire.Person, clientID, whenBusy string) (wire.PromptResult, error) {
	w.t.Helper()
	return w.hub.Prompt(w.t.Context(), id, by, runhub.Prompt{ClientID: clientID, Text: "text of " + clientID, WhenBusy: whenBusy})
}

// enqueue gives prompts that have to wait.
func (w *world) enqueue(id wire.ChatID, clientIDs ...string) {
	w.t.Helper()
	for _, c := range clientIDs {
		if res, err := w.send(id, ann, c, ""); err != nil || res.Queued == 0 || res.Run != "" {
			w.t.Fatalf("prompt %s = %+v, %v; want it queued", c, res, err)
		}
	}
}

func (w *world) queue(id wire.ChatID) wire.Queue {
	w.t.Helper()
	q, err := w.hub.Queue(id)
	if err != nil {
		w.t.Fatal(err)
	}
	return q
}

// waiting returns the client ids of what waits, and why it does.
func (w *world) waiting(id wire.ChatID) (ids, paused string) {
	w.t.Helper()
	q := w.queue(id)
	var all []string
	for _, it := range q.Items {
		all = append(all, it.ClientID)
	}
	if q.Paused != nil {
		paused = q.Paused.Reason
	}
	return strings.Join(all, " "), paused
}

func (w *world) wantQueue(id wire.ChatID, ids, paused string) {
	w.t.Helper()
	if gotIDs, gotPaused := w.waiting(id); gotIDs != ids || gotPaused != paused {
		w.t.Errorf("queue = %q, paused %q; want %q, %q", gotIDs, gotPaused, ids, paused)
	}
	s, err := w.chats.Summary(id, ann.ID)
	if n := len(strings.Fields(ids)); err != nil || s.Queued != n || s.Paused != (paused != "") {
		w.t.Errorf("listed with %d queued, paused %v, %v", s.Queued, s.Paused, err)
	}
}

// sent returns the client ids of the log's prompts.
func (w *world) sent(id wire.ChatID) string {
	w.t.Helper()
	var all []string
	for _, e := range w.events(id) {
		if u, ok := e.ev.(wire.User); ok {
			all = append(all, u.ClientID)
		}
	}
	return strings.Join(all, " ")
}

func (c *call) fail() {
	c.end <- func() (agent.Result, error) { return agent.Result{Status: wire.StatusFailed}, nil }
}

// A97: what waits is sent one at a time, in order, as the lock frees.
func TestQueue_isSentInOrder(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	w.enqueue(id, "b", "c", "d")
	w.wantQueue(id, "b c d", "")
	for _, want := range []string{"b", "c", "d"} {
		c.ok()
		c = <-c.next
		if !strings.HasSuffix(c.req.Text, "text of "+want) {
			t.Errorf("next is %q, want %s", c.req.Text, want)
		}
	}
	c.ok()
	w.settled(id)
	w.wantQueue(id, "", "")
	if got := w.sent(id); got != "a b c d" {
		t.Errorf("sent = %s", got)
	}
}

// Nobody comes between the end of a run and the prompt whose turn it is.
func TestQueue_isNotOvertaken(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	w.enqueue(id, "b")
	done := make(chan struct{})
	var late sync.WaitGroup
	var queued atomic.Int32
	for range 8 {
		late.Go(func() {
			for {
				res, err := w.hub.Prompt(t.Context(), id, bob, runhub.Prompt{Text: "me first"})
				if err == nil && res.Queued > 0 {
					queued.Add(1)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	c.ok()
	c = <-c.next
	close(done)
	late.Wait()
	if !strings.HasSuffix(c.req.Text, "text of b") {
		t.Errorf("the next run is that of %q", c.req.Text)
	}
	if queued.Load() == 0 {
		t.Error("nobody else was queued")
	}
}

func TestQueue_pauses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*testing.T, *world, wire.ChatID, *call)
		want string
		by   bool
	}{
		{"after a failure", func(_ *testing.T, _ *world, _ wire.ChatID, c *call) { c.fail() }, "failed", false},
		{"after a stop", func(t *testing.T, w *world, id wire.ChatID, _ *call) {
			if err := w.hub.Cancel(t.Context(), id, bob, ""); err != nil {
				t.Error(err)
			}
		}, "cancelled", true},
		{"at a rate limit", func(_ *testing.T, _ *world, _ wire.ChatID, c *call) {
			c.end <- func() (agent.Result, error) {
				return agent.Result{Status: wire.StatusFailed, Code: agent.CodeRateLimited}, nil
			}
		}, wire.PauseRateLimit, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, id, c := running(t)
			w.enqueue(id, "b", "c")
			tt.end(t, w, id, c)
			w.settled(id)
			w.wantQueue(id, "b c", tt.want)
			if p := w.queue(id).Paused; p == nil || (p.By != nil) != tt.by {
				t.Errorf("paused = %+v", p)
			}
			// What somebody sends now goes on with the chat; the queue rests.
			if res, err := w.send(id, bob, "x", ""); err != nil || res.Run == "" {
				t.Errorf("a prompt to the idle chat = %+v, %v", res, err)
			}
			c = <-c.next
			c.ok()
			w.settled(id)
			w.wantQueue(id, "b c", tt.want)
			if _, err := w.hub.ResumeQueue(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			c = <-c.next
			w.wantQueue(id, "c", "")
			c.ok()
			(<-c.next).ok()
			w.settled(id)
			if got := w.sent(id); got != "a x b c" {
				t.Errorf("sent = %s", got)
			}
		})
	}
}

// Who has seen the end of a run sends to a chat that is idle, for all they know: the
// prompt is sent, also in the moment in which the lock is not free yet, and does not
// wait with what a failure made wait.
func TestQueue_aPromptAfterTheEndDoesNotWait(t *testing.T) {
	t.Parallel()
	for _, whenBusy := range []string{"", "reject", "interrupt"} {
		t.Run(whenBusy, func(t *testing.T) {
			t.Parallel()
			w, id, c := running(t)
			w.enqueue(id, "b")
			v := w.follow(id, bob, nil)
			defer v.feed.Close()
			for i := range 5 {
				ends := i + 1
				c.fail()
				v.until(func() bool {
					n := 0
					for _, line := range v.lines {
						if bytes.Contains(line, []byte(`"type":"complete"`)) {
							n++
						}
					}
					return n == ends
				})
				res, err := w.send(id, bob, fmt.Sprint("x", i), whenBusy)
				if err != nil || res.Run == "" {
					t.Fatalf("a prompt after the end = %+v, %v", res, err)
				}
				c = <-c.next
				w.wantQueue(id, "b", "failed")
			}
			c.ok()
			w.settled(id)
			w.wantQueue(id, "b", "failed")
		})
	}
}

func TestQueue_afterARestart(t *testing.T) {
	t.Parallel()
	for _, kill := range []bool{true, false} {
		p := newPuppet("claude")
		w := start(t, p)
		id := w.chat()
		w.prompt(id, "a", "hello")
		<-p.calls
		w.enqueue(id, "b", "c")
		p2 := newPuppet("claude")
		var again *world
		if kill {
			again = w.crash(runhub.Options{}, p2)
		} else {
			w.stop()
			again = startIn(t, w.dir, runhub.Options{}, p2)
		}
		again.wantQueue(id, "b c", wire.PauseRestart)
		if got := again.last(id).(wire.Complete); got.Status != wire.StatusInterrupted {
			t.Errorf("the run ended as %s", got.Status)
		}
		if res, err := again.send(id, ann, "b", ""); err != nil || res.Queued != 1 {
			t.Errorf("b sent again = %+v, %v", res, err)
		}
		if _, err := again.hub.ResumeQueue(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		(<-p2.calls).ok()
		(<-p2.calls).ok()
		again.settled(id)
		if got := again.sent(id); got != "a b c" {
			t.Errorf("sent = %s", got)
		}
	}
}

// A crash between the log and queue.json: the log decides.
func TestQueue_whatTheLogHoldsIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	w.enqueue(id, "b", "c")
	path := filepath.Join(w.store.Dir(id), "queue.json")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c.ok()
	<-c.next
	w.wantQueue(id, "c", "")
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	again := w.crash(runhub.Options{}, newPuppet("claude"))
	again.wantQueue(id, "c", wire.PauseRestart)
}

// A queue that cannot be read is kept aside, and the chat told; one of a later
// version is left as it is, and nothing is queued over it.
func TestQueue_damagedFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		kept       bool
	}{
		{"damaged", `{"format":1,"rev":3,"items":[{"cl`, true},
		{"of a later version", `{"format":2}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, id, _ := running(t)
			w.enqueue(id, "b")
			path := filepath.Join(w.store.Dir(id), "queue.json")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			p := newPuppet("claude")
			again := w.crash(runhub.Options{}, p)
			again.wantQueue(id, "", "")
			told := count(again.events(id), func(e entry) bool {
				s, ok := e.ev.(wire.System)
				return ok && s.Code == "queue_damaged"
			})
			kept, err := filepath.Glob(filepath.Join(again.store.Dir(id), "queue.json.damaged-*"))
			if err != nil || (told == 1) != tt.kept || (len(kept) == 1) != tt.kept {
				t.Errorf("told %d times, kept %v, %v", told, kept, err)
			}
			again.prompt(id, "x", "hello")
			<-p.calls
			_, err = again.send(id, ann, "y", "")
			if want := map[bool]fault.Code{true: "", false: fault.Unavailable}[tt.kept]; fault.CodeOf(err) != want {
				t.Errorf("queued = %v, want code %q", err, want)
			}
			if !tt.kept {
				if b, err := os.ReadFile(filepath.Join(again.store.Dir(id), "queue.json")); err != nil || string(b) != tt.file {
					t.Errorf("the file holds %s, %v", b, err)
				}
			}
		})
	}
}

func TestQueue_interrupt(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	w.enqueue(id, "b")
	if res, err := w.send(id, bob, "x", "interrupt"); err != nil || res.Queued != 1 {
		t.Fatalf("Prompt = %+v, %v", res, err)
	}
	c = <-c.next
	if !strings.HasSuffix(c.req.Text, "text of x") {
		t.Errorf("next is %q", c.req.Text)
	}
	w.wantQueue(id, "b", "")
	for _, e := range w.events(id) {
		if done, ok := e.ev.(wire.Complete); ok && (done.Status != wire.StatusCancelled || !strings.Contains(done.Notice, "Bob")) {
			t.Errorf("the interrupted run ended as %+v", done)
		}
	}
	c.ok()
	(<-c.next).ok()
	w.settled(id)
	if got := w.sent(id); got != "a x b" {
		t.Errorf("sent = %s", got)
	}
}

// One client id is one prompt, however often it is sent and whatever becomes of it
// meanwhile (T10).
func TestQueue_aClientIDIsSentOnce(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	results := make([]wire.PromptResult, 20)
	var senders sync.WaitGroup
	for i := range results {
		senders.Go(func() {
			var err error
			if results[i], err = w.send(id, ann, "b", ""); err != nil {
				t.Error(err)
			}
		})
	}
	senders.Wait()
	if slices.ContainsFunc(results, func(r wire.PromptResult) bool { return r != results[0] }) {
		t.Errorf("answers differ: %+v", results)
	}
	w.wantQueue(id, "b", "")
	if _, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{ClientID: "b", Text: "other"}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("the id with another text = %v", err)
	}
	edited := "edited"
	if _, err := w.hub.ChangeQueued(id, bob, "b", runhub.Change{Text: &edited}); err != nil {
		t.Fatal(err)
	}
	c.ok()
	c = <-c.next
	w.wantQueue(id, "", "")
	if res, err := w.send(id, ann, "b", ""); err != nil || res.Run != c.req.Run {
		t.Errorf("sent again while it runs = %+v, %v", res, err)
	}
	c.ok()
	w.settled(id)
	if res, err := w.send(id, ann, "b", ""); err != nil || res.Run != c.req.Run {
		t.Errorf("sent again afterwards = %+v, %v", res, err)
	}
	if u := w.events(id)[3].ev.(wire.User); u.Text != edited || u.By != bob {
		t.Errorf("the log holds %+v", u)
	}
}

// Access and selection are judged again when the turn has come.
func TestQueue_isJudgedWhenSent(t *testing.T) {
	t.Parallel()
	var refused atomic.Bool
	p := newPuppet("claude")
	w := startIn(t, t.TempDir(), runhub.Options{May: func(who wire.Person) error {
		if who == bob && refused.Load() {
			return fault.New(fault.Forbidden, "You may not send prompts here: your role is viewer.")
		}
		return nil
	}}, p)
	id := w.chat()
	w.prompt(id, "a", "hello")
	c := <-p.calls
	if _, err := w.send(id, bob, "b", ""); err != nil {
		t.Fatal(err)
	}
	w.enqueue(id, "c")
	refused.Store(true)
	c.ok()
	w.settled(id)
	w.wantQueue(id, "b c", wire.PauseNotSent)
	if it := w.queue(id).Items[0]; it.Error == nil || it.Error.Code != string(fault.Forbidden) || it.Error.Message == "" {
		t.Errorf("the first prompt says %+v", it.Error)
	}
	if _, err := w.hub.RemoveQueued(id, "b", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.hub.ResumeQueue(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	(<-p.calls).ok()
	w.settled(id)
	if got := w.sent(id); got != "a c" {
		t.Errorf("sent = %s", got)
	}
}

// What a prompt uses is settled when it is queued.
func TestQueue_keepsTheSelection(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	_, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{
		ClientID: "b", Text: "x", Selection: wire.Selection{Model: "small", Mode: wire.ModePlan},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := wire.Selection{Agent: "claude", Model: "small", Mode: wire.ModePlan}
	if got := w.queue(id).Items[0].Selection; got != want {
		t.Errorf("queued with %+v, want %+v", got, want)
	}
	_, err = w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{ClientID: "c", Text: "x", Selection: wire.Selection{Effort: "none"}})
	if fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a choice that is not offered = %v", err)
	}
	c.ok()
	if c = <-c.next; c.req.Selection != want {
		t.Errorf("sent with %+v, want %+v", c.req.Selection, want)
	}
}

// A feed has the queue after sync, and then each change of it, never before the
// prompt that left it.
func TestQueue_frames(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	v := w.follow(id, bob, nil)
	defer v.feed.Close()
	if err := v.next(t.Context()); err != nil || strings.Join(v.frames, " ") != "connected sync queue presence" {
		t.Fatalf("the first frames are %v, %v", v.frames, err)
	}
	w.enqueue(id, "b")
	v.until(func() bool { return len(v.queue.Items) == 1 })
	c.ok()
	<-c.next
	v.until(func() bool { return len(v.queue.Items) == 0 })
	if got := w.sent(id); got != "a b" {
		t.Fatalf("sent = %s", got)
	}
	found := false
	for _, line := range v.lines {
		found = found || strings.Contains(string(line), `"clientId":"b"`)
	}
	if !found {
		t.Error("the prompt left the queue before it was in the log")
	}
}

// A queue that cannot be saved is not changed, and says so.
func TestQueue_diskRefuses(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		// Rights do not hold root back: a folder in the place of the file does.
		w, id, _ := running(t)
		if err := os.MkdirAll(filepath.Join(w.store.Dir(id), "queue.json", "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := w.send(id, ann, "b", ""); fault.CodeOf(err) == "" {
			t.Error("a prompt that is not saved was taken")
		}
		w.wantQueue(id, "", "")
		return
	}
	w, id, _ := running(t)
	if err := os.Chmod(w.store.Dir(id), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(w.store.Dir(id), 0o700) }) // so that it can be removed
	if _, err := w.send(id, ann, "b", ""); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a prompt that is not saved = %v", err)
	}
	w.wantQueue(id, "", "")
}
