package httpd

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCheckText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw string
		ok        bool
	}{
		{"plain", `{"text":"a\nb \\ \" — 😀"}`, true},
		{"pair of surrogates", `{"text":"\ud83d\ude00"}`, true},
		{"escaped backslash before u", `{"text":"\\ud800 \\u0000"}`, true},
		{"NUL", `{"text":"a\u0000b"}`, false},
		{"NUL after an escaped backslash", `{"text":"\\\u0000"}`, false},
		{"high half alone", `{"text":"\ud83d"}`, false},
		{"high half twice", `{"text":"\ud83d\ud83d"}`, false},
		{"high half before another escape", `{"text":"\ud83d\n"}`, false},
		{"low half alone", `{"text":"\ude00"}`, false},
		{"halves in the wrong order", `{"text":"\ude00\ud83d"}`, false},
		{"in a name", `{"\ud83d":1}`, false},
		{"not UTF-8", "{\"text\":\"\xff\"}", false},
		{"cut in an escape", `{"text":"\u00`, true}, // the decoder tells
	}
	for _, tt := range tests {
		if err := checkText([]byte(tt.raw)); (err == nil) != tt.ok {
			t.Errorf("%s: checkText returned %v", tt.name, err)
		}
	}
}

// What passes is decoded as it was written: no character stands for another.
func FuzzCheckText(f *testing.F) {
	for _, s := range []string{`"a"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\u0000"`, `"\\u0000"`, "\"\xff\"", `"�"`, `"\ufffd"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s string
		if checkText(raw) != nil || json.Unmarshal(raw, &s) != nil {
			return
		}
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Fatalf("%q passed as %q", raw, s)
		}
		written := strings.Count(string(raw), "\uFFFD") + strings.Count(strings.ToLower(string(raw)), `\ufffd`)
		if n := strings.Count(s, "\uFFFD"); n > written {
			t.Fatalf("%q has %d replaced characters", raw, n-written)
		}
	})
}
