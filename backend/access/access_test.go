package access_test

import (
	"testing"

	"signalbox/backend/access"
	"signalbox/backend/fault"
)

// Every combination is here, so that a change of the table is seen.
func TestCheck_everyCombination(t *testing.T) {
	t.Parallel()
	type where struct {
		place  access.Place
		action access.Action
	}
	allowed := map[where]map[access.Role]bool{
		{access.Workspace, access.Read}:        {access.Admin: true, access.Member: true, access.Viewer: true},
		{access.Workspace, access.Create}:      {access.Admin: true, access.Member: true},
		{access.Workspace, access.Sessions}:    {access.Admin: true},
		{access.Workspace, access.ManageUsers}: {access.Admin: true},
		{access.Loose, access.Read}:            {access.Admin: true, access.Member: true, access.Viewer: true},
		{access.Loose, access.Send}:            {access.Admin: true, access.Member: true},
		{access.Loose, access.Cancel}:          {access.Admin: true, access.Member: true},
		{access.Loose, access.Answer}:          {access.Admin: true, access.Member: true},
		{access.Loose, access.Change}:          {access.Admin: true, access.Member: true},
		{access.Loose, access.Rewind}:          {access.Admin: true, access.Member: true},
		{access.Loose, access.Delete}:          {access.Admin: true, access.Member: true},
		{access.Loose, access.Purge}:           {access.Admin: true},
		{access.Own, access.Purge}:             {access.Admin: true, access.Member: true},
	}
	for _, place := range []access.Place{access.Workspace, access.Loose, access.Own} {
		for _, action := range access.Actions() {
			for _, role := range access.Roles() {
				err := access.Check(role, action, place)
				if want := allowed[where{place, action}][role]; (err == nil) != want {
					t.Errorf("%s %s %s: got %v, want allowed %v", role, action, place, err, want)
				}
			}
		}
	}
}

func TestCheck_refusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		role   access.Role
		action access.Action
		place  access.Place
	}{
		{"no role", "", access.Read, access.Loose},
		{"unknown role", "root", access.Read, access.Loose},
		{"unknown action", access.Admin, "format_disk", access.Loose},
		{"unknown place", access.Admin, access.Read, "moon"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := access.Check(tt.role, tt.action, tt.place)
			if got := fault.CodeOf(err); got != fault.Forbidden {
				t.Errorf("code %q, want forbidden (%v)", got, err)
			}
		})
	}
}

func TestParseRole(t *testing.T) {
	t.Parallel()
	for _, want := range access.Roles() {
		if got, err := access.ParseRole(string(want)); err != nil || got != want {
			t.Errorf("ParseRole(%q) = %q, %v", want, got, err)
		}
	}
	for _, s := range []string{"", "Admin", "owner", "admin "} {
		if _, err := access.ParseRole(s); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("ParseRole(%q): %v, want invalid", s, err)
		}
	}
}
