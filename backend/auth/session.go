package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"signalbox/backend/fault"
	"signalbox/backend/internal/id"
	"signalbox/backend/wire"
)

const (
	sessionsFile = "sessions.json"
	// idle is how long a session lives without being used.
	idle = 30 * 24 * time.Hour
	// sessionsEach bounds one account's sessions; the one unused for longest
	// ends for a new one.
	sessionsEach = 100
)

// Session is somebody's sign-in as they see it in a list.
type Session struct {
	ID       string      `json:"id"`
	User     wire.UserID `json:"user"`
	Created  wire.Time   `json:"created"`
	LastSeen wire.Time   `json:"lastSeen"`
	From     string      `json:"from"` // the address that signed in
	// Device is what the browser that signed in called itself, at most deviceMost bytes.
	Device string `json:"device,omitempty"`
}

const deviceMost = 256

// session is one sign-in, or a token that stands for one.
type session struct {
	Session

	token *Token // nil for a sign-in
	hash  digest
	gone  chan struct{} // closed by whoever takes the session out of the map
}

// sessionsDoc is sessions.json.
type sessionsDoc struct {
	Format   int             `json:"format"`
	Sessions []storedSession `json:"sessions"`
	// Tokens stand apart: a version that knows none of them takes none for a session.
	Tokens []storedToken `json:"tokens,omitempty"`
}

type storedSession struct {
	Session

	Hash string `json:"hash"` // SHA-256 of the secret, in hex
}

// begin begins a session of u and returns its secret (fault unauthorized where the
// account has got another password since u was read: that has ended all sessions).
func (a *Auth) begin(u user, from Browser) (Identity, string, error) {
	secret, hash := newSecret()
	now := wire.Time{Time: time.Now()}
	s := &session{
		Session: Session{ID: id.New("s_"), User: u.ID, Created: now, LastSeen: now, From: from.Addr, Device: readable(from.Device)},
		hash:    hash, gone: make(chan struct{}),
	}
	a.writing.Lock()
	defer a.writing.Unlock()
	if _, ok := a.findUser(func(o user) bool { return o.ID == u.ID && o.Password == u.Password }); !ok {
		return Identity{}, "", wrongSignIn()
	}
	oldest := a.sessionsOf(u.ID)
	oldest = oldest[:max(0, len(oldest)-sessionsEach+1)]
	if err := a.writeSessions(func(o *session) bool {
		return !slices.ContainsFunc(oldest, func(d Session) bool { return d.ID == o.ID })
	}, s); err != nil {
		return Identity{}, "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range a.sessions {
		if slices.ContainsFunc(oldest, func(d Session) bool { return d.ID == o.ID }) {
			a.dropLocked(o)
		}
	}
	a.sessions[hash] = s
	return Identity{Person: u.person(), Role: u.Role, Session: s.ID}, secret, nil
}

// Identify tells whose secret it is and counts as a use of the session (fault
// unauthorized).
func (a *Auth) Identify(secret string) (Identity, error) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok := a.sessions[sha256.Sum256([]byte(secret))]
	if !ok || s.expired(now) {
		return Identity{}, signedOut()
	}
	u, ok := a.findUserLocked(func(u user) bool { return u.ID == s.User })
	if !ok {
		return Identity{}, signedOut()
	}
	s.LastSeen.Time, a.touched = now, true
	who := Identity{Person: u.person(), Role: u.Role, Session: s.ID}
	if s.token != nil {
		who.Role, who.Scope = s.token.within(u.Role), s.token.Scope
	}
	return who, nil
}

// readable cuts what a browser calls itself to what can be shown.
func readable(device string) string {
	device = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, device)
	for len(device) > deviceMost {
		_, last := utf8.DecodeLastRuneInString(device)
		device = device[:len(device)-last]
	}
	return device
}

func signedOut() error {
	return fault.New(fault.Unauthorized, "You are not signed in.").WithHint("Sign in.")
}

func (s *session) expired(now time.Time) bool {
	if s.token != nil {
		return s.token.Expires != nil && !now.Before(s.token.Expires.Time)
	}
	return now.Sub(s.LastSeen.Time) > idle
}

// SignOut ends the session that has the secret; there need be none.
func (a *Auth) SignOut(secret string) error {
	hash := digest(sha256.Sum256([]byte(secret)))
	return a.end(func(s *session) bool { return s.hash == hash })
}

// Sessions lists a person's sessions, the one unused for longest first.
func (a *Auth) Sessions(user wire.UserID) []Session { return a.sessionsOf(user) }

// Revoke ends one session of a person (fault not_found).
func (a *Auth) Revoke(user wire.UserID, sessionID string) error {
	if !slices.ContainsFunc(a.sessionsOf(user), func(s Session) bool { return s.ID == sessionID }) {
		return fault.New(fault.NotFound, "There is no such session.")
	}
	return a.end(func(s *session) bool { return s.token == nil && s.User == user && s.ID == sessionID })
}

