package eventlog_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/internal/jsonvalid"
	"signalbox/backend/wire"
)

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func readBlob(t testing.TB, l *eventlog.Log, sum string) string {
	t.Helper()
	r, err := l.OpenBlob(sum)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func lastLine(t testing.TB, l *eventlog.Log) []byte {
	t.Helper()
	for raw, err := range l.Backward() {
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	t.Fatal("empty log")
	return nil
}

// A text that is taken out before the event is encoded leaves the same line as one
// that is found in it.
func TestLog_Append_largeTextsOfADraft(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	text, other := big("ä", 40_000), "\"\\\n"+big("z", 50_000)
	for _, ev := range []wire.Event{
		wire.AssistantText{Item: "i", Delta: text, Final: other},
		wire.Thinking{Item: "i", Final: text},
		wire.ToolUseEnd{ToolID: "t", Output: other, Detail: json.RawMessage(`{"stdout":"` + text + `"}`)},
	} {
		lifted, err := wire.NewDraft("r_1", ev)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := json.Marshal(ev)
		if err != nil {
			t.Fatal(err)
		}
		var lines [2]string
		for i, d := range []wire.Draft{lifted, {Type: ev.Type(), Run: "r_1", Body: whole}} {
			if _, err := l.Append(d); err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(lastLine(t, l)), `"type":`)
			lines[i] = rest
		}
		var got, want any
		if err := errors.Join(json.Unmarshal([]byte(`{"type":`+lines[0]), &got), json.Unmarshal([]byte(`{"type":`+lines[1]), &want)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); len(lifted.Large) == 0 || diff != "" {
			t.Errorf("%s: %d texts were taken out (-want +got):\n%s", ev.Type(), len(lifted.Large), diff)
		}
	}
}

func TestLog_Append_putsLargeStringsBeside(t *testing.T) {
	t.Parallel()
	whole := big("x", 32<<10)                        // the longest that stays
	large := big("y", 32<<10+1)                      // the shortest that goes
	runes := strings.Repeat("a", 4095) + "€" + large // a rune over the cut
	escaped := strings.Repeat("\"\\\n", 12_000)      // 36,000 bytes, 72,000 in JSON
	looks := strings.Repeat("\n", 20_000)            // 20,000 bytes, 40,000 in JSON
	for _, tt := range []struct {
		name string
		ev   wire.Event
		refs map[string]string // pointer to text
	}{
		{"at the limit", wire.ToolUseEnd{Output: whole}, nil},
		{"over the limit", wire.ToolUseEnd{Output: large}, map[string]string{"/output": large}},
		{"cut on a rune", wire.ToolUseEnd{Output: runes}, map[string]string{"/output": runes}},
		{"escapes count as what they stand for", wire.ToolUseEnd{Output: looks}, nil},
		{"escaped", wire.ToolUseEnd{Output: escaped}, map[string]string{"/output": escaped}},
		{
			"nested, with names to escape",
			wire.ToolUseStart{Input: json.RawMessage(`{"a/b~c":[1,{"x":[]},{"q\"":"` + large + `"}],"s":"` + runes + `","n":-1.5e3}`)},
			map[string]string{`/input/a~1b~0c/2/q"`: large, "/input/s": runes},
		},
		{"same text twice", wire.User{Text: large, ClientID: large}, map[string]string{"/text": large, "/clientId": large}},
		{"a large key stays", wire.ToolUseStart{Input: json.RawMessage(`{"` + large + `":1}`)}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLog(t)
			add(t, l, draft(t, tt.ev))
			raw := lastLine(t, l)
			env, ev, err := wire.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]wire.BlobRef{}
			for ptr, s := range tt.refs {
				want[ptr] = wire.BlobRef{SHA256: hashOf(s), Bytes: int64(len(s))}
				if got := readBlob(t, l, hashOf(s)); got != s {
					t.Errorf("body of %s has %d bytes, want the %d that were appended", ptr, len(got), len(s))
				}
			}
			if len(want) == 0 {
				want = nil
			}
			if diff := cmp.Diff(want, env.Refs); diff != "" {
				t.Errorf("refs (-want +got)\n%s", diff)
			}
			if end, ok := ev.(wire.ToolUseEnd); ok && want != nil {
				full := tt.ev.(wire.ToolUseEnd).Output
				if n := len(end.Output); n > 4096 || n < 4093 || full[:n] != end.Output || !utf8.ValidString(end.Output) {
					t.Errorf("the event holds %d bytes, want the first 4 KiB cut on a rune", n)
				}
			}
		})
	}
}

func TestLog_Append_refusesWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	add(t, l, text(t, "before"))
	for _, tt := range []struct {
		name string
		d    wire.Draft
	}{
		{"array", wire.Draft{Type: "system", Body: []byte(`[1]`)}},
		{"text", wire.Draft{Type: "system", Body: []byte(`hello`)}},
		{"open object", wire.Draft{Type: "system", Body: []byte(`{"a":1`)}},
		{"two objects", wire.Draft{Type: "system", Body: []byte(`{"a":1}{"b":2}`)}},
		{"line feed between fields", wire.Draft{Type: "system", Body: []byte("{\"a\":1,\n\"b\":2}")}},
		{"carriage return between fields", wire.Draft{Type: "system", Body: []byte("{\"a\":1,\r\"b\":2}")}},
		{"line feed in a string", wire.Draft{Type: "system", Body: []byte("{\"a\":\"\n\"}")}},
		{"white space around", wire.Draft{Type: "system", Body: []byte(` {"a":1} `)}},
		{"too deep", wire.Draft{Type: "system", Body: []byte(`{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`)}},
		{"seq", wire.Draft{Type: "system", Body: []byte(`{"a":{"seq":1},"seq":7}`)}},
		{"seq in escapes", wire.Draft{Type: "system", Body: []byte(`{"\u0073eq":7}`)}},
		{"no type", wire.Draft{Body: []byte(`{}`)}},
		{"type that breaks out", wire.Draft{Type: `x","seq":9,"y":"`, Body: []byte(`{}`)}},
		{"run that breaks out", wire.Draft{Type: "system", Run: `r","x":"`, Body: []byte(`{}`)}},
		{"epoch", wire.Draft{Type: wire.TypeEpoch, Body: []byte(`{"epoch":9,"keep":0,"cause":"rewind"}`)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := l.Append(text(t, "with it"), tt.d)
			wantCode(t, err, fault.Invalid)
		})
	}
	if got := all(t, l); len(got) != 1 {
		t.Errorf("events after refused appends: %v, want the first alone", got)
	}
	// What looks like them and is none.
	add(t, l, wire.Draft{Type: "system", Body: []byte(`{"a":{"seq":1,"type":"x"},"b":["run","refs"]}`)},
		wire.Draft{Type: "brand_new", Run: "r_1"})
}

