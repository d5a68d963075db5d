package transfer_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"signalbox/backend/catalog"
	"signalbox/backend/chat"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/history"
	"signalbox/backend/transfer"
	"signalbox/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ann = wire.Person{ID: "u_1", Name: "Ann"}

type rig struct {
	testing.TB

	logs  *eventlog.Store
	chats *catalog.Catalog
}

func newRig(t testing.TB) *rig {
	t.Helper()
	logs, err := eventlog.Open(t.TempDir(), eventlog.Options{BootID: "boot"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := logs.Close(); err != nil {
			t.Error(err)
		}
	})
	chats, err := catalog.Open(logs, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t, logs, chats}
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) log(id wire.ChatID) *eventlog.Log {
	r.Helper()
	l, err := r.logs.Log(id)
	r.must(err)
	return l
}

func (r *rig) add(l *eventlog.Log, run wire.RunID, events ...wire.Event) {
	r.Helper()
	for _, ev := range events {
		d, err := wire.NewDraft(run, ev)
		r.must(err)
		_, err = l.Append(d)
		r.must(err)
	}
}

const (
	run1 = wire.RunID("r_01M8Q2QWKVAXQS37F7R0K1KVH3")
	run2 = wire.RunID("r_01M8Q2QWKVAXQS37F7R0K1KVH4")
)

// evil is text that does harm wherever it is not only text.
const evil = "<script>alert(1)</script> \"'&` ```\n```` \x1b[31m \u202e {{.}} ](javascript:x)"

// sample makes a chat with all that an export has to cope with.
func (r *rig) sample() (wire.ChatID, *eventlog.Log) {
	r.Helper()
	m, err := r.chats.Create(ann, catalog.New{Title: "A <b>chat</b>", Selected: wire.Selection{Agent: "claude", Mode: wire.ModePlan}})
	r.must(err)
	l := r.log(m.ID)
	r.add(l, run1,
		wire.User{Text: evil + strings.Repeat("long ", 10_000), ClientID: "1", By: ann, Selection: wire.Selection{Agent: "claude"}},
		wire.Session{Agent: "claude", SessionID: "secret-session"},
		wire.Thinking{Item: "t", Delta: evil},
		wire.AssistantText{Item: "m", Delta: "Hello "}, wire.AssistantText{Item: "m", Delta: evil},
		wire.ToolUseStart{ToolID: "x", Name: evil, Input: json.RawMessage(`{"command":"<i>ls</i> ` + "```" + `"}`)},
		wire.ToolUseEnd{ToolID: "x", OK: false, Output: strings.Repeat("big ", 30_000)},
		wire.Complete{Status: wire.StatusOK})
	r.add(l, run2, wire.User{Text: "two", ClientID: "2", By: ann}, wire.Complete{Status: wire.StatusOK})
	r.must(l.Rewind(l.End().Seq-1, nil))
	r.add(l, run2, wire.User{Text: "three", ClientID: "3", By: ann}, wire.Error{Code: "x", Message: evil})
	return m.ID, l
}

func (r *rig) export(l *eventlog.Log) []byte {
	r.Helper()
	var b bytes.Buffer
	c := transfer.Chat{Title: "A title", Selected: wire.Selection{Agent: "claude"}}
	r.must(transfer.JSON(&b, "1", catalog.Now(), c, l))
	return b.Bytes()
}

func events(t testing.TB, l *eventlog.Log) []string {
	t.Helper()
	var all []string
	for raw, err := range l.Events(0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(raw))
	}
	return all
}

// What was exported comes back with the same events and bodies; the agent's session
// and who vouches for it all are another's.
func TestJSON_comesBackAsItWas(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, l := r.sample()
	text := r.export(l)
	for _, target := range []*rig{r, newRig(t)} {
		id, err := transfer.Import(bytes.NewReader(text), wire.Person{ID: "u_2", Name: "Bob"}, target.chats, target.logs)
		target.must(err)
		m, err := target.chats.Get(id)
		target.must(err)
		if m.Title != "A title" || m.Owner.ID != "u_2" || m.Selected.Agent != "claude" {
			t.Errorf("metadata %+v", m)
		}
		got := target.log(id)
		// What was used elsewhere counts for no limit, whatever the clock was there.
		if last := got.End().Seq; !m.Counted("r_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", last) || m.Counted("r_0", last+1) {
			t.Errorf("used %+v at %d", m.Used, last)
		}
		want, have := events(t, l), events(t, got)
		if len(have) != len(want)+2 {
			t.Fatalf("%d events became %d", len(want), len(have))
		}
		for i := range want {
			if strings.Contains(want[i], `"type":"session"`) {
				if strings.Contains(have[i], "secret-session") || !strings.Contains(have[i], "session_elsewhere") {
					t.Errorf("the session became %s", have[i])
				}
				continue
			}
			if want[i] != have[i] {
				t.Errorf("event %d: %s became %s", i, want[i], have[i])
			}
		}
		if !strings.Contains(have[len(have)-2], `"status":"interrupted"`) || !strings.Contains(have[len(have)-1], "Bob imported") {
			t.Errorf("it ends with %s", have[len(have)-2:])
		}
		for _, raw := range have {
			env, _, err := wire.Decode([]byte(raw))
			target.must(err)
			for _, ref := range env.Refs {
				f, err := got.OpenBlob(ref.SHA256)
				target.must(err)
				target.must(f.Close())
			}
		}
		// It goes on like any other.
		target.add(got, run1, wire.User{Text: "more", ClientID: "9", By: ann})
		target.must(got.Sync(t.Context()))
		if end := got.End(); end.Epoch != 2 {
			t.Errorf("it ends at %v", end)
		}
	}
}

