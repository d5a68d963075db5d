package contract

import "signalbox/backend/index"

// UsageReport is what runs used. Days rise; all else comes with the most recent first.
// A run that forks copied counts once, in the chat where it was.
type UsageReport struct {
	By    index.By   `json:"by"`
	Sums  []UsageSum `json:"sums"`
	Total index.Sum  `json:"total"`
	Index IndexState `json:"index"`
}

// UsageSum is a part of a [UsageReport].
type UsageSum struct {
	index.Sum

	// Title is that of the chat, where it can be seen; a chat that was deleted for
	// good has none.
	Title string `json:"title,omitempty"`
}
