package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/wire"
)

func TestParsePosition(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want wire.Position
		ok   bool
	}{
		{in: "1:0", want: wire.Position{Epoch: 1}, ok: true},
		{in: "12:345", want: wire.Position{Epoch: 12, Seq: 345}, ok: true},
		{in: "1:9223372036854775807", want: wire.Position{Epoch: 1, Seq: 1<<63 - 1}, ok: true},
		{in: ""},
		{in: ":"},
		{in: "1"},
		{in: "1:"},
		{in: ":1"},
		{in: "1:2:3"},
		{in: "1:-1"},
		{in: "-1:1"},
		{in: "+1:1"},
		{in: "01:1"},
		{in: "1:01"},
		{in: "1: 1"},
		{in: "a:b"},
		{in: "1:9223372036854775808"},
		{in: "1:1e3"},
		{in: "١:١"},
	} {
		got, err := wire.ParsePosition(tt.in)
		if (err == nil) != tt.ok || got != tt.want {
			t.Errorf("ParsePosition(%q) = %v, %v, want %v, ok %v", tt.in, got, err, tt.want, tt.ok)
		}
		if err == nil && got.String() != tt.in {
			t.Errorf("ParsePosition(%q).String() = %q", tt.in, got)
		}
	}
}

func TestParseChatID_refusesWhatIsNoFolderName(t *testing.T) {
	t.Parallel()
	const good = "c_01KBACKF6X5S9V1M2N3P4Q5R6T"
	if id, err := wire.ParseChatID(good); err != nil || string(id) != good {
		t.Fatalf("ParseChatID(%q) = %q, %v", good, id, err)
	}
	for _, s := range []string{
		"", "c_", "../..", "c_../../../../../../etc/passw", "r_01KBACKF6X5S9V1M2N3P4Q5R6T", "c_01kbackf6x5s9v1m2n3p4q5r6t",
		good + "A", good[:27], "c_01KBACKF6X5S9V1M2N3P4Q5R6/", "c_01KBACKF6X5S9V1M2N3P4Q5R6\x00", "c_01KBACKF6X5S9V1M2N3P4Q5RÄ",
	} {
		if id, err := wire.ParseChatID(s); err == nil {
			t.Errorf("ParseChatID(%q) = %q, want an error", s, id)
		}
	}
}

func TestDraft_lineDecodesToTheSameEvent(t *testing.T) {
	t.Parallel()
	at := wire.Time{Time: time.Date(2026, 11, 30, 14, 2, 3, 45e6, time.UTC)}
	exit := 3
	events := append(wire.Events(),
		wire.User{Text: "<b>&\u2028\"\\ \x01 é 😀", ClientID: "k", By: wire.Person{ID: "u_1", Name: "Ann"}, Selection: wire.Selection{Mode: wire.ModeCode}},
		wire.ToolUseStart{ToolID: "t", Name: "Bash", Input: json.RawMessage(`{"command":"ls"}`)},
		wire.ToolUseEnd{ToolID: "t", OK: true, Output: "x", Detail: json.RawMessage(`{"stdout":"x"}`), ExitCode: &exit},
		wire.Complete{Status: wire.StatusOK, Usage: &wire.Usage{Input: 1, Output: 2}, MS: 9},
	)
	for _, ev := range events {
		if start, ok := ev.(wire.ToolUseStart); ok && start.Input == nil {
			start.Input = json.RawMessage(`null`)
			ev = start
		}
		d, err := wire.NewDraft("r_1", ev)
		if err != nil {
			t.Fatalf("NewDraft(%T): %v", ev, err)
		}
		line := d.AppendLine(nil, 7, at)
		if n := strings.Count(string(line), "\n"); n != 1 || line[len(line)-1] != '\n' {
			t.Errorf("%T: the line has %d line feeds: %q", ev, n, line)
		}
		env, got, err := wire.Decode(line)
		if err != nil {
			t.Fatalf("Decode(%s): %v", line, err)
		}
		if diff := cmp.Diff(wire.Envelope{Seq: 7, T: at, Type: ev.Type(), Run: "r_1"}, env); diff != "" {
			t.Errorf("%T: envelope (-want +got):\n%s", ev, diff)
		}
		if diff := cmp.Diff(ev, got); diff != "" {
			t.Errorf("%T (-want +got):\n%s", ev, diff)
		}
	}
}

func TestDecode_keepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	const line = `{"seq":1,"t":"2026-11-30T14:02:03.045Z","type":"later","run":"r_1","x":[1]}`
	_, ev, err := wire.Decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	u, ok := ev.(wire.Unknown)
	if !ok || u.Type() != "later" || string(u.Raw) != line {
		t.Errorf("Decode = %#v, want the line kept as it is", ev)
	}
}

func TestEncodeFrame(t *testing.T) {
	t.Parallel()
	seen := map[wire.Type]bool{}
	for _, f := range wire.Frames() {
		b, err := wire.EncodeFrame(f)
		if err != nil {
			t.Fatalf("EncodeFrame(%T): %v", f, err)
		}
		var got struct{ Type wire.Type }
		if err := json.Unmarshal(b, &got); err != nil || got.Type != f.Type() || seen[got.Type] {
			t.Errorf("EncodeFrame(%T) = %s, %v; its type must be its own", f, b, err)
		}
		seen[got.Type] = true
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"seq":1,"t":"2026-11-30T14:02:03.045Z","type":"user","text":"a"}`))
	f.Add([]byte(`{"seq":-1,"type":"epoch"}`))
	f.Add([]byte("\xff{"))
	f.Fuzz(func(t *testing.T, line []byte) {
		env, ev, err := wire.Decode(line)
		if err == nil && env.Type != ev.Type() {
			t.Errorf("envelope has type %q, event %q", env.Type, ev.Type())
		}
	})
}

func BenchmarkDraft(b *testing.B) {
	ev := wire.AssistantText{Item: "msg_1:0", Delta: strings.Repeat("word ", 20)}
	at := wire.Time{Time: time.Now()}
	var line []byte
	b.ReportAllocs()
	for b.Loop() {
		d, err := wire.NewDraft("r_01KBACKF6X5S9V1M2N3P4Q5R6T", ev)
		if err != nil {
			b.Fatal(err)
		}
		line = d.AppendLine(line[:0], 7, at)
	}
}
