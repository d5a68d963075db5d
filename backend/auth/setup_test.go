package auth_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/backend/access"
	"signalbox/backend/fault"
)

func TestSetUp_onceAndInTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a := open(t, dir)
		setUp := func(token string) error {
			_, _, err := a.SetUp(t.Context(), token, "Ada", pass, browser)
			return err
		}
		wantCode(t, setUp(""), fault.Forbidden)
		old, err := a.SetupToken()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Minute)
		wantCode(t, setUp(old), fault.Forbidden)

		first, _ := a.SetupToken()
		second, _ := a.SetupToken()
		wantCode(t, setUp(first), fault.Forbidden)
		_, _, err = a.SetUp(t.Context(), second, "Ada", "short", browser)
		wantCode(t, err, fault.Invalid)
		if !a.NeedsSetup() {
			t.Error("a refused password made an account")
		}
		time.Sleep(30*time.Minute - 1)
		id, secret, err := a.SetUp(t.Context(), second, "Ada", pass, browser)
		if err != nil || id.Role != access.Admin {
			t.Fatalf("%+v, %v", id, err)
		}
		if _, err := a.Identify(secret); err != nil {
			t.Error(err)
		}
		wantCode(t, setUp(second), fault.Conflict)
		_, err = a.SetupToken()
		wantCode(t, err, fault.Conflict)
		if a.NeedsSetup() || open(t, dir).NeedsSetup() {
			t.Error("it still needs set-up")
		}
	})
}

func TestSetUp_ofTwoAtOnceOneWins(t *testing.T) {
	t.Parallel()
	a := open(t, t.TempDir())
	token, err := a.SetupToken()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make(chan error, 8) // one for each goroutine
	for i := range cap(errs) {
		wg.Go(func() {
			_, _, err := a.SetUp(context.WithoutCancel(t.Context()), token, string(rune('a'+i)), pass, browser)
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	won := 0
	for err := range errs {
		if err == nil {
			won++
			continue
		}
		wantCode(t, err, fault.Conflict)
	}
	if won != 1 {
		t.Errorf("%d set-ups won", won)
	}
}
