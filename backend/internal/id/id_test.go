package id_test

import (
	"testing"

	"signalbox/backend/internal/id"
	"signalbox/backend/wire"
)

func TestNew_risesAndParses(t *testing.T) {
	last := ""
	for range 10_000 {
		s := id.New("c_")
		if s <= last {
			t.Fatalf("id %s follows %s", s, last)
		}
		if _, err := wire.ParseChatID(s); err != nil {
			t.Fatal(err)
		}
		last = s
	}
}
