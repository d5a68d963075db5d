package runhub_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// A11, A101: deleting a chat stops its run, waits for its end, and takes the chat
// out of every view; what waits in the queue goes with it and comes back with it.
func TestHub_Trash(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	if _, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{ClientID: "b", Text: "later"}); err != nil {
		t.Fatal(err)
	}
	v := w.follow(id, bob, nil)
	defer v.feed.Close()
	watcher := w.chats.Watch(bob.ID)
	defer watcher.Close()

	if err := w.hub.Trash(t.Context(), id, ann); err != nil {
		t.Fatalf("Trash: %v", err)
	}
	if c.ctx.Err() == nil {
		t.Error("the run goes on")
	}
	if end, ok := w.last(id).(wire.Complete); !ok || end.Status != wire.StatusCancelled {
		t.Errorf("the run ended with %+v", w.last(id))
	}
	var err error
	for err == nil {
		err = v.next(t.Context())
	}
	wantCode(t, "the feed of who follows", err, fault.NotFound)
	for removed := false; !removed; {
		frames, err := watcher.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			gone, ok := f.(wire.ChatRemoved)
			removed = removed || ok && gone.ID == id
		}
	}
	_, err = w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{Text: "hello"})
	wantCode(t, "a prompt", err, fault.NotFound)
	_, err = w.hub.Follow(id, ann, nil)
	wantCode(t, "following", err, fault.NotFound)
	_, err = w.hub.Outline(id)
	wantCode(t, "its outline", err, fault.NotFound)
	wantCode(t, "deleting it again", w.hub.Trash(t.Context(), id, ann), fault.NotFound)
	if list := w.chats.List(ann.ID); len(list) != 0 {
		t.Errorf("it is listed: %+v", list)
	}

	if err := w.hub.Untrash(id, bob); err != nil {
		t.Fatalf("Untrash: %v", err)
	}
	q, err := w.hub.Queue(id)
	if err != nil || len(q.Items) != 1 || q.Paused == nil {
		t.Errorf("its queue = %+v, %v", q, err)
	}
	wantCode(t, "taking it out again", w.hub.Untrash(id, bob), fault.NotFound)
	if s, err := w.chats.Summary(id, ann.ID); err != nil || s.Running || s.Verdict != wire.StatusCancelled || s.Queued != 1 {
		t.Errorf("it is listed as %+v, %v", s, err)
	}
}

// A chat whose run cannot be ended stays as it is, and so does its queue.
func TestHub_Trash_runDoesNotEnd(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	w := start(t, scripted(func(context.Context, agent.Request, agent.Host) (agent.Result, error) {
		<-release
		return agent.Result{Status: wire.StatusOK}, nil
	}))
	id := w.chat()
	w.prompt(id, "a", "hello")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantCode(t, "Trash", w.hub.Trash(ctx, id, ann), fault.Busy)
	if _, err := w.chats.Get(id); err != nil {
		t.Errorf("the chat: %v", err)
	}
	close(release)
	w.settled(id)
	if err := w.hub.Trash(t.Context(), id, ann); err != nil {
		t.Errorf("Trash once it has ended: %v", err)
	}
}

// Of many who delete at once, and send prompts meanwhile, one deletes; nothing
// runs afterwards.
func TestHub_Trash_atOnce(t *testing.T) {
	t.Parallel()
	w := start(t, newTalker("claude", true, true))
	id := w.chat()
	var wg sync.WaitGroup
	var mu sync.Mutex
	deleted := 0
	for range 8 {
		wg.Go(func() {
			_, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{Text: "hello"})
			if err != nil && fault.CodeOf(err) != fault.NotFound {
				t.Errorf("Prompt: %v", err)
			}
		})
		wg.Go(func() {
			err := w.hub.Trash(t.Context(), id, ann)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				deleted++
			} else if fault.CodeOf(err) != fault.NotFound {
				t.Errorf("Trash: %v", err)
			}
		})
	}
	wg.Wait()
	if deleted != 1 {
		t.Errorf("%d deleted it", deleted)
	}
	runs := 0
	for _, e := range w.events(id) {
		switch e.Type {
		case wire.TypeUser:
			runs++
		case wire.TypeComplete:
			runs--
		}
	}
	if runs != 0 {
		t.Errorf("%d runs have no end", runs)
	}
}

// A queue that was in the trash while the daemon ended is there when the chat is
// taken out again.
func TestHub_Untrash_afterRestart(t *testing.T) {
	t.Parallel()
	w, id, _ := running(t)
	if _, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{ClientID: "b", Text: "later"}); err != nil {
		t.Fatal(err)
	}
	if err := w.hub.Trash(t.Context(), id, ann); err != nil {
		t.Fatal(err)
	}
	p := newPuppet("claude")
	w = w.crash(runhub.Options{}, p)
	if err := w.hub.Untrash(id, ann); err != nil {
		t.Fatal(err)
	}
	q, err := w.hub.ResumeQueue(t.Context(), id)
	if err != nil || len(q.Items) != 1 {
		t.Errorf("its queue = %+v, %v", q, err)
	}
	(<-p.calls).ok()
	w.settled(id)
	if res := w.prompt(id, "b", "later"); res.Run == "" {
		t.Errorf("what waited = %+v, want it sent", res)
	}
}

