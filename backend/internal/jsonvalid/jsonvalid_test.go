package jsonvalid_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"signalbox/backend/internal/jsonvalid"
)

// It says what the standard library says, also of what is nested too deep to be
// walked by calls.
func TestBytes(t *testing.T) {
	t.Parallel()
	deep := func(n int) []byte {
		return append(bytes.Repeat([]byte("["), n), bytes.Repeat([]byte("]"), n)...)
	}
	for _, b := range [][]byte{
		nil, []byte(`{}`), []byte(`{"a":[1,2.5e-3,true,null,"\u00e9\\"]}`), []byte(`{"a":1,}`), []byte(`{"a":01}`),
		[]byte("{\"a\":\"\x01\"}"), []byte(`"\ud800"`), []byte(`{} {}`), []byte(" \t\n1 "),
		deep(100), deep(9_999), deep(10_001), deep(5_000_000), bytes.Repeat([]byte("["), 20_000_000),
	} {
		if got, want := jsonvalid.Bytes(b), json.Valid(b); got != want {
			t.Errorf("Bytes(%.40q…) of %d bytes = %v, want %v", b, len(b), got, want)
		}
	}
}

// It says what the standard library says, of anything.
func FuzzBytes(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e-3,true,false,null,{},[],""],"b\\\"\u00e9":{"c":" 01234567\"8"}}`, `[,]`, `{,}`, `[1,]`, `{"a"}`, `{"a":}`,
		`{"a" : 1 , "b":2}`, `[}`, `{]`, `-`, `01`, `1.`, `1e`, `.5`, `tru`, `"\x"`, `"\u12g4"`, `"12345678`, "\"1234567\x00\"", "\"\x7f\xff\xe4\"",
		`]`, `}`, `[[1],[2]]`, `{"a":{"b":{}}}`, `1 1`, ` `, `"a""b"`, `nullx`, `[1 2]`, `{"a":1 "b":2}`, `{1:2}`, "\"!# \x1f01234567\"",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := jsonvalid.Bytes(b), json.Valid(b); got != want {
			t.Errorf("Bytes(%q) = %v, want %v", b, got, want)
		}
	})
}

// Strings as agents print them: prose, and code with its escapes.
func BenchmarkBytes(b *testing.B) {
	for name, piece := range map[string]string{
		"prose": `The quick brown fox jumps over the lazy dog, and then it sleeps.\n`,
		"code":  `\tfor i := range 10 {\n\t\tfmt.Println(i, \"line\")\n\t}\n`,
	} {
		text := []byte(`{"type":"user","n":[1,2,3],"content":"` + strings.Repeat(piece, 150) + `"}`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !jsonvalid.Bytes(text) {
					b.Fatal("not JSON")
				}
			}
		})
	}
}
