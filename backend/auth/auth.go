// Package auth owns the accounts, the sessions and the tokens: who somebody is,
// and that they are still signed in. What they may do is package access's.
//
// It owns users.json and sessions.json in the data folder, each replaced whole
// and durable before the call that changed it returns; only when a session was
// last used is written later, by [Auth.Run]. Passwords are kept as argon2id
// hashes, the secrets of sessions and tokens as SHA-256 of 256 random bits. A
// secret is found by that hash: how long that takes says nothing of the secret.
//
// All methods may be called from many goroutines at once. Each sign-in, set-up
// and revocation is logged, without names that match no account, since people
// type passwords into the wrong field.
package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"signalbox/backend/access"
	"signalbox/backend/fault"
	"signalbox/backend/internal/atomicfile"
	"signalbox/backend/wire"
)

// Options configure [Open].
type Options struct {
	Log *slog.Logger // default discards
	// Cost is what one password's hash takes; the default takes 32 MiB and
	// about 80 ms of one core.
	Cost Cost
}

// Identity is somebody who is signed in.
type Identity struct {
	Person  wire.Person
	Role    access.Role
	Session string // the session's or token's id, not its secret
	// Scope is that of the token; empty for who signed in themselves.
	Scope Scope
}

// Auth is the accounts and sessions of one data folder. Use [Open].
type Auth struct {
	dir    string
	log    *slog.Logger
	hashes *hasher
	byAddr *limiter
	byName *limiter

	// writing is held from before a change is made until its file is written.
	// It is taken before mu.
	writing sync.Mutex

	mu       sync.Mutex
	users    []user
	sessions map[digest]*session
	touched  bool // a session was used since sessions.json was written
	setup    setup
}

// digest is the SHA-256 of a secret.
type digest [sha256.Size]byte

// newSecret returns 256 random bits as text, and their digest.
func newSecret() (string, digest) { return newPrefixedSecret("") }

func newPrefixedSecret(prefix string) (string, digest) {
	var b [32]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	s := prefix + base64.RawURLEncoding.EncodeToString(b[:])
	return s, sha256.Sum256([]byte(s))
}

