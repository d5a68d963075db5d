package contract

import (
	"signalbox/backend/search"
	"signalbox/backend/wire"
)

// IndexState says how far the search index is behind the chats.
type IndexState struct {
	// Behind is how many of the Chats are still to be read: what is in them may
	// not be found yet.
	Behind int `json:"behind"`
	Chats  int `json:"chats"`
	// Fault says why the index is not brought up to date; what it holds is still
	// searched.
	Fault *wire.Fault `json:"fault,omitempty"`
}

// SearchResults is a page of what a search found, the newest first.
type SearchResults struct {
	// Titles are the chats whose title was hit, where something happened last
	// first; on the first page alone.
	Titles []TitleHit  `json:"titles"`
	Hits   []SearchHit `json:"hits"`
	// Next is the cursor of the next page; absent at the end.
	Next  string     `json:"next,omitempty"`
	Index IndexState `json:"index"`
}

// TitleHit is a chat that a search found by its title.
type TitleHit struct {
	Chat     wire.ChatID    `json:"chat"`
	Title    search.Snippet `json:"title"`
	Archived bool           `json:"archived,omitempty"`
	Active   wire.Time      `json:"active"`
}

// SearchHit is an event that a search found.
type SearchHit struct {
	Chat     wire.ChatID `json:"chat"`
	Title    string      `json:"title"` // of the chat
	Archived bool        `json:"archived,omitempty"`
	// Seq, Type and T are those of the event; of an answer, where its part that
	// was hit begins.
	Seq     uint64         `json:"seq"`
	Type    wire.Type      `json:"type"`
	T       wire.Time      `json:"t"`
	Agent   wire.AgentID   `json:"agent,omitempty"`
	Snippet search.Snippet `json:"snippet"`
	// Copies are chats that have the same event, since they were forked.
	Copies []wire.ChatID `json:"copies,omitempty"`
}

// FindResults is what was found in one chat, the last first.
type FindResults struct {
	Matches []FindMatch `json:"matches"`
	// Next goes on from here as before; absent when the chat's beginning was
	// reached. There may be more although nothing was found: one request looks
	// through a bounded part of a long chat.
	Next  uint64     `json:"next,omitempty"`
	Index IndexState `json:"index"`
}

// FindMatch is an event, or a part of an answer, in which the text stands.
type FindMatch struct {
	Seq  uint64    `json:"seq"`
	Type wire.Type `json:"type"`
	T    wire.Time `json:"t"`
	// Count is how often it stands there.
	Count   int            `json:"count"`
	Snippet search.Snippet `json:"snippet"`
}
