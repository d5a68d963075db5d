package auth_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/backend/auth"
	"signalbox/backend/fault"
)

func TestSignOut_endsTheSessionForGood(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := withUser(t, dir)
	id, secret := signIn(t, a)
	other, otherSecret := signIn(t, a)
	gone := a.Revoked(id.Session)
	if err := a.SignOut(secret); err != nil {
		t.Fatal(err)
	}
	<-gone
	if !ended(a, id.Session) || ended(a, other.Session) {
		t.Error("the wrong session ended")
	}
	_, err := a.Identify(secret)
	wantCode(t, err, fault.Unauthorized)
	if _, err := a.Identify(otherSecret); err != nil {
		t.Error(err)
	}
	if err := a.SignOut(secret); err != nil {
		t.Errorf("signing out twice: %v", err)
	}
	_, err = open(t, dir).Identify(secret)
	wantCode(t, err, fault.Unauthorized)
}

func TestRevoke_onlyOnesOwn(t *testing.T) {
	t.Parallel()
	a := withUser(t, t.TempDir())
	bob := addBob(t, a)
	id, _ := signIn(t, a)
	wantCode(t, a.Revoke(bob.ID, id.Session), fault.NotFound)
	if got := a.Sessions(id.Person.ID); len(got) != 1 || got[0].ID != id.Session || got[0].From != here {
		t.Errorf("sessions %+v", got)
	}
	if err := a.Revoke(id.Person.ID, id.Session); err != nil {
		t.Fatal(err)
	}
	if !ended(a, id.Session) || len(a.Sessions(id.Person.ID)) != 0 {
		t.Error("the session lives on")
	}
}

func TestSessions_expireAfterThirtyIdleDays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		const day = 24 * time.Hour
		a := withUser(t, dir)
		stop := running(t, a)
		id, secret := signIn(t, a)
		idleID, idleSecret := signIn(t, a)

		time.Sleep(20 * day) // the bubble's clock
		if _, err := a.Identify(secret); err != nil {
			t.Errorf("after 20 days: %v", err)
		}
		time.Sleep(20 * day)
		synctest.Wait()
		_, err := a.Identify(idleSecret)
		wantCode(t, err, fault.Unauthorized)
		if !ended(a, idleID.Session) {
			t.Error("nobody who holds the expired session was told")
		}
		if ended(a, id.Session) {
			t.Error("a session in use expired")
		}
		stop()
		// The use on day 20 was written down, so the session outlives a restart.
		if _, err := open(t, dir).Identify(secret); err != nil {
			t.Error(err)
		}
	})
}

func TestSessions_areBounded(t *testing.T) {
	t.Parallel()
	a := withUser(t, t.TempDir())
	first, _ := signIn(t, a)
	for i := range 100 {
		if _, _, err := a.SignIn(t.Context(), "Ada", pass, auth.Browser{Addr: fmt.Sprintf("10.0.0.%d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(a.Sessions(first.Person.ID)); n != 100 {
		t.Errorf("%d sessions, want 100", n)
	}
	if !ended(a, first.Session) {
		t.Error("the oldest session did not end")
	}
}
