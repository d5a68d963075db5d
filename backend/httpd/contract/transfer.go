package contract

import (
	"signalbox/backend/history"
	"signalbox/backend/wire"
)

// SessionList is the sessions that the daemon's user has with agents outside of
// Signalbox, the one that was active last first.
type SessionList struct {
	Sessions []OutsideSession `json:"sessions"`
}

// OutsideSession is one of them.
type OutsideSession struct {
	history.Session

	// Chat is the chat that was made of it, or that it was made by; absent when
	// there is none.
	Chat wire.ChatID `json:"chat,omitempty"`
}

// SessionImport names the session that is to become a chat.
type SessionImport struct {
	Agent wire.AgentID `json:"agent" maxLength:"100"`
	ID    string       `json:"id" minLength:"1" maxLength:"200"`
}
