package auth_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/backend/access"
	"signalbox/backend/auth"
	"signalbox/backend/fault"
)

func makeToken(t *testing.T, a *auth.Auth, who auth.Identity, name string, scope auth.Scope, days int) (auth.Token, string) {
	t.Helper()
	made, secret, err := a.MakeToken(who, name, scope, days)
	if err != nil {
		t.Fatal(err)
	}
	return made, secret
}

func TestMakeToken_letsAProgramInUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := withUser(t, dir)
	person, _ := signIn(t, a)
	made, secret := makeToken(t, a, person, "  backup ", auth.ScopeFull, 0)
	read, readSecret := makeToken(t, a, person, "dashboard", auth.ScopeRead, 30)
	if made.Name != "backup" || made.Expires != nil || made.LastSeen != nil || read.Expires == nil || !strings.HasPrefix(secret, "sbx_") {
		t.Errorf("made %+v and %+v", made, read)
	}
	file, err := os.ReadFile(filepath.Join(dir, "sessions.json"))
	if err != nil || strings.Contains(string(file), secret) {
		t.Errorf("sessions.json holds the secret, or %v", err)
	}
	// A token is no session: it is in no list of those, and not ended as one.
	if err := a.RevokeOthers(person.Person.ID, person.Session); err != nil {
		t.Fatal(err)
	}
	wantCode(t, a.Revoke(person.Person.ID, made.ID), fault.NotFound)
	if got := a.Sessions(person.Person.ID); len(got) != 1 {
		t.Errorf("sessions %+v", got)
	}
	for _, a := range []*auth.Auth{a, open(t, dir)} {
		who, err := a.Identify(secret)
		if err != nil || who.Role != access.Member || who.Scope != auth.ScopeFull || who.Session != made.ID {
			t.Errorf("by the token: %+v, %v", who, err)
		}
		who, err = a.Identify(readSecret)
		if err != nil || who.Role != access.Viewer || who.Scope != auth.ScopeRead {
			t.Errorf("by the token to read: %+v, %v", who, err)
		}
		if list := a.Tokens(person.Person.ID); len(list) != 2 || list[0].LastSeen == nil {
			t.Errorf("tokens %+v", list)
		}
	}
	gone := a.Revoked(made.ID)
	if err := a.RevokeToken(person.Person.ID, made.ID); err != nil {
		t.Fatal(err)
	}
	<-gone
	wantCode(t, a.RevokeToken(person.Person.ID, made.ID), fault.NotFound)
	for _, a := range []*auth.Auth{a, open(t, dir)} {
		_, err := a.Identify(secret)
		wantCode(t, err, fault.Unauthorized)
	}
}

func TestMakeToken_refusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	a := withUser(t, t.TempDir())
	bob := addBob(t, a)
	person, _ := signIn(t, a)
	made, _ := makeToken(t, a, person, "script", auth.ScopeFull, 1)
	out, secret := signIn(t, a)
	if err := a.SignOut(secret); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, token string
		by          auth.Identity
		scope       auth.Scope
		days        int
		want        fault.Code
	}{
		{"a name that is taken", "Script", person, auth.ScopeRead, 1, fault.Conflict},
		{"no name", " ", person, auth.ScopeRead, 1, fault.Invalid},
		{"a long name", strings.Repeat("n", 65), person, auth.ScopeRead, 1, fault.Invalid},
		{"a name with a line", "a\nb", person, auth.ScopeRead, 1, fault.Invalid},
		{"an unknown scope", "x", person, "admin", 1, fault.Invalid},
		{"negative days", "x", person, auth.ScopeRead, -1, fault.Invalid},
		{"too many days", "x", person, auth.ScopeRead, 100_000, fault.Invalid},
		{"nobody", "x", auth.Identity{}, auth.ScopeRead, 1, fault.Unauthorized},
		{"a session that has ended", "x", out, auth.ScopeRead, 1, fault.Unauthorized},
	} {
		_, secret, err := a.MakeToken(tt.by, tt.token, tt.scope, tt.days)
		if fault.CodeOf(err) != tt.want || secret != "" {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	wantCode(t, a.RevokeToken(bob.ID, made.ID), fault.NotFound)
	for i := range 49 {
		makeToken(t, a, person, strings.Repeat("n", i+1), auth.ScopeRead, 0)
	}
	_, _, err := a.MakeToken(person, "one more", auth.ScopeRead, 0)
	wantCode(t, err, fault.Conflict)
}

func TestTokens_expireWhenTheyWereToAndNotByIdling(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		const day = 24 * time.Hour
		a := withUser(t, dir)
		stop := running(t, a)
		person, _ := signIn(t, a)
		short, shortSecret := makeToken(t, a, person, "short", auth.ScopeFull, 7)
		_, lasting := makeToken(t, a, person, "lasting", auth.ScopeFull, 0)
		time.Sleep(7*day - time.Second) // the bubble's clock
		if _, err := a.Identify(shortSecret); err != nil {
			t.Errorf("before its end: %v", err)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		_, err := a.Identify(shortSecret)
		wantCode(t, err, fault.Unauthorized)
		if !ended(a, short.ID) {
			t.Error("what it connected stays")
		}
		time.Sleep(400 * day)
		synctest.Wait()
		if _, err := a.Identify(lasting); err != nil {
			t.Errorf("one without an end: %v", err)
		}
		stop()
	})
}

