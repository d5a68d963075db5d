package auth

import (
	"signalbox/backend/access"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// RoleOf returns what the person's account may do now (fault forbidden when there
// is none any more), for what they asked for earlier.
func (a *Auth) RoleOf(id wire.UserID) (access.Role, error) {
	u, ok := a.findUser(func(u user) bool { return u.ID == id })
	if !ok {
		return "", fault.New(fault.Forbidden, "The account of who sent this is gone.").
			WithHint("Send it under another account.")
	}
	return u.Role, nil
}
