package contract

import (
	"signalbox/backend/storage"
	"signalbox/backend/wire"
)

// Storage is what the chats take on the disk, the largest first.
type Storage struct {
	Chats []ChatStorage `json:"chats"`
	Total int64         `json:"total"` // of the chats
	// Freeable is what can be freed without losing what a chat shows: what rewinds
	// took out, and what lies in the trash.
	Freeable int64 `json:"freeable"`
	Index    int64 `json:"index"` // of the search index
	// Free and Size are those of the disk that the data folder is on; absent where
	// they cannot be told.
	Free int64 `json:"free,omitempty"`
	Size int64 `json:"size,omitempty"`
}

// ChatStorage is what one chat takes on the disk, in bytes.
type ChatStorage struct {
	Chat    wire.ChatID `json:"chat"`
	Title   string      `json:"title"`
	Trashed bool        `json:"trashed,omitempty"`
	storage.Use
	Total int64 `json:"total"`
	// Freed is what deleting it for good would free.
	Freed int64 `json:"freed"`
}
