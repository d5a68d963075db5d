package auth

import (
	"slices"
	"time"

	"signalbox/backend/access"
	"signalbox/backend/fault"
	"signalbox/backend/internal/id"
	"signalbox/backend/wire"
)

const (
	// tokenPrefix tells people and scanners of secrets what leaked.
	tokenPrefix = "sbx_"
	// tokensEach bounds one account's tokens. None ends for a new one: some
	// program would fail without a word.
	tokensEach = 50
	// tokenDays is the longest that a token with an end may live.
	tokenDays = 3660
)

// Scope is what a token may do at most; its account may do no less.
type Scope string

// The scopes.
const (
	ScopeRead Scope = "read" // what a viewer sees, and no change of anything
	ScopeFull Scope = "full" // all but what concerns signing in
)

// Scopes returns every scope.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeFull} }

// Token is a program's way in, in its person's name.
type Token struct {
	ID      string      `json:"id"`
	User    wire.UserID `json:"user"`
	Name    string      `json:"name"`
	Scope   Scope       `json:"scope"`
	Created wire.Time   `json:"created"`
	// LastSeen is when it was last used; absent before that.
	LastSeen *wire.Time `json:"lastSeen,omitempty"`
	// Expires is when it ends; absent when nobody said.
	Expires *wire.Time `json:"expires,omitempty"`
}

type storedToken struct {
	Token

	Hash string `json:"hash"` // SHA-256 of the secret, in hex
}

// MakeToken makes a token of a person's that ends after so many days, or never
// for 0, and returns its secret, which is kept nowhere (fault invalid for the
// name, scope or days, conflict for a name that is taken or too many tokens,
// unauthorized where the session that asks has ended since it was identified: what
// ended it would not end a token that comes later).
func (a *Auth) MakeToken(by Identity, name string, scope Scope, days int) (Token, string, error) {
	person := by.Person.ID
	name, err := checkName(name)
	if err != nil {
		return Token{}, "", err
	}
	if !slices.Contains(Scopes(), scope) {
		return Token{}, "", fault.New(fault.Invalid, "%.40q is no scope.", string(scope)).WithHint("The scopes are read and full.")
	}
	if days < 0 || days > tokenDays {
		return Token{}, "", fault.New(fault.Invalid, "A token lives for 1 to %d days, or for 0, until it is revoked.", tokenDays)
	}
	now := time.Now()
	t := Token{ID: id.New("t_"), User: person, Name: name, Scope: scope, Created: wire.Time{Time: now}}
	if days > 0 {
		t.Expires = &wire.Time{Time: now.AddDate(0, 0, days)}
	}
	secret, hash := newPrefixedSecret(tokenPrefix)
	a.writing.Lock()
	defer a.writing.Unlock()
	if !slices.ContainsFunc(a.sessionsOf(person), func(s Session) bool { return s.ID == by.Session }) {
		return Token{}, "", signedOut()
	}
	mine := a.Tokens(person)
	if slices.ContainsFunc(mine, func(o Token) bool { return fold(o.Name) == fold(name) }) {
		return Token{}, "", fault.New(fault.Conflict, "You have a token %q already.", name).WithHint("Choose another name, or revoke that one.")
	}
	if len(mine) >= tokensEach {
		return Token{}, "", fault.New(fault.Conflict, "You have %d tokens, which is as many as there may be.", len(mine)).
			WithHint("Revoke one that nothing uses.")
	}
	s := &session{Session: Session{ID: t.ID, User: person, Created: t.Created}, token: &t, hash: hash, gone: make(chan struct{})}
	if err := a.writeSessions(func(*session) bool { return true }, s); err != nil {
		return Token{}, "", err
	}
	a.mu.Lock()
	a.sessions[hash] = s
	a.mu.Unlock()
	a.log.Info("token made", "user", person, "token", t.ID, "scope", scope)
	return t, secret, nil
}

// Tokens lists a person's tokens that have not expired, the newest first.
func (a *Auth) Tokens(user wire.UserID) []Token {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	list := []Token{}
	for _, s := range a.sessions {
		if s.token != nil && s.User == user && !s.expired(now) {
			list = append(list, s.tokenNow())
		}
	}
	slices.SortFunc(list, func(x, y Token) int { return y.Created.Compare(x.Created.Time) })
	return list
}

// RevokeToken ends a token of a person, and what is connected by it (fault
// not_found).
func (a *Auth) RevokeToken(user wire.UserID, tokenID string) error {
	if !slices.ContainsFunc(a.Tokens(user), func(t Token) bool { return t.ID == tokenID }) {
		return fault.New(fault.NotFound, "There is no such token.").WithHint("It has been revoked or has expired.")
	}
	return a.end(func(s *session) bool { return s.token != nil && s.User == user && s.ID == tokenID })
}

// tokenNow is the token of s as it stands; the caller holds mu.
func (s *session) tokenNow() Token {
	t := *s.token
	if !s.LastSeen.IsZero() {
		seen := s.LastSeen
		t.LastSeen = &seen
	}
	return t
}

// within is what a role comes to in a scope.
func (t *Token) within(role access.Role) access.Role {
	if t.Scope == ScopeRead {
		return access.Viewer
	}
	return role
}