func TestLog_Append_replacesBytesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	body := []byte("{\"delta\":\"a\xff\xfeb\"}")
	add(t, l, wire.Draft{Type: wire.TypeAssistantText, Body: body})
	if got := decode(t, lastLine(t, l)); got.Text != "a\uFFFDb" {
		t.Errorf("text = %q", got.Text)
	}
	if string(body) != "{\"delta\":\"a\xff\xfeb\"}" {
		t.Error("the draft was changed")
	}
}

func TestBlobWriter(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), eventlog.Options{})
	l, err := s.Create(newChat())
	if err != nil {
		t.Fatal(err)
	}
	put := func() wire.BlobRef {
		b, err := l.NewBlob()
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"hello ", "", "world"} {
			if _, err := io.WriteString(b, part); err != nil {
				t.Fatal(err)
			}
		}
		ref, err := b.Commit()
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Abort(); err != nil {
			t.Errorf("Abort after Commit: %v", err)
		}
		return ref
	}
	want := wire.BlobRef{SHA256: hashOf("hello world"), Bytes: 11}
	for range 2 {
		if got := put(); got != want {
			t.Errorf("Commit = %v, want %v", got, want)
		}
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	if got := readBlob(t, l, want.SHA256); got != "hello world" {
		t.Errorf("body = %q", got)
	}
	b, err := l.NewBlob()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Abort(); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(filepath.Join(s.Dir(chatOf(t, s)), "blobs")); err != nil || len(files) != 1 {
		t.Errorf("the folder holds %v (%v), want one body", files, err)
	}
}

// T12: no name leads out of the chat's bodies.
func TestLog_OpenBlob_namesOnly(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), eventlog.Options{})
	l, err := s.Create(newChat())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"", ".", "..", "../events.jsonl", "%2e%2e%2f", `..\events.jsonl`, "/etc/passwd", "a\x00b",
		strings.ToUpper(hashOf("x")), hashOf("x")[:63], hashOf("x") + "0", "../" + hashOf("x")[3:],
	} {
		_, err := l.OpenBlob(name)
		wantCode(t, err, fault.Invalid)
	}
	_, err = l.OpenBlob(hashOf("x"))
	wantCode(t, err, fault.NotFound)

	// An agent may put links into its chat's folder.
	blobs := filepath.Join(s.Dir(chatOf(t, s)), "blobs")
	if err := os.MkdirAll(blobs, 0o700); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(blobs, hashOf("x"))); err != nil {
		t.Fatal(err)
	}
	_, err = l.OpenBlob(hashOf("x"))
	wantCode(t, err, fault.NotFound)
}

// T12: what an agent puts where a body or a log belongs is not opened: a pipe
// would keep the daemon waiting, a link leads to another chat.
func TestLog_notPlain(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), eventlog.Options{})
	other := newChat()
	if _, err := s.Create(other); err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func(string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"link": func(path string) error {
			to, err := filepath.Rel(filepath.Dir(path), filepath.Join(s.Dir(other), "events.jsonl"))
			return errors.Join(err, os.Symlink(to, path))
		},
	} {
		chat := newChat()
		l, err := s.Create(chat)
		if err != nil {
			t.Fatal(err)
		}
		body := filepath.Join(s.Dir(chat), "blobs", hashOf("x"))
		if err := errors.Join(os.MkdirAll(filepath.Dir(body), 0o700), put(body)); err != nil {
			t.Fatal(err)
		}
		if _, err := l.OpenBlob(hashOf("x")); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("a %s for a body: %v, want not_found", name, err)
		}
		fresh := newChat()
		path := filepath.Join(s.Dir(fresh), "events.jsonl")
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), put(path)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Log(fresh); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("a %s for a log: %v, want unavailable", name, err)
		}
	}
}

func FuzzValidJSON(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,2.5e-3,true,null,"\u00e9\\"]}`, `{"a":1,}`, `{"seq":1}`, "{\"a\":\"\x01\"}", `{"a":"\ud800"}`, `[[[`, `{"a":01}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := jsonvalid.Bytes(b), json.Valid(b); got != want {
			t.Errorf("jsonvalid.Bytes(%q) = %v, want %v", b, got, want)
		}
		var m map[string]json.RawMessage
		if !json.Valid(b) || b[0] != '{' || json.Unmarshal(b, &m) != nil || !utf8.Valid(b) {
			return
		}
		want := false
		for k := range m {
			switch strings.ToLower(k) {
			case "seq", "t", "type", "run", "refs":
				want = true
			}
		}
		if got := eventlog.HasReserved(b); got != want {
			t.Errorf("HasReserved(%q) = %v, want %v", b, got, want)
		}
	})
}
