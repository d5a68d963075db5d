package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"signalbox/backend/access"
	"signalbox/backend/fault"
)

// setupLife is how long a set-up token can be used.
const setupLife = 30 * time.Minute

// setup is the token with which the first account is made, while there is none.
// It lives in memory alone.
type setup struct {
	hash    digest
	expires time.Time // zero: no token
}

// NeedsSetup reports whether there is no account yet.
func (a *Auth) NeedsSetup() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.users) == 0
}

// SetupToken returns a new token for [Auth.SetUp], good once and for 30 minutes;
// earlier ones are void (fault conflict when there is an account).
func (a *Auth) SetupToken() (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.users) > 0 {
		return "", alreadySetUp()
	}
	token, hash := newSecret()
	a.setup = setup{hash: hash, expires: time.Now().Add(setupLife)}
	return token, nil
}

// SetUp makes the first account, an admin, and signs it in. It fails with
// invalid for the name or password, which leaves the token as it was, forbidden
// for a token that is wrong, old or used, and conflict when there is an account.
func (a *Auth) SetUp(ctx context.Context, token, name, password string, from Browser) (Identity, string, error) {
	if err := a.checkToken(token); err != nil {
		a.log.Warn("set-up refused", "reason", fault.CodeOf(err))
		return Identity{}, "", err
	}
	u, err := a.newUser(ctx, name, password, access.Admin)
	if err != nil {
		return Identity{}, "", err
	}
	if err := a.firstUser(token, u); err != nil {
		return Identity{}, "", err
	}
	a.log.Info("set up", "user", u.ID)
	return a.begin(u, from)
}

// firstUser stores u if the token still holds, and uses the token up.
func (a *Auth) firstUser(token string, u user) error {
	a.writing.Lock()
	defer a.writing.Unlock()
	// Another set-up may have ended while the password was hashed.
	if err := a.checkToken(token); err != nil {
		return err
	}
	if err := a.addLocked(u); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.setup = setup{}
	return nil
}

func (a *Auth) checkToken(token string) error {
	hash := sha256.Sum256([]byte(token))
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case len(a.users) > 0:
		return alreadySetUp()
	case !time.Now().Before(a.setup.expires), subtle.ConstantTimeCompare(hash[:], a.setup.hash[:]) != 1:
		return fault.New(fault.Forbidden, "This link is no longer valid.").
			WithHint("Run `signalbox setup-link` where the daemon runs to get a new one.")
	}
	return nil
}

func alreadySetUp() error {
	return fault.New(fault.Conflict, "Signalbox is set up already.").
		WithHint("Sign in, or let an admin make you an account.")
}