// RevokeOthers ends all sessions of a person but one. Tokens stay.
func (a *Auth) RevokeOthers(user wire.UserID, keep string) error {
	return a.end(func(s *session) bool { return s.token == nil && s.User == user && s.ID != keep })
}

// Revoked returns a channel that is closed when the session or token has ended:
// signed out, revoked or expired. It is closed for one that does not exist.
func (a *Auth) Revoked(sessionID string) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.sessions {
		if s.ID == sessionID {
			return s.gone
		}
	}
	gone := make(chan struct{})
	close(gone)
	return gone
}

// end ends the sessions that are meant, at once; if that could not be written
// down, the error says so.
func (a *Auth) end(meant func(*session) bool) error {
	a.writing.Lock()
	defer a.writing.Unlock()
	return a.endLocked(meant)
}

// endLocked is end for a caller that holds writing.
func (a *Auth) endLocked(meant func(*session) bool) error {
	ended := a.drop(meant)
	if len(ended) == 0 {
		return nil
	}
	for _, s := range ended {
		a.log.Info("session ended", "user", s.User, "session", s.ID)
	}
	if err := a.writeSessions(func(*session) bool { return true }); err != nil {
		return fault.New(fault.Unavailable, "The session has ended, but that could not be saved: after a restart it would be back.").
			WithHint("Check that the data folder has room, then sign in and out again.").Because(err)
	}
	return nil
}

func (a *Auth) drop(meant func(*session) bool) (dropped []*session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.sessions {
		if meant(s) {
			a.dropLocked(s)
			dropped = append(dropped, s)
		}
	}
	return dropped
}

func (a *Auth) dropLocked(s *session) {
	delete(a.sessions, s.hash)
	close(s.gone)
}

// flush writes sessions.json if a session was used since. What has expired in
// the meantime is left out.
func (a *Auth) flush() error {
	a.writing.Lock()
	defer a.writing.Unlock()
	a.mu.Lock()
	touched := a.touched
	a.mu.Unlock()
	if !touched {
		return nil
	}
	return a.writeSessions(func(*session) bool { return true })
}

func (a *Auth) sessionsOf(user wire.UserID) []Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := []Session{}
	for _, s := range a.sessions {
		if s.token == nil && s.User == user {
			list = append(list, s.Session)
		}
	}
	slices.SortFunc(list, func(x, y Session) int { return x.LastSeen.Compare(y.LastSeen.Time) })
	return list
}

// writeSessions writes the sessions that are kept, and more, to sessions.json.
// The caller holds writing.
func (a *Auth) writeSessions(keep func(*session) bool, more ...*session) error {
	doc := sessionsDoc{Format: 1, Sessions: []storedSession{}}
	a.mu.Lock()
	for _, s := range a.sessions {
		if keep(s) {
			doc.add(s)
		}
	}
	a.touched = false
	a.mu.Unlock()
	for _, s := range more {
		doc.add(s)
	}
	slices.SortFunc(doc.Tokens, func(x, y storedToken) int { return x.Created.Compare(y.Created.Time) })
	slices.SortFunc(doc.Sessions, func(x, y storedSession) int { return x.Created.Compare(y.Created.Time) })
	err := a.replace(sessionsFile, doc)
	if err != nil {
		a.mu.Lock()
		a.touched = true
		a.mu.Unlock()
	}
	return err
}

func (d *sessionsDoc) add(s *session) {
	hash := hex.EncodeToString(s.hash[:])
	if s.token != nil {
		d.Tokens = append(d.Tokens, storedToken{Token: s.tokenNow(), Hash: hash})
		return
	}
	d.Sessions = append(d.Sessions, storedSession{Session: s.Session, Hash: hash})
}

func (a *Auth) readSessions(now time.Time) error {
	var doc sessionsDoc
	if err := a.read(sessionsFile, &doc, &doc.Format); err != nil {
		return err
	}
	for _, st := range doc.Sessions {
		a.take(&session{Session: st.Session}, st.Hash, now)
	}
	for _, st := range doc.Tokens {
		s := &session{Session: Session{ID: st.ID, User: st.User, Created: st.Created}, token: &st.Token}
		if st.LastSeen != nil {
			s.LastSeen = *st.LastSeen
		}
		if !slices.Contains(Scopes(), st.Scope) {
			a.log.Warn("token of a scope that there is not left out", "token", st.ID)
			continue
		}
		a.take(s, st.Hash, now)
	}
	return nil
}

// take makes a session that was read hold, unless it is over.
func (a *Auth) take(s *session, stored string, now time.Time) {
	hash, err := hex.DecodeString(stored)
	if err != nil || len(hash) != len(s.hash) {
		a.log.Warn("session without a usable hash left out", "session", s.ID)
		return
	}
	copy(s.hash[:], hash)
	if s.gone = make(chan struct{}); !s.expired(now) {
		a.sessions[s.hash] = s
	}
}
