package runhub_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

func (w *world) fork(id wire.ChatID, f runhub.Fork) wire.ChatID {
	w.t.Helper()
	fork, err := w.hub.Fork(id, bob, f)
	if err != nil {
		w.t.Fatalf("Fork: %v", err)
	}
	return fork
}

// A9, A98: a fork has what was said up to an answer, the folder and the choices,
// and nothing that happens to one of the two changes the other.
func TestHub_Fork(t *testing.T) {
	t.Parallel()
	a := newTalker("claude", true, true)
	w := start(t, a)
	id := w.chat()
	w.say(id, "a", "Fix it", "claude")
	w.say(id, "b", "two", "claude")
	if _, err := w.chats.Update(id, func(m *catalog.Meta) error { m.Rules = []wire.Rule{{ID: "r"}}; return nil }); err != nil {
		t.Fatal(err)
	}
	parent := w.events(id)
	end := w.outline(id).Prompts[0].End

	fork := w.fork(id, runhub.Fork{After: end})
	m, err := w.chats.Get(fork)
	if err != nil {
		t.Fatal(err)
	}
	of, err := w.chats.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	if m.Title != "Fix it (fork)" || m.Owner != bob || m.Cwd != of.Cwd || m.Selected != of.Selected || len(m.Rules) != 0 || m.Verdict != wire.StatusOK {
		t.Errorf("the fork is %+v", m)
	}
	if diff := cmp.Diff(&wire.Origin{Chat: id, Seq: end, Title: "Fix it"}, m.ForkOf); diff != "" {
		t.Errorf("its origin (-want +got)\n%s", diff)
	}
	if got, want := w.types(fork), "user run_started session assistant_text assistant_text complete"; got != want {
		t.Errorf("the fork holds %s", got)
	}
	refs := w.outline(id).Prompts[0].Forks
	if len(refs) != 1 || refs[0].Chat != fork || refs[0].Title != "Fix it (fork)" || !refs[0].Created.Equal(m.Created.Time) {
		t.Errorf("the chat shows the forks %+v", refs)
	}
	if len(w.outline(id).Prompts[1].Forks) != 0 {
		t.Error("a later prompt shows the fork")
	}

	w.say(fork, "x", "otherwise", "claude")
	if got := way(a.last()); got != "claude-s1 true claude-t1" {
		t.Errorf("the fork's first run goes on with %q", got)
	}
	w.say(fork, "y", "and on", "claude")
	if got := way(a.last()); got != "claude-s2 false" {
		t.Errorf("the fork's next run goes on with %q", got)
	}
	w.say(id, "z", "the parent", "claude")
	if got := way(a.last()); got != "claude-s1 false" {
		t.Errorf("the parent's run goes on with %q", got)
	}
	if diff := cmp.Diff(parent, w.events(id)[:len(parent)], cmp.AllowUnexported(entry{})); diff != "" {
		t.Errorf("the parent was changed\n%s", diff)
	}
}

// A10, A124: how the first run of a fork begins.
func TestRun_firstOfAFork(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		forks, rewinds bool
		advance        bool // the parent goes on before the fork does
		want           string
	}{
		{name: "native", forks: true, rewinds: true, want: "claude-s1 true claude-t2"},
		{name: "native, the parent went on", forks: true, rewinds: true, advance: true, want: "claude-s1 true claude-t2"},
		{name: "copies all", forks: true, want: "claude-s1 true"},
		{name: "copies all, the parent went on", forks: true, advance: true, want: "false"},
		{name: "no copies", want: "false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newTalker("claude", tt.forks, tt.rewinds)
			w := start(t, a)
			id := w.chat()
			w.say(id, "a", "one", "claude")
			w.say(id, "b", "two", "claude")
			fork := w.fork(id, runhub.Fork{})
			if tt.advance {
				w.say(id, "c", "three", "claude")
			}
			// Also when the daemon was started again in between.
			b := newTalker("claude", tt.forks, tt.rewinds)
			w = w.crash(runhub.Options{}, b)
			w.say(fork, "d", "otherwise", "claude")
			got := b.last()
			if way(got) != tt.want {
				t.Errorf("the fork goes on with %q, want %q", way(got), tt.want)
			}
			if told := got.Text + got.Fresh; !holds(told, "one", "two", "</transcript>", "otherwise") || strings.Contains(told, "three") {
				t.Errorf("it is told %q", told)
			}
		})
	}
	t.Run("no session", func(t *testing.T) {
		t.Parallel()
		a := newTalker("claude", true, true)
		w := start(t, a)
		fork := w.fork(w.chat(), runhub.Fork{})
		w.say(fork, "a", "one", "claude")
		if got := a.last(); way(got) != "false" || got.Text != "one" {
			t.Errorf("the fork of an empty chat goes on with %q and is told %q", way(got), got.Text)
		}
	})
}