func TestChangePassword_endsAllButTheSessionThatAsks(t *testing.T) {
	t.Parallel()
	a := withUser(t, t.TempDir())
	here, secret := signIn(t, a)
	there, _ := signIn(t, a)
	token, _ := makeToken(t, a, here, "script", auth.ScopeFull, 0)
	wantCode(t, a.ChangePassword(t.Context(), here, "not the password", "another password"), fault.Forbidden)
	wantCode(t, a.ChangePassword(t.Context(), here, pass, "short"), fault.Invalid)
	if ended(a, there.Session) || ended(a, token.ID) {
		t.Error("a change that was refused ended something")
	}
	if err := a.ChangePassword(t.Context(), here, pass, "another password"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Identify(secret); err != nil || !ended(a, there.Session) || !ended(a, token.ID) {
		t.Errorf("the session that asks: %v; the other ended: %t, the token: %t", err, ended(a, there.Session), ended(a, token.ID))
	}
	_, _, err := a.SignIn(t.Context(), "Ada", pass, browser)
	wantCode(t, err, fault.Unauthorized)
	if _, _, err := a.SignIn(t.Context(), "Ada", "another password", browser); err != nil {
		t.Error(err)
	}
}

// No sign-in that was under way, and no token that a session asks for which is over,
// outlives a change of the password.
func TestSetPassword_countsForSignInsUnderWay(t *testing.T) {
	t.Parallel()
	a := withUser(t, t.TempDir())
	asks, _ := signIn(t, a)
	for range 50 {
		var secret string
		var wg sync.WaitGroup
		wg.Go(func() { _, secret, _ = a.SignIn(t.Context(), "Ada", pass, browser) })
		wg.Go(func() {
			if err := a.SetPassword(t.Context(), "Ada", "another password"); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if secret != "" {
			_, err := a.Identify(secret)
			wantCode(t, err, fault.Unauthorized)
		}
		if err := a.SetPassword(t.Context(), "Ada", pass); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := a.MakeToken(asks, "late", auth.ScopeFull, 0)
	wantCode(t, err, fault.Unauthorized)
}

func TestSignIn_keepsWhatTheBrowserCallsItselfWithinBounds(t *testing.T) {
	t.Parallel()
	a := withUser(t, t.TempDir())
	id, _, err := a.SignIn(t.Context(), "Ada", pass, auth.Browser{Addr: here, Device: "A\x00\xff\n" + strings.Repeat("é", 200)})
	if err != nil {
		t.Fatal(err)
	}
	got := a.Sessions(id.Person.ID)[0].Device
	if want := "A" + strings.Repeat("é", 127); got != want {
		t.Errorf("device %q, want %q", got, want)
	}
}
