package jsonvalid_test

import (
	"bytes"
	"encoding/json"
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
