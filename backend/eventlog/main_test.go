package eventlog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/internal/id"
	"signalbox/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newChat() wire.ChatID { return wire.ChatID(id.New("c_")) }

// openStore opens a store on a folder, and closes it with the test.
func openStore(t testing.TB, dir string, opts eventlog.Options) *eventlog.Store {
	t.Helper()
	if opts.BootID == "" {
		opts.BootID = "boot-1"
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	s, err := eventlog.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return s
}

// newLog returns an empty log in a store of its own.
func newLog(t testing.TB) *eventlog.Log {
	t.Helper()
	_, l := newStore(t)
	return l
}

// newStore opens a store with one log.
func newStore(t testing.TB) (*eventlog.Store, *eventlog.Log) {
	t.Helper()
	s := openStore(t, t.TempDir(), eventlog.Options{})
	l, err := s.Create(newChat())
	if err != nil {
		t.Fatal(err)
	}
	return s, l
}

func draft(t testing.TB, ev wire.Event) wire.Draft {
	t.Helper()
	d, err := wire.NewDraft("r_1", ev)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func text(t testing.TB, s string) wire.Draft {
	t.Helper()
	return draft(t, wire.AssistantText{Item: "i", Delta: s})
}

func prompt(t testing.TB, s string) wire.Draft {
	t.Helper()
	return draft(t, wire.User{Text: s, ClientID: s})
}

func add(t testing.TB, l *eventlog.Log, drafts ...wire.Draft) uint64 {
	t.Helper()
	seq, err := l.Append(drafts...)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// addTexts appends texts "from".."to".
func addTexts(t testing.TB, l *eventlog.Log, from, to int) {
	t.Helper()
	for i := from; i <= to; i++ {
		add(t, l, text(t, fmt.Sprint(i)))
	}
}

// event is an event in short, for comparing.
type event struct {
	Seq  uint64
	Type wire.Type
	Text string // what tells it from others
}

func decode(t testing.TB, raw []byte) event {
	t.Helper()
	env, ev, err := wire.Decode(raw)
	if err != nil {
		t.Fatalf("decode %q: %v", raw, err)
	}
	return shorten(env, ev)
}

func shorten(env wire.Envelope, ev wire.Event) event {
	e := event{Seq: env.Seq, Type: env.Type}
	switch ev := ev.(type) {
	case wire.User:
		e.Text = ev.Text
	case wire.AssistantText:
		e.Text = ev.Delta
	case wire.System:
		e.Text = ev.Code
	case wire.Epoch:
		e.Text = fmt.Sprintf("%d %s keep %d", ev.Epoch, ev.Cause, ev.Keep)
	}
	return e
}

func decodeAll(t testing.TB, lines []byte) []event {
	t.Helper()
	var evs []event
	for raw := range strings.Lines(string(lines)) {
		evs = append(evs, decode(t, []byte(strings.TrimSuffix(raw, "\n"))))
	}
	return evs
}

// all reads the log forward and checks that reading backward gives the same.
func all(t testing.TB, l *eventlog.Log) []event {
	t.Helper()
	var evs []event
	var fwd, back []string
	for raw, err := range l.Events(0) {
		if err != nil {
			t.Fatal(err)
		}
		fwd = append(fwd, string(raw))
		evs = append(evs, decode(t, raw))
	}
	for raw, err := range l.Backward() {
		if err != nil {
			t.Fatal(err)
		}
		back = append(back, string(raw))
	}
	slices.Reverse(back)
	if !slices.Equal(fwd, back) {
		t.Errorf("backward reads other events than forward:\n%q\n%q", back, fwd)
	}
	return evs
}

// next returns the follower's next batch, which must not have to be waited for.
func next(t testing.TB, f *eventlog.Follower) eventlog.Batch {
	t.Helper()
	f.Wake()
	b, err := f.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drain reads what a follower can get now: resets and events.
func drain(t testing.TB, f *eventlog.Follower) (resets []wire.Reset, evs []event) {
	t.Helper()
	for {
		b := next(t, f)
		switch {
		case b.Reset != nil:
			resets = append(resets, *b.Reset)
			evs = nil
		case len(b.Lines) == 0:
			return resets, evs
		default:
			evs = append(evs, decodeAll(t, b.Lines)...)
			if last := evs[len(evs)-1].Seq; b.Upto.Seq != last {
				t.Errorf("batch is up to %d, its last event is %d", b.Upto.Seq, last)
			}
		}
	}
}

func follow(t testing.TB, l *eventlog.Log, since *wire.Position) *eventlog.Follower {
	t.Helper()
	f, err := l.Follow(since)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func at(epoch, seq uint64) *wire.Position { return &wire.Position{Epoch: epoch, Seq: seq} }

func wantCode(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Errorf("error %v has code %q, want %q", err, got, code)
	}
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Message == "" {
		t.Errorf("error %v says nothing", err)
	}
}

func seqs(evs []event) []uint64 {
	var s []uint64
	for _, e := range evs {
		s = append(s, e.Seq)
	}
	return s
}

func span(from, to uint64) []uint64 {
	var s []uint64
	for n := from; n <= to; n++ {
		s = append(s, n)
	}
	return s
}

// writeLog puts a file in the place of a chat's log.
func writeLog(t testing.TB, dir string, chat wire.ChatID, content string) {
	t.Helper()
	path := filepath.Join(dir, "chats", string(chat))
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "events.jsonl"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
