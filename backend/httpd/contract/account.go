package contract

import (
	"signalbox/backend/auth"
	"signalbox/backend/wire"
)

// BrowserSessionList is where the person is signed in, used last first.
type BrowserSessionList struct {
	Sessions []BrowserSession `json:"sessions"`
}

// BrowserSession is one browser in which the person is signed in.
type BrowserSession struct {
	ID       string    `json:"id"`
	Created  wire.Time `json:"created"`
	LastSeen wire.Time `json:"lastSeen"`
	// From is the address that signed in, Device what the browser called itself;
	// empty where that is not known.
	From   string `json:"from"`
	Device string `json:"device"`
	// Current marks the one that asks.
	Current bool `json:"current"`
}

// TokenList is the person's tokens, the newest first.
type TokenList struct {
	Tokens []Token `json:"tokens"`
}

// Token lets programs in, in its person's name. Its secret is shown only once.
type Token struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Scope    auth.Scope `json:"scope"`
	Created  wire.Time  `json:"created"`
	LastSeen *wire.Time `json:"lastSeen,omitempty"`
	Expires  *wire.Time `json:"expires,omitempty"`
}

// NewToken asks for a token.
type NewToken struct {
	Name  string     `json:"name" minLength:"1" maxLength:"100"`
	Scope auth.Scope `json:"scope"`
	// Days is how long it lives; without it, until it is revoked.
	Days int `json:"days,omitempty" minimum:"0"`
}

// MadeToken is the only answer that holds a token's secret.
type MadeToken struct {
	Token  Token  `json:"token"`
	Secret string `json:"secret"`
}

// PasswordChange gives the person another password.
type PasswordChange struct {
	Current string `json:"current" minLength:"1" maxLength:"1000"`
	Next    string `json:"next" minLength:"1" maxLength:"1000"`
}
