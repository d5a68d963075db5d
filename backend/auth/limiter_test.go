package auth_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/backend/auth"
	"signalbox/backend/fault"
)

func TestSignIn_limitsTriesByAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a := withUser(t, dir)
		try := func(password, from string) error {
			_, _, err := a.SignIn(t.Context(), "Ada", password, auth.Browser{Addr: from})
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
			_, _, err := a.SignIn(t.Context(), strings.Repeat("x", i+1), pass, auth.Browser{Addr: from})
			wantCode(t, err, fault.Unauthorized)
		}
		_, _, err := a.SignIn(t.Context(), "Ada", pass, auth.Browser{Addr: "[2001:db8::1]:7"})
		wantCode(t, err, fault.RateLimited)
		if _, _, err := a.SignIn(t.Context(), "Ada", pass, auth.Browser{Addr: "2001:db8:0:1::1"}); err != nil {
			t.Errorf("another network: %v", err)
		}
	})
}
