package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"signalbox/backend/access"
	"signalbox/backend/fault"
	"signalbox/backend/internal/atomicfile"
	"signalbox/backend/internal/id"
	"signalbox/backend/wire"
)

const usersFile = "users.json"

// user is an account as users.json keeps it.
type user struct {
	ID       wire.UserID `json:"id"`
	Name     string      `json:"name"`
	Role     access.Role `json:"role"`
	Password string      `json:"password"` // argon2id, encoded
	Created  wire.Time   `json:"created"`
}

func (u user) person() wire.Person { return wire.Person{ID: u.ID, Name: u.Name} }

// usersDoc is users.json.
type usersDoc struct {
	Format int    `json:"format"`
	Users  []user `json:"users"`
}

// fold makes names equal that people take for the same.
func fold(name string) string {
	return strings.ToLower(norm.NFKC.String(strings.TrimSpace(name)))
}

// checkName returns the name as it is kept.
func checkName(name string) (string, error) {
	const most = 64
	name = strings.TrimSpace(name)
	if !utf8.ValidString(name) {
		return "", fault.New(fault.Invalid, "The name is not valid Unicode.")
	}
	name = norm.NFC.String(name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return "", fault.New(fault.Invalid, "The name is empty.")
	case n > most:
		return "", fault.New(fault.Invalid, "The name has %d characters; at most %d are allowed.", n, most)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return "", fault.New(fault.Invalid, "The name holds the character %U, which cannot be seen.", r)
		}
	}
	return name, nil
}

// newUser checks what is given and hashes the password; it stores nothing.
func (a *Auth) newUser(ctx context.Context, name, password string, role access.Role) (user, error) {
	name, err := checkName(name)
	if err != nil {
		return user{}, err
	}
	if err := checkPassword(password); err != nil {
		return user{}, err
	}
	if _, err := access.ParseRole(string(role)); err != nil {
		return user{}, err
	}
	hash, err := a.hashes.hash(ctx, password)
	if err != nil {
		return user{}, err
	}
	return user{
		ID: wire.UserID(id.New("u_")), Name: name, Role: role, Password: hash,
		Created: wire.Time{Time: time.Now()},
	}, nil
}

// addLocked stores u. The caller holds writing.
func (a *Auth) addLocked(u user) error {
	if _, taken := a.userNamed(fold(u.Name)); taken {
		return fault.New(fault.Conflict, "The name %q is taken.", u.Name).WithHint("Choose another.")
	}
	return a.writeUsers(append(a.copyUsers(), u))
}

func (a *Auth) userNamed(key string) (user, bool) {
	return a.findUser(func(u user) bool { return fold(u.Name) == key })
}

func (a *Auth) findUser(is func(user) bool) (user, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.findUserLocked(is)
}

func (a *Auth) findUserLocked(is func(user) bool) (user, bool) {
	if i := slices.IndexFunc(a.users, is); i >= 0 {
		return a.users[i], true
	}
	return user{}, false
}

func (a *Auth) copyUsers() []user {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.users)
}

// writeUsers writes users.json, then makes next what holds. The caller holds
// writing.
func (a *Auth) writeUsers(next []user) error {
	if err := a.replace(usersFile, usersDoc{Format: 1, Users: next}); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.users = next
	return nil
}

func (a *Auth) readUsers() error {
	var doc usersDoc
	if err := a.read(usersFile, &doc, &doc.Format); err != nil {
		return err
	}
	for _, u := range doc.Users {
		if err := u.check(); err != nil {
			return fault.New(fault.Unavailable, "The file %s holds an account that cannot be used: %v.", filepath.Join(a.dir, usersFile), err).
				WithHint("Correct the account, or bring the file back from a backup. Nothing was changed.")
		}
	}
	a.users = doc.Users
	return nil
}

// check returns why nobody could sign in as u.
func (u user) check() error {
	if u.ID == "" || u.Name == "" || u.Password == "" {
		return fmt.Errorf("%q lacks an id, a name or a password", u.Name)
	}
	if _, err := access.ParseRole(string(u.Role)); err != nil {
		return fmt.Errorf("%q has the role %q, which there is not", u.Name, u.Role)
	}
	return nil
}

// replace writes v to a file of the data folder.
func (a *Auth) replace(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(a.dir, name), append(data, '\n'), 0o600); err != nil {
		return fault.New(fault.Unavailable, "This could not be saved, and nothing was changed.").
			WithHint("Check that the data folder has room and can be written.").Because(err)
	}
	return nil
}

// read reads a file that [Auth.replace] wrote into v; a missing one is empty.
func (a *Auth) read(name string, v any, format *int) error {
	path := filepath.Join(a.dir, name)
	data, err := atomicfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.New(fault.Unavailable, "The accounts in %s cannot be read.", path).
			WithHint("Check that the file belongs to the user who runs the daemon.").Because(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fault.New(fault.Unavailable, "The file %s is damaged: %v.", path, err).
			WithHint("Bring it back from a backup. Nothing was changed.").Because(err)
	}
	if *format != 1 {
		return fault.New(fault.Unavailable, "The file %s has format %d, which this version cannot read.", path, *format).
			WithHint("Start the version of Signalbox that wrote it, or a later one.")
	}
	return nil
}