// What is no export, or was changed, makes no chat.
func TestImport_refusesWhatIsNotWhole(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, l := r.sample()
	whole := strings.SplitAfter(strings.TrimSuffix(string(r.export(l)), "\n"), "\n")
	before := len(r.chats.List(ann.ID))
	at := func(part string) int {
		for i, line := range whole {
			if strings.Contains(line, part) {
				return i
			}
		}
		t.Fatalf("no line with %s", part)
		return 0
	}
	change := func(i int, old, text string) string {
		lines := append([]string(nil), whole...)
		if !strings.Contains(lines[i], old) {
			t.Fatalf("no %s in %.200s", old, lines[i])
		}
		lines[i] = strings.Replace(lines[i], old, text, 1)
		return strings.Join(lines, "")
	}
	sum := regexp.MustCompile(`[0-9a-f]{64}`).FindString(whole[at(`{"blob":`)])
	future := time.Now().AddDate(1, 0, 0).UTC().Format("2006")
	for name, text := range map[string]string{
		"nothing":                 "",
		"another file":            "hello\n",
		"another JSON":            "{}\n",
		"only its beginning":      whole[0],
		"without its end":         strings.Join(whole[:len(whole)-1], ""),
		"without an event":        strings.Join(append(append([]string(nil), whole[:4]...), whole[5:]...), ""),
		"an event twice":          strings.Join(append(append([]string(nil), whole[:5]...), whole[4:]...), ""),
		"an event that is none":   change(4, `"type":`, `"tope":`),
		"an event of odd fields":  change(at(`"assistant_text"`), `"delta":"Hello "`, `"delta":7`),
		"a field twice":           change(at(`"assistant_text"`), `"item":`, `"seq":1,"item":`),
		"an event of the future":  change(at(`"assistant_text"`), `"t":"`+time.Now().UTC().Format("2006"), `"t":"`+future),
		"another body":            change(at(`{"blob":`), `"data":"`, `"data":"`+base64.StdEncoding.EncodeToString([]byte("xxx"))),
		"a body with a path":      change(at(`{"blob":`), sum, "../../../../etc/passwd"),
		"a body that breaks off":  change(at(`{"blob":`), `"last":true`, `"last":false`),
		"an epoch that was":       change(at(`"type":"epoch"`), `"epoch":2`, `"epoch":1`),
		"a huge seq":              change(4, `"seq":`, `"seq":9007199254740993`),
		"a type that is a path":   change(4, `"type":"`, `"type":"../`),
		"a run in a session line": change(at(`"type":"session"`), string(run1), `../x`),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := transfer.Import(strings.NewReader(text), ann, r.chats, r.logs)
			f, ok := err.(*fault.Error) //nolint:errorlint // it comes as it is, or wrapped
			if fault.CodeOf(err) != fault.Invalid {
				t.Errorf("import = %v", err)
			}
			if ok && f.Hint == "" {
				t.Errorf("no next step in %v", err)
			}
		})
	}
	if got := len(r.chats.List(ann.ID)); got != before {
		t.Errorf("%d chats became %d", before, got)
	}
	ids, err := r.logs.Chats()
	r.must(err)
	if len(ids) != before {
		t.Errorf("folders are left: %v", ids)
	}
	newer := strings.Replace(whole[0], `"format":1`, `"format":2`, 1)
	_, err = transfer.Import(strings.NewReader(newer), ann, r.chats, r.logs)
	later, ok := errors.AsType[*fault.Error](err)
	if !ok || later.Code != fault.Invalid || !strings.Contains(later.Message, "format 2") || !strings.Contains(later.Hint, "which wrote it") {
		t.Errorf("of a later format: %v", err)
	}
}

