package latest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/internal/latest"
)

func TestSet_tellsEachOnceInOrder(t *testing.T) {
	t.Parallel()
	s := latest.New[string]()
	for _, k := range []string{"a", "b", "a", "c", "b"} {
		s.Note(k)
	}
	for _, want := range [][]string{{"a", "b"}, {"c"}} {
		select {
		case <-s.Woken():
		default:
			t.Fatal("not woken although something is left")
		}
		if diff := cmp.Diff(want, s.Take(2)); diff != "" {
			t.Errorf("Take (-want +got):\n%s", diff)
		}
	}
	select {
	case <-s.Woken():
		t.Error("woken for nothing")
	default:
	}
	s.Note("a")
	if got := s.Take(9); len(got) != 1 {
		t.Errorf("what changes again is told as %v", got)
	}
}
