package auth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"signalbox/backend/access"
	"signalbox/backend/auth"
	"signalbox/backend/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	pass = "correct horse"
	here = "127.0.0.1:5000"
)

func open(t *testing.T, dir string) *auth.Auth {
	t.Helper()
	a, err := auth.Open(dir, auth.Options{
		Log:  slog.New(slog.NewTextHandler(t.Output(), nil)),
		Cost: auth.Cost{MemoryKiB: 8, Passes: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// withUser opens an auth with the account "Ada".
func withUser(t *testing.T, dir string) *auth.Auth {
	t.Helper()
	a := open(t, dir)
	if _, err := a.AddUser(t.Context(), "Ada", pass, access.Member); err != nil {
		t.Fatal(err)
	}
	return a
}

func signIn(t *testing.T, a *auth.Auth) (auth.Identity, string) {
	t.Helper()
	id, secret, err := a.SignIn(t.Context(), "Ada", pass, here)
	if err != nil {
		t.Fatal(err)
	}
	return id, secret
}

func wantCode(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("got %v, want code %q", err, want)
	}
}

func ended(a *auth.Auth, id string) bool {
	select {
	case <-a.Revoked(id):
		return true
	default:
		return false
	}
}

func TestSignIn_survivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id, secret := signIn(t, withUser(t, dir))

	a := open(t, dir)
	got, err := a.Identify(secret)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(id, got); diff != "" {
		t.Error(diff)
	}
	if got.Person.Name != "Ada" || got.Role != access.Member {
		t.Errorf("identity %+v", got)
	}
}

func TestSignIn_unknownNameAndWrongPasswordAnswerAlike(t *testing.T) {
	t.Parallel()
	a := withUser(t, t.TempDir())
	_, _, wrong := a.SignIn(t.Context(), "Ada", "not the password", here)
	_, _, unknown := a.SignIn(t.Context(), "Bob", pass, here)
	_, _, long := a.SignIn(t.Context(), "Ada", strings.Repeat("x", 2000), here)
	for _, err := range []error{wrong, unknown, long} {
		wantCode(t, err, fault.Unauthorized)
		if err == nil || err.Error() != wrong.Error() {
			t.Errorf("%v differs from %v", err, wrong)
		}
	}
}

func TestSignIn_takesTheNameAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	a := open(t, t.TempDir())
	if _, err := a.AddUser(t.Context(), "José", pass, access.Admin); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"josé", "JOSÉ", " José ", "Jose\u0301"} {
		if _, _, err := a.SignIn(t.Context(), name, pass, here); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestAddUser_refusesWhatCannotBeRight(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		user, password string
		role           access.Role
		want           fault.Code
	}{
		{"empty name", "  ", pass, access.Member, fault.Invalid},
		{"long name", strings.Repeat("é", 65), pass, access.Member, fault.Invalid},
		{"invisible character", "a\u200bb", pass, access.Member, fault.Invalid},
		{"line break", "a\nb", pass, access.Member, fault.Invalid},
		{"broken Unicode", "a\xff", pass, access.Member, fault.Invalid},
		{"short password", "Bob", "ninechars", access.Member, fault.Invalid},
		{"short in characters, long in bytes", "Bob", "ééééééééé", access.Member, fault.Invalid},
		{"long password", "Bob", strings.Repeat("x", 1025), access.Member, fault.Invalid},
		{"no role", "Bob", pass, "", fault.Invalid},
		{"taken", "ADA", pass, access.Member, fault.Conflict},
		{"taken in another form of Unicode", "\uff21da", pass, access.Member, fault.Conflict},
		{"longest allowed", strings.Repeat("é", 64), strings.Repeat("x", 1024), access.Viewer, ""},
		{"any Unicode", "李 小龙", "密码密码密码密码密码", access.Viewer, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := withUser(t, t.TempDir()).AddUser(t.Context(), tt.user, tt.password, tt.role)
			wantCode(t, err, tt.want)
		})
	}
}

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
	bob, err := a.AddUser(t.Context(), "Bob", pass, access.Member)
	if err != nil {
		t.Fatal(err)
	}
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

func TestSetPassword_endsAllSessions(t *testing.T) {
	t.Parallel()
	a := withUser(t, t.TempDir())
	id, _ := signIn(t, a)
	wantCode(t, a.SetPassword(t.Context(), "Bob", "another password"), fault.NotFound)
	wantCode(t, a.SetPassword(t.Context(), "Ada", "short"), fault.Invalid)
	if err := a.SetPassword(t.Context(), "ada", "another password"); err != nil {
		t.Fatal(err)
	}
	if !ended(a, id.Session) {
		t.Error("a session outlived the password")
	}
	_, _, err := a.SignIn(t.Context(), "Ada", pass, here)
	wantCode(t, err, fault.Unauthorized)
	if _, _, err := a.SignIn(t.Context(), "Ada", "another password", here); err != nil {
		t.Error(err)
	}
}

