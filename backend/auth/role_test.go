package auth_test

import (
	"testing"

	"signalbox/backend/access"
	"signalbox/backend/fault"
)

// What somebody asked for earlier is judged by what their account may do now.
func TestRoleOf(t *testing.T) {
	t.Parallel()
	a := open(t, t.TempDir())
	who, err := a.AddUser(t.Context(), "Eve", "a long enough secret", access.Viewer)
	if err != nil {
		t.Fatal(err)
	}
	if role, err := a.RoleOf(who.ID); err != nil || role != access.Viewer {
		t.Errorf("RoleOf = %s, %v", role, err)
	}
	if _, err := a.RoleOf("u_nobody"); fault.CodeOf(err) != fault.Forbidden {
		t.Errorf("RoleOf an account that is gone = %v", err)
	}
}