// While a chat is on its way into the trash nothing goes on with its last run.
func TestHub_Trash_continuing(t *testing.T) {
	t.Parallel()
	began, stopped, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
	w := start(t, scripted(func(ctx context.Context, _ agent.Request, _ agent.Host) (agent.Result, error) {
		close(began)
		<-ctx.Done()
		close(stopped)
		<-release
		return agent.Result{}, context.Cause(ctx)
	}))
	id := w.chat()
	w.prompt(id, "a", "hello")
	<-began
	done := make(chan error, 1)
	go func() { done <- w.hub.Trash(t.Context(), id, ann) }()
	<-stopped
	_, err := w.hub.Continue(t.Context(), id, ann, runhub.Now)
	wantCode(t, "Continue", err, fault.NotFound)
	close(release)
	if err := <-done; err != nil {
		t.Errorf("Trash: %v", err)
	}
}

// trashed starts a daemon with a chat that has an answer and lies in the trash.
func trashed(t *testing.T) (*world, wire.ChatID) {
	t.Helper()
	w := start(t, newTalker("claude", true, true))
	id := w.chat()
	w.say(id, "a", "one", "claude")
	if err := w.hub.Trash(t.Context(), id, ann); err != nil {
		t.Fatal(err)
	}
	return w, id
}

// What lies in the trash is deleted for good after 30 days, by itself.
func TestHub_Tidy(t *testing.T) {
	t.Parallel()
	w, id := trashed(t)
	dir := filepath.Join(w.dir, "chats", string(id))
	day := 24 * time.Hour
	w.hub.Tidy(t.Context(), time.Now().Add(30*day-time.Minute))
	if _, err := w.chats.InTrash(id); err != nil {
		t.Errorf("before the time: %v", err)
	}
	w.hub.Tidy(t.Context(), time.Now().Add(30*day+time.Minute))
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
	if list := w.chats.Trashed(ann.ID); len(list) != 0 {
		t.Errorf("the trash = %+v", list)
	}
}

// A deletion for good that a crash interrupts is finished by the next daemon, and
// the chat is in no list meanwhile.
func TestHub_Purge_interrupted(t *testing.T) {
	t.Parallel()
	w, id := trashed(t)
	w.stop()
	dir := filepath.Join(w.dir, "chats", string(id))
	meta := filepath.Join(dir, "meta.json")
	b, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	b = append(b[:len(b)-len("\n}\n")], ",\n  \"purged\": true\n}\n"...)
	if err := os.WriteFile(meta, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "events.jsonl")); err != nil {
		t.Fatal(err)
	}
	w = startIn(t, w.dir, runhub.Options{}, newTalker("claude", true, true))
	if n := len(w.chats.Trashed(ann.ID)) + len(w.chats.List(ann.ID)); n != 0 {
		t.Errorf("%d chats are listed", n)
	}
	w.hub.Tidy(t.Context(), time.Now())
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
}

// The trash survives a restart, and a chat comes back from it with its history.
func TestHub_Trash_overARestart(t *testing.T) {
	t.Parallel()
	w := start(t, newTalker("claude", true, true))
	id := w.chat()
	w.say(id, "a", "one", "claude")
	before := w.types(id)
	if err := w.hub.Trash(t.Context(), id, ann); err != nil {
		t.Fatal(err)
	}
	a := newTalker("claude", true, true)
	w = w.crash(runhub.Options{}, a)
	if _, err := w.chats.Get(id); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("the deleted chat after a restart: %v", err)
	}
	if err := w.hub.Untrash(id, ann); err != nil {
		t.Fatal(err)
	}
	if got := w.types(id); got != before {
		t.Errorf("it holds %s, want %s", got, before)
	}
	w.say(id, "b", "two", "claude")
	if got := way(a.last()); got != "claude-s1 false" {
		t.Errorf("its next run goes on with %q", got)
	}
	if _, err := w.chats.Update(id, func(m *catalog.Meta) error { m.Archived = true; return nil }); err != nil {
		t.Errorf("archiving it: %v", err)
	}
}

// The hub removes what is kept no longer by itself.
func TestHub_Run_tidies(t *testing.T) {
	t.Parallel()
	w := start(t, newTalker("claude", true, true))
	id := w.chat()
	if err := w.hub.Trash(t.Context(), id, ann); err != nil {
		t.Fatal(err)
	}
	w.stop()
	dir := filepath.Join(w.dir, "chats", string(id))
	meta := filepath.Join(dir, "meta.json")
	b, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	b = regexp.MustCompile(`"trashed": "[^"]*"`).ReplaceAll(b, []byte(`"trashed": "2020-01-01T00:00:00.000Z"`))
	if err := os.WriteFile(meta, b, 0o600); err != nil {
		t.Fatal(err)
	}
	startIn(t, w.dir, runhub.Options{}, newTalker("claude", true, true))
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for {
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			return
		}
		select {
		case <-again.C:
		case <-t.Context().Done():
			t.Fatal("the chat is still there")
		}
	}
}
