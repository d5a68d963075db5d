package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent/jsonrpc"
)

func TestPeer_writesOneLineOfItsDialect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		dialect jsonrpc.Dialect
		want    string
	}{
		{"standard", jsonrpc.Standard, `{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"text":"x\ny"}}`},
		{"unmarked", jsonrpc.Unmarked, `{"id":1,"method":"a/b","params":{"text":"x\ny"}}`},
	} {
		p := jsonrpc.New(tt.dialect)
		line, call, err := p.Call("a/b", map[string]string{"text": "x\ny"})
		if err != nil || call != 1 || string(line) != tt.want+"\n" {
			t.Errorf("%s: Call = %s, %d, %v, want %s", tt.name, line, call, err, tt.want)
		}
	}
	p := jsonrpc.New(jsonrpc.Unmarked)
	for want, f := range map[string]func() ([]byte, error){
		`{"method":"initialized"}`: func() ([]byte, error) { return p.Notify("initialized", nil) },
		`{"id":0,"result":{"decision":"accept"}}`: func() ([]byte, error) {
			return p.Answer("0", map[string]string{"decision": "accept"})
		},
		`{"id":"x","error":{"code":-32601,"message":"no"}}`: func() ([]byte, error) {
			return p.Refuse(`"x"`, jsonrpc.MethodNotFound, "no")
		},
	} {
		if line, err := f(); err != nil || string(line) != want+"\n" {
			t.Errorf("line = %s, %v, want %s", line, err, want)
		}
	}
}

// Both sides number from 1: a line is told by its members, never by its id.
func TestPeer_keepsTheTwoNumberSpacesApart(t *testing.T) {
	t.Parallel()
	p := jsonrpc.New(jsonrpc.Unmarked)
	if _, _, err := p.Call("turn/start", nil); err != nil {
		t.Fatal(err)
	}
	var got []jsonrpc.Message
	for _, line := range []string{
		`{"id":1,"method":"approve","params":{"x":1}}`,
		`{"method":"delta","params":{"d":"é"}}`,
		`{"id":1,"result":{"turn":"t"}}`,
	} {
		m, err := p.Take([]byte(line))
		if err != nil {
			t.Fatalf("Take(%s): %v", line, err)
		}
		got = append(got, m)
	}
	want := []jsonrpc.Message{
		{Kind: jsonrpc.Request, Method: "approve", ID: "1", Params: json.RawMessage(`{"x":1}`)},
		{Kind: jsonrpc.Notification, Method: "delta", Params: json.RawMessage(`{"d":"é"}`)},
		{Kind: jsonrpc.Result, Method: "turn/start", Call: 1, Params: json.RawMessage(`{"turn":"t"}`)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestPeer_anErrorEndsTheCallItAnswers(t *testing.T) {
	t.Parallel()
	p := jsonrpc.New(jsonrpc.Standard)
	if _, _, err := p.Call("session/new", nil); err != nil {
		t.Fatal(err)
	}
	const line = `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Authentication required","data":{"a":1}}}`
	m, err := p.Take([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	want := &jsonrpc.Error{Code: -32000, Message: "Authentication required", Data: json.RawMessage(`{"a":1}`)}
	if m.Kind != jsonrpc.Failure || m.Method != "session/new" || !cmp.Equal(want, m.Error) {
		t.Errorf("Take = %+v, want the failure of session/new", m)
	}
	if m, err := p.Take([]byte(line)); err == nil {
		t.Errorf("a second answer = %+v, want an error", m)
	}
}

func TestPeer_refusesWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		``, `null`, `[]`, `"x"`, `{}`, `{"id":null}`, `{"id":7,"result":1}`, `{"id":"a","result":1}`,
		`{"id":1.5,"result":1}`, `{"id":{"a":1},"result":1}`, `{"error":{"code":1,"message":"x"}}`, `{"id":1`, "\x00",
	} {
		if m, err := jsonrpc.New(jsonrpc.Standard).Take([]byte(line)); err == nil {
			t.Errorf("Take(%q) = %+v, want an error", line, m)
		}
	}
}

// A CLI puts a command's whole output into one line.
func TestPeer_takesLinesOfAnyLength(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdef", 2<<20)
	m, err := jsonrpc.New(jsonrpc.Standard).Take([]byte(`{"method":"out","params":"` + text + `"}`))
	if err != nil || len(m.Params) != len(text)+2 {
		t.Errorf("Take = %d bytes, %v, want %d", len(m.Params), err, len(text)+2)
	}
}

func FuzzPeer_Take(f *testing.F) {
	f.Add([]byte(`{"id":1,"result":{}}`))
	f.Add([]byte(`{"id":"1","method":"x"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		p := jsonrpc.New(jsonrpc.Standard)
		if _, _, err := p.Call("m", nil); err != nil {
			t.Fatal(err)
		}
		m, err := p.Take(line)
		if err != nil || m.Kind != jsonrpc.Request {
			return
		}
		// An id goes back as it came.
		answer, err := p.Answer(m.ID, struct{}{})
		if err != nil {
			t.Fatalf("Answer(%q): %v", m.ID, err)
		}
		var sent, got struct{ ID json.RawMessage }
		if json.Unmarshal(line, &sent) != nil || json.Unmarshal(answer, &got) != nil || !sameJSON(sent.ID, got.ID) {
			t.Errorf("request has id %s, answer %s", sent.ID, answer)
		}
	})
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && x.String() == y.String()
}