func FuzzImport(f *testing.F) {
	r := newRig(f)
	_, l := r.sample()
	f.Add(r.export(l))
	f.Add([]byte(`{"signalbox":"chat","format":1}` + "\n" + `{"end":true,"events":0}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newRig(t)
		id, err := transfer.Import(bytes.NewReader(b), ann, r.chats, r.logs)
		ids, err2 := r.logs.Chats()
		r.must(err2)
		if err != nil && len(ids) > 0 {
			t.Errorf("left %v after %v", ids, err)
		}
		if err == nil {
			events(t, r.log(id))
		}
	})
}

// All that anybody said is text in what people read.
func TestReadable_isText(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, l := r.sample()
	about := transfer.About{Title: "A <b>chat</b>", At: time.Now(), Zone: time.UTC}
	var page, md bytes.Buffer
	r.must(transfer.HTML(&page, about, l))
	r.must(transfer.Markdown(&md, about, l))
	if strings.Contains(page.String(), "<script") || strings.Contains(page.String(), "<i>") || strings.Contains(page.String(), "<b>") {
		t.Error("the page holds what somebody said as it is")
	}
	tags := regexp.MustCompile(`<[a-z]+[^>]*>`)
	for _, tag := range tags.FindAllString(page.String(), -1) {
		if regexp.MustCompile(`(?i)\s(src|href|on\w+)\s*=`).MatchString(tag) {
			t.Errorf("the page has %s", tag)
		}
	}
	for _, want := range []string{"Hello ", "three", strings.Repeat("long ", 10_000), "big big", "Ann", "(failed)"} {
		if !strings.Contains(page.String(), want) || !strings.Contains(md.String(), want) {
			t.Errorf("%.30s is missing", want)
		}
	}
	for _, gone := range []string{"two\n", "secret-session"} {
		if strings.Contains(md.String(), gone) {
			t.Errorf("%q is in it", gone)
		}
	}
	if !strings.Contains(md.String(), "````json\n") {
		t.Error("the fence is no longer than what it holds")
	}
}

// A session of an agent becomes a chat that goes on in a copy of it.
func TestImportSession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	home, work := t.TempDir(), t.TempDir()
	line := func(format string, args ...any) string { return fmt.Sprintf(format, args...) }
	path := filepath.Join(home, "projects", "-x", "s-1.jsonl")
	r.must(os.MkdirAll(filepath.Dir(path), 0o700))
	r.must(os.WriteFile(path, []byte(strings.Join([]string{
		line(`{"type":"user","uuid":"1","timestamp":"2026-01-02T03:04:05.678Z","cwd":%q,"message":{"content":"fix \u0000 it"}}`, work),
		line(`{"type":"assistant","uuid":"2","parentUuid":"1","timestamp":"2026-01-02T03:04:04Z","message":{"content":[{"type":"text","text":%q}]}}`, strings.Repeat("long ", 10_000)),
		line(`{"type":"user","uuid":"3","parentUuid":"2","timestamp":"2999-01-02T03:05:05Z","message":{"content":"again"}}`),
		line(`{"type":"assistant","uuid":"4","parentUuid":"3","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"No."}]}}`),
	}, "\n")+"\n"), 0o600))
	before, err := os.ReadFile(path)
	r.must(err)
	s, err := history.Find(t.Context(), map[wire.AgentID]string{"claude": home}, "claude", "s-1")
	r.must(err)
	id, err := transfer.ImportSession(s, ann, r.chats, r.logs)
	r.must(err)
	m, err := r.chats.Get(id)
	r.must(err)
	l := r.log(id)
	if m.Title != "fix it" && !strings.HasPrefix(m.Title, "fix") || m.Cwd != work || m.Imported != "s-1" || m.ForkOf == nil || m.ForkOf.Seq != l.End().Seq-1 {
		t.Errorf("metadata %+v, fork %+v, log ends at %v", m, m.ForkOf, l.End())
	}
	state := chat.NewState(m.ForkOf.Seq)
	var kinds []string
	last := wire.Time{}
	for _, raw := range events(t, l) {
		r.must(state.Apply([]byte(raw)))
		env, _, err := wire.Decode([]byte(raw))
		r.must(err)
		if env.T.Before(last.Time) || env.T.After(time.Now().Add(2*time.Minute)) {
			t.Errorf("time of %s", raw)
		}
		last = env.T
		kinds = append(kinds, string(env.Type))
	}
	want := []string{
		"user", "run_started", "session", "assistant_text", "complete",
		"user", "run_started", "session", "error", "complete", "system",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	got := state.Resume("claude", chat.Abilities{Forks: true, Rewinds: true})
	if !got.Fork || got.Session != "s-1" || got.Turn != "2" {
		t.Errorf("the agent goes on by %+v; %s", got, events(t, l))
	}
	if state.Session("claude") != "" {
		t.Error("the session is resumed as it is")
	}
	after, err := os.ReadFile(path)
	r.must(err)
	if !bytes.Equal(before, after) {
		t.Error("the session was changed")
	}
}
