package httpd

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/fault"
	"signalbox/backend/httpd/contract"
)

func TestScanID(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ head, want string }{
		{`{"type":"prompt","id":"k","text":"aaaa`, `"k"`},
		{`{"id":"k"}`, `"k"`},
		{`{"x":{"id":"inner"},"id":7,"text":"`, `7`},
		{`{"text":"aaaa`, ``},
		{`{"text":{"id":"k"`, ``},
		{`["id"`, ``},
		{`id`, ``},
		{``, ``},
	} {
		if got := string(scanID([]byte(tt.head))); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.head, got, tt.want)
		}
	}
}

// What no command of ours is gives a fault that may be told, and what is one
// says what was sent.
func FuzzDecode(f *testing.F) {
	s, err := New(Deps{}, Options{})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		`{"type":"prompt","id":"k","clientId":"m","text":"x","whenBusy":"reject","agent":"a","mode":"plan"}`,
		`{"type":"prompt","text":"x","TEXT":"y"}`, `{"type":"prompt","text":null}`, `[]`, `{`, `{"type":"prompt","text":1e999}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		_ = ackID(scanID(raw))
		cmd, err := decode[contract.PromptCommand](s.api, "PromptCommand", raw)
		if err != nil {
			if fault.CodeOf(err) != fault.Invalid {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		again, err := json.Marshal(cmd)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := decode[contract.PromptCommand](s.api, "PromptCommand", again)
		if err != nil {
			t.Fatalf("%q was taken, %q not: %v", raw, again, err)
		}
		if diff := cmp.Diff(cmd, twice); diff != "" {
			t.Fatal(diff)
		}
	})
}
