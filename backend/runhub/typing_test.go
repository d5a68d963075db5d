package runhub_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/wire"
)

// Others see who is writing, for 5 s after the last word of it, until they send or
// leave.
func TestTyping(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet("claude")
		w := start(t, p)
		defer w.stop()
		id := w.chat()
		a, b := w.follow(id, ann, nil), w.follow(id, bob, nil)
		defer a.feed.Close()
		defer b.feed.Close()
		type_ := func(who wire.Person) {
			t.Helper()
			if err := w.hub.Typing(id, who); err != nil {
				t.Fatal(err)
			}
		}
		nobody := func(v *view) bool { return v.typing != nil && len(v.typing) == 0 }
		writes := func(v *view, who wire.Person) {
			t.Helper()
			v.until(func() bool { return len(v.typing) > 0 })
			if diff := cmp.Diff([]wire.Person{who}, v.typing); diff != "" {
				t.Errorf("typing (-want +got):\n%s", diff)
			}
		}
		began := time.Now()
		type_(ann)
		type_(bob)
		writes(a, bob) // and not ann herself
		writes(b, ann)
		time.Sleep(3 * time.Second)
		type_(ann)
		a.until(func() bool { return nobody(a) })
		if d := time.Since(began); d != 5*time.Second {
			t.Errorf("bob was shown for %v", d)
		}
		b.until(func() bool { return nobody(b) })
		if d := time.Since(began); d != 8*time.Second {
			t.Errorf("ann was shown for %v", d)
		}

		type_(ann)
		writes(b, ann)
		w.prompt(id, "a", "hello")
		b.until(func() bool { return nobody(b) })
		if d := time.Since(began); d != 8*time.Second {
			t.Errorf("ann was shown until %v, though she had sent", d)
		}
		(<-p.calls).ok()
		w.settled(id)

		type_(bob)
		a.typing = nil
		writes(a, bob)
		b.feed.Close()
		a.until(func() bool { return nobody(a) })
		type_(bob) // who is not there is not shown
		synctest.Wait()
	})
}
