// Package access says who may do what: one table for every route, socket and
// command.
//
// It is pure. It does not know who somebody is (package auth) nor whether what
// they name exists; a door asks it after both are known.
package access

import (
	"slices"

	"signalbox/backend/fault"
)

// Role is what an account may do at most.
type Role string

// The roles, from the most to the least.
const (
	Admin  Role = "admin"
	Member Role = "member"
	Viewer Role = "viewer"
)

// Roles returns every role, from the most to the least.
func Roles() []Role { return []Role{Admin, Member, Viewer} }

// ParseRole reads a role's name (fault invalid).
func ParseRole(s string) (Role, error) {
	if r := Role(s); slices.Contains(Roles(), r) {
		return r, nil
	}
	return "", fault.New(fault.Invalid, "%.40q is not a role", s).
		WithHint("The roles are admin, member and viewer.")
}

// Place is what an action is done to.
type Place string

// The places.
const (
	// Workspace is the daemon as a whole.
	Workspace Place = "workspace"
	// Loose is a chat that belongs to no project. Every account sees it.
	Loose Place = "loose"
	// Own is such a chat that the person made.
	Own Place = "own"
)

// Action is what somebody wants to do.
type Action string

// The actions.
const (
	Read        Action = "read"         // see it, follow it, mark it read
	Create      Action = "create"       // make a chat
	Send        Action = "send"         // send a prompt, which runs an agent
	Cancel      Action = "cancel"       // stop a run
	Answer      Action = "answer"       // answer what an agent asks
	Change      Action = "change"       // rename a chat, choose its agent and mode, archive it
	Rewind      Action = "rewind"       // take prompts out of a chat, or bring them back
	Delete      Action = "delete"       // put a chat into the trash, or take it out
	Purge       Action = "purge"        // delete what is in the trash for good
	Sessions    Action = "sessions"     // see the sessions that the daemon's user has with agents, and import them
	ManageUsers Action = "manage_users" // invite, remove, change roles
)

// Actions returns every action.
func Actions() []Action {
	return []Action{Read, Create, Send, Cancel, Answer, Change, Rewind, Delete, Purge, Sessions, ManageUsers}
}

// rules lists who may. What is not listed is forbidden.
var rules = map[Place]map[Action][]Role{
	Workspace: {
		Read:        {Admin, Member, Viewer},
		Create:      {Admin, Member},
		Sessions:    {Admin},
		ManageUsers: {Admin},
	},
	Loose: {
		Read:   {Admin, Member, Viewer},
		Send:   {Admin, Member},
		Cancel: {Admin, Member},
		Answer: {Admin, Member},
		Change: {Admin, Member},
		Rewind: {Admin, Member},
		Delete: {Admin, Member},
		Purge:  {Admin},
	},
	Own: {
		Purge: {Admin, Member},
	},
}

// words completes "You may not …".
var words = map[Action]string{
	Read:        "see this",
	Create:      "make chats",
	Send:        "send prompts here",
	Cancel:      "stop runs here",
	Answer:      "answer agents here",
	Change:      "change this chat",
	Rewind:      "rewind this chat",
	Delete:      "delete this chat",
	Purge:       "delete this chat for good",
	Sessions:    "see the sessions of the daemon's user",
	ManageUsers: "manage accounts",
}

// Check returns nil when role may do action at place, else fault forbidden with
// what is refused in words. Unknown roles, actions and places are refused.
func Check(role Role, action Action, place Place) error {
	if slices.Contains(rules[place][action], role) {
		return nil
	}
	what, ok := words[action]
	if !ok {
		what = "do this"
	}
	err := fault.New(fault.Forbidden, "You may not %s: your role is %s.", what, role)
	if role == Viewer && action != ManageUsers && action != Sessions {
		return err.WithHint("Ask an admin to make you a member.")
	}
	return err.WithHint("Ask an admin.")
}