// A fork of what a rewind took out is the chat as it was before.
func TestHub_Fork_ofACut(t *testing.T) {
	t.Parallel()
	a := newTalker("claude", true, true)
	w := start(t, a)
	id := w.chat()
	w.say(id, "a", "one", "claude")
	second := w.say(id, "b", "two", "claude")
	before := w.types(id)
	cut := w.rewind(id, second.Seq)
	w.say(id, "c", "three", "claude")

	fork := w.fork(id, runhub.Fork{Cut: cut.Epoch, Title: "As it was"})
	if got := w.types(fork); got != before {
		t.Errorf("the fork holds %s, want %s", got, before)
	}
	if m, err := w.chats.Get(fork); err != nil || m.Title != "As it was" || m.ForkOf.Seq != cut.Last {
		t.Errorf("the fork is %+v, %v", m, err)
	}
	w.say(fork, "d", "go on", "claude")
	if got := way(a.last()); got != "claude-s1 true claude-t2" {
		t.Errorf("the fork goes on with %q", got)
	}
}

func TestHub_Fork_refused(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	for _, tt := range []struct {
		name string
		f    runhub.Fork
		want fault.Code
	}{
		{"nothing was answered", runhub.Fork{}, fault.Conflict},
		{"after what is no answer", runhub.Fork{After: 1}, fault.NotFound},
		{"after what is not there", runhub.Fork{After: 99}, fault.NotFound},
		{"an unknown cut", runhub.Fork{Cut: 4}, fault.NotFound},
		{"two ends", runhub.Fork{After: 1, Cut: 1}, fault.Invalid},
	} {
		_, err := w.hub.Fork(id, ann, tt.f)
		wantCode(t, tt.name, err, tt.want)
	}
	_, err := w.hub.Fork("c_00000000000000000000000000", ann, runhub.Fork{})
	wantCode(t, "an unknown chat", err, fault.NotFound)
	c.ok()
	w.settled(id)
	_, err = w.hub.Fork(id, ann, runhub.Fork{Title: "a\nb"})
	wantCode(t, "a title that is none", err, fault.Invalid)
	if n := len(w.chats.List(ann.ID)); n != 1 {
		t.Errorf("%d chats after what was refused", n)
	}
}

// A duplicate has all that is answered: of a run under way it has nothing.
func TestHub_Fork_whileARunLives(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	w.prompt(id, "a", "one")
	(<-p.calls).ok()
	w.settled(id)
	w.prompt(id, "b", "two")
	c := <-p.calls
	fork := w.fork(id, runhub.Fork{})
	if got, want := w.types(fork), "user run_started complete"; got != want {
		t.Errorf("the fork holds %s, want %s", got, want)
	}
	c.ok()
	w.settled(id)
}

func TestHub_Fork_titles(t *testing.T) {
	t.Parallel()
	w := start(t, newTalker("claude", true, true))
	for title, want := range map[string]string{
		"Fix it":                 "Fix it (fork)",
		"Fix it (fork)":          "Fix it (fork 2)",
		"Fix it (fork 9)":        "Fix it (fork 10)",
		strings.Repeat("é", 200): strings.Repeat("é", 192) + "… (fork)",
	} {
		m, err := w.chats.Create(ann, catalog.New{Title: title})
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.chats.Get(w.fork(m.ID, runhub.Fork{}))
		if err != nil || got.Title != want {
			t.Errorf("a fork of %q is called %q, %v", title, got.Title, err)
		}
	}
}

// A crash between the fork's metadata and its log leaves nothing.
func TestHub_Fork_cutOff(t *testing.T) {
	t.Parallel()
	a := newTalker("claude", true, true)
	w := start(t, a)
	id := w.chat()
	w.say(id, "a", "one", "claude")
	fork := w.fork(id, runhub.Fork{})
	w.stop()
	dir := filepath.Join(w.dir, "chats", string(fork))
	if err := os.Remove(filepath.Join(dir, "events.jsonl")); err != nil {
		t.Fatal(err)
	}
	w = startIn(t, w.dir, runhub.Options{}, newTalker("claude", true, true))
	if _, err := w.chats.Get(fork); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("the fork without a log: %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
}

// The folder of a chat that is deleted for good stays as long as its forks work
// in it.
func TestHub_Purge_keepsTheFolderOfForks(t *testing.T) {
	t.Parallel()
	w := start(t, newTalker("claude", true, true))
	id := w.chat()
	w.say(id, "a", "one", "claude")
	fork := w.fork(id, runhub.Fork{})
	dir := filepath.Join(w.dir, "chats", string(id))
	work := filepath.Join(dir, "work")
	if err := os.WriteFile(filepath.Join(work, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	remove := func(id wire.ChatID) {
		t.Helper()
		if err := w.hub.Trash(t.Context(), id, ann); err != nil {
			t.Fatal(err)
		}
		if err := w.hub.Purge(id, ann); err != nil {
			t.Fatal(err)
		}
	}
	remove(id)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "work" {
		t.Errorf("of the chat there is left %v, %v", entries, err)
	}
	later := time.Now().Add(48 * time.Hour)
	w.hub.Tidy(t.Context(), later)
	w = w.crash(runhub.Options{}, newTalker("claude", true, true))
	dir = filepath.Join(w.dir, "chats", string(id))
	if _, err := os.Stat(filepath.Join(dir, "work", "file")); err != nil {
		t.Errorf("the fork's folder: %v", err)
	}
	remove(fork)
	w.hub.Tidy(t.Context(), later)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder that nobody works in: %v", err)
	}
}