// Open reads the accounts and sessions in dir. A file that cannot be read is an
// error: it never counts as "no accounts yet".
func Open(dir string, opts Options) (*Auth, error) {
	a := &Auth{
		dir:      dir,
		log:      opts.Log,
		hashes:   newHasher(opts.Cost),
		byAddr:   newLimiter(20, 3*time.Second),
		byName:   newLimiter(5, 20*time.Second),
		sessions: map[digest]*session{},
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	for _, name := range []string{usersFile, sessionsFile} {
		if err := atomicfile.Sweep(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	if err := a.readUsers(); err != nil {
		return nil, err
	}
	if err := a.readSessions(time.Now()); err != nil {
		return nil, err
	}
	return a, nil
}

// Run ends sessions when they expire and writes down when they were used, until
// ctx ends; then it writes a last time.
func (a *Auth) Run(ctx context.Context) error {
	const (
		look  = time.Minute
		write = 10 * time.Minute
	)
	tick := time.NewTicker(look)
	defer tick.Stop()
	written := time.Now()
	for {
		select {
		case <-ctx.Done():
			return a.flush()
		case now := <-tick.C:
			a.drop(func(s *session) bool { return s.expired(now) })
			if now.Sub(written) < write {
				continue
			}
			written = now
			if err := a.flush(); err != nil {
				a.log.Warn("sessions not written", "err", err)
			}
		}
	}
}

// Browser is where somebody signs in.
type Browser struct {
	Addr   string // the address that asks
	Device string // what the browser calls itself
}

// SignIn checks a name and password and begins a session. Both the address that
// asks and the account may try only so often ([Limited], fault
// rate_limited). An unknown name and a wrong password get the same answer
// (fault unauthorized) after the same work.
func (a *Auth) SignIn(ctx context.Context, name, password string, from Browser) (Identity, string, error) {
	if len(name) > longest {
		name = "" // nobody's, and kept from the limiter's keys
	}
	now := time.Now()
	key := fold(name)
	if wait := max(a.byAddr.take(network(from.Addr), now), a.byName.take(key, now)); wait > 0 {
		a.log.Warn("sign-in refused", "reason", "too many tries", "from", from.Addr)
		return Identity{}, "", tooMany(wait)
	}
	u, known := a.userNamed(key)
	hash := u.Password
	if !known {
		hash = a.hashes.decoy
	}
	ok, err := a.hashes.compare(ctx, password, hash)
	if err != nil {
		return Identity{}, "", err
	}
	if !ok || !known {
		a.log.Warn("sign-in failed", "user", cmp.Or(u.ID, "unknown"), "from", from.Addr)
		return Identity{}, "", wrongSignIn()
	}
	a.byName.forget(key)
	id, secret, err := a.begin(u, from)
	if err != nil {
		return Identity{}, "", err
	}
	a.log.Info("signed in", "user", u.ID, "session", id.Session, "from", from.Addr)
	return id, secret, nil
}

func wrongSignIn() error {
	return fault.New(fault.Unauthorized, "The name or the password is wrong.")
}

// AddUser makes an account (fault invalid for the name, password or role, conflict
// for a name that is taken).
func (a *Auth) AddUser(ctx context.Context, name, password string, role access.Role) (wire.Person, error) {
	u, err := a.newUser(ctx, name, password, role)
	if err != nil {
		return wire.Person{}, err
	}
	a.writing.Lock()
	defer a.writing.Unlock()
	if err := a.addLocked(u); err != nil {
		return wire.Person{}, err
	}
	a.log.Info("account made", "user", u.ID, "role", u.Role)
	return u.person(), nil
}

// ChangePassword gives a person who knows their password another, and ends all of
// their sessions and tokens but the session that asks (fault forbidden for a wrong
// password, invalid for the next, rate_limited as for [Auth.SignIn]).
func (a *Auth) ChangePassword(ctx context.Context, id Identity, password, next string) error {
	if err := checkPassword(next); err != nil {
		return err
	}
	key := fold(id.Person.Name)
	if wait := a.byName.take(key, time.Now()); wait > 0 {
		return tooMany(wait)
	}
	u, ok := a.findUser(func(u user) bool { return u.ID == id.Person.ID })
	if !ok {
		return signedOut()
	}
	switch ok, err := a.hashes.compare(ctx, password, u.Password); {
	case err != nil:
		return err
	case !ok:
		a.log.Warn("change of password refused", "user", u.ID, "reason", "wrong password")
		return fault.New(fault.Forbidden, "The password you have now is another.")
	}
	return a.setPassword(ctx, u.Name, next, &u.Password, id.Session)
}

// SetPassword gives an account a new password and ends all of its sessions and
// tokens (fault not_found).
func (a *Auth) SetPassword(ctx context.Context, name, password string) error {
	return a.setPassword(ctx, name, password, nil, "")
}

// setPassword is SetPassword for all but the session that is kept. With was it takes
// the place of that hash alone (fault conflict).
func (a *Auth) setPassword(ctx context.Context, name, password string, was *string, keep string) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	hash, err := a.hashes.hash(ctx, password)
	if err != nil {
		return err
	}
	key := fold(name)
	a.writing.Lock()
	defer a.writing.Unlock()
	u, ok := a.userNamed(key)
	if !ok {
		return fault.New(fault.NotFound, "There is no account %.80q.", name)
	}
	if was != nil && u.Password != *was {
		return fault.New(fault.Conflict, "The password was changed elsewhere at the same time.").
			WithHint("It is the one that was chosen there. Sign in with that.")
	}
	u.Password = hash
	next := a.copyUsers()
	next[slices.IndexFunc(next, func(o user) bool { return o.ID == u.ID })] = u
	if err := a.writeUsers(next); err != nil {
		return err
	}
	a.byName.forget(key)
	a.log.Info("password changed", "user", u.ID)
	return a.endLocked(func(s *session) bool { return s.User == u.ID && s.ID != keep })
}