func TestSessions_expireAfterThirtyIdleDays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		const day = 24 * time.Hour
		a := withUser(t, dir)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- a.Run(ctx) }()
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
		if err := <-done; err != nil {
			t.Error(err)
		}
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
		if _, _, err := a.SignIn(t.Context(), "Ada", pass, fmt.Sprintf("10.0.0.%d", i)); err != nil {
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

func TestSignIn_limitsTriesByAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a := withUser(t, dir)
		try := func(password, from string) error {
			_, _, err := a.SignIn(t.Context(), "Ada", password, from)
			return err
		}
		addrs := []string{"10.0.0.1", "10.0.0.2:99", "[2001:db8::1]:5", "2001:db8:1::2", "?"}
		for _, from := range addrs {
			wantCode(t, try("wrong password", from), fault.Unauthorized)
		}
		err := try(pass, "10.0.0.9")
		wantCode(t, err, fault.RateLimited)
		limited, ok := errors.AsType[*auth.Limited](err)
		if !ok || limited.After != 20*time.Second {
			t.Fatalf("%v, want to wait for 20 s", err)
		}
		time.Sleep(limited.After - time.Nanosecond)
		wantCode(t, try(pass, here), fault.RateLimited)
		time.Sleep(time.Nanosecond)
		// The time that was told is exact, and a success clears the account.
		for range 6 {
			if err := try(pass, here); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestSignIn_limitsTriesByAddress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a := withUser(t, dir)
		for i := range 20 {
			// One subscriber's IPv6 addresses are one place.
			from := "2001:db8::" + string(rune('a'+i%6))
			_, _, err := a.SignIn(t.Context(), strings.Repeat("x", i+1), pass, from)
			wantCode(t, err, fault.Unauthorized)
		}
		_, _, err := a.SignIn(t.Context(), "Ada", pass, "[2001:db8::1]:7")
		wantCode(t, err, fault.RateLimited)
		if _, _, err := a.SignIn(t.Context(), "Ada", pass, "2001:db8:0:1::1"); err != nil {
			t.Errorf("another network: %v", err)
		}
	})
}

func TestSetUp_onceAndInTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a := open(t, dir)
		setUp := func(token string) error {
			_, _, err := a.SetUp(t.Context(), token, "Ada", pass)
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
		_, _, err = a.SetUp(t.Context(), second, "Ada", "short")
		wantCode(t, err, fault.Invalid)
		if !a.NeedsSetup() {
			t.Error("a refused password made an account")
		}
		time.Sleep(30*time.Minute - 1)
		id, secret, err := a.SetUp(t.Context(), second, "Ada", pass)
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
			_, _, err := a.SetUp(context.WithoutCancel(t.Context()), token, string(rune('a'+i)), pass)
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

// A damaged file must not open the set-up again.
func TestOpen_refusesADamagedFile(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"users.json", "sessions.json"} {
		for _, text := range []string{"", "{", "[]", `{"format":2}`, "null"} {
			t.Run(file+" "+text, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				signIn(t, withUser(t, dir))
				path := filepath.Join(dir, file)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				_, err := auth.Open(dir, auth.Options{})
				wantCode(t, err, fault.Unavailable)
				if got, _ := os.ReadFile(path); string(got) != text {
					t.Error("the file was changed")
				}
			})
		}
	}
}

func TestAddUser_aFolderThatCannotBeWrittenChangesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	a := withUser(t, dir)
	id, secret := signIn(t, a)
	if err := os.Rename(dir, dir+".gone"); err != nil {
		t.Fatal(err)
	}
	_, err := a.AddUser(t.Context(), "Bob", pass, access.Member)
	wantCode(t, err, fault.Unavailable)
	_, _, err = a.SignIn(t.Context(), "Ada", pass, here)
	wantCode(t, err, fault.Unavailable)
	// Signing out holds all the same, and says that it is not saved.
	wantCode(t, a.SignOut(secret), fault.Unavailable)
	if !ended(a, id.Session) {
		t.Error("the session lives on")
	}
	if err := os.Rename(dir+".gone", dir); err != nil {
		t.Fatal(err)
	}
	if _, err := a.AddUser(t.Context(), "Bob", pass, access.Member); err != nil {
		t.Error(err)
	}
}

func TestAuth_filesAndLogsHoldNoSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out bytes.Buffer
	a, err := auth.Open(dir, auth.Options{
		Log: slog.New(slog.NewTextHandler(&out, nil)), Cost: auth.Cost{MemoryKiB: 8, Passes: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	token, _ := a.SetupToken()
	_, secret, err := a.SetUp(t.Context(), token, "Ada", pass)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = a.SignIn(t.Context(), "typed-into-the-wrong-field", pass, here)
	wantCode(t, err, fault.Unauthorized)
	for _, name := range []string{"users.json", "sessions.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		info, _ := os.Stat(filepath.Join(dir, name))
		if perm := info.Mode().Perm(); perm != 0o600 {
			t.Errorf("%s has mode %o", name, perm)
		}
		out.Write(data)
	}
	for _, s := range []string{token, secret, pass, "typed-into-the-wrong-field"} {
		if strings.Contains(out.String(), s) {
			t.Errorf("%q is seen in %s", s, out.String())
		}
	}
	for _, word := range []string{"set up", "sign-in failed", "user=unknown"} {
		if !strings.Contains(out.String(), word) {
			t.Errorf("the log lacks %q", word)
		}
	}
}

func TestSignIn_givesUpWithItsCaller(t *testing.T) {
	t.Parallel()
	a := withUser(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// With both slots free either answer is right; it must not hang or sign in.
	_, _, err := a.SignIn(ctx, "Ada", "wrong password", here)
	if code := fault.CodeOf(err); code != fault.Canceled && code != fault.Unauthorized {
		t.Error(err)
	}
}
