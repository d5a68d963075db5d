package auth_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"signalbox/backend/access"
	"signalbox/backend/auth"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	pass = "correct horse"
	here = "127.0.0.1:5000"
)

var browser = auth.Browser{Addr: here, Device: "Firefox"}

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

// addBob makes a second account.
func addBob(t *testing.T, a *auth.Auth) wire.Person {
	t.Helper()
	bob, err := a.AddUser(t.Context(), "Bob", pass, access.Member)
	if err != nil {
		t.Fatal(err)
	}
	return bob
}

// running runs a until the function that it returns is called.
func running(t *testing.T, a *auth.Auth) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func signIn(t *testing.T, a *auth.Auth) (auth.Identity, string) {
	t.Helper()
	id, secret, err := a.SignIn(t.Context(), "Ada", pass, browser)
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
	_, _, wrong := a.SignIn(t.Context(), "Ada", "not the password", browser)
	_, _, unknown := a.SignIn(t.Context(), "Bob", pass, browser)
	_, _, long := a.SignIn(t.Context(), "Ada", strings.Repeat("x", 2000), browser)
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
		if _, _, err := a.SignIn(t.Context(), name, pass, browser); err != nil {
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
	_, _, err := a.SignIn(t.Context(), "Ada", pass, browser)
	wantCode(t, err, fault.Unauthorized)
	if _, _, err := a.SignIn(t.Context(), "Ada", "another password", browser); err != nil {
		t.Error(err)
	}
}

// An account that could never sign in is told at the start, not at the door.
func TestOpen_refusesAnAccountThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, change := range [][2]string{
		{`"role": "member"`, `"role": "owner"`}, {`"role": "member"`, `"role": ""`}, {`"password": "`, `"secret": "`},
	} {
		t.Run(change[1], func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			signIn(t, withUser(t, dir))
			path := filepath.Join(dir, "users.json")
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), change[0]) {
				t.Fatalf("%s: %v", text, err)
			}
			text = []byte(strings.Replace(string(text), change[0], change[1], 1))
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err = auth.Open(dir, auth.Options{})
			wantCode(t, err, fault.Unavailable)
			if got, _ := os.ReadFile(path); string(got) != string(text) {
				t.Error("the file was changed")
			}
		})
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
	_, _, err = a.SignIn(t.Context(), "Ada", pass, browser)
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
	_, secret, err := a.SetUp(t.Context(), token, "Ada", pass, browser)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = a.SignIn(t.Context(), "typed-into-the-wrong-field", pass, browser)
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
	_, _, err := a.SignIn(ctx, "Ada", "wrong password", browser)
	if code := fault.CodeOf(err); code != fault.Canceled && code != fault.Unauthorized {
		t.Error(err)
	}
}
