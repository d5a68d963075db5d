// Package storage says what chats take on the disk, and what of that can be freed.
//
// It owns nothing and changes nothing. The folder that an agent works in can be
// as large as anything, so looking at it is bounded: what was counted by then is
// told as at least that.
package storage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// Use is what a chat takes on the disk, in bytes.
type Use struct {
	Log     int64 `json:"log"`     // what happened
	Blobs   int64 `json:"blobs"`   // large texts and files beside it
	Shared  int64 `json:"shared"`  // of Blobs: what forks have too
	Rewound int64 `json:"rewound"` // taken out by rewinds, kept for 7 days
	Damaged int64 `json:"damaged"` // taken out by repairs
	Work    int64 `json:"work"`    // the chat's own working folder, and files laid out for its agent
	// More says that Work was not counted to its end.
	More bool `json:"more,omitempty"`
}

// Total returns all of it.
func (u Use) Total() int64 { return u.Log + u.Blobs + u.Rewound + u.Damaged + u.Work }

// Freed returns what deleting the chat for good frees.
func (u Use) Freed() int64 { return u.Total() - u.Shared }

const (
	workEntries = 50_000
	workTime    = 2 * time.Second
)

// Meter measures the chats of a data folder. One call bounds all that it looks
// at in working folders.
type Meter struct {
	logs    *eventlog.Store
	entries int
	until   time.Time
}

// NewMeter returns a meter for one report.
func NewMeter(logs *eventlog.Store) *Meter {
	return &Meter{logs: logs, entries: workEntries, until: time.Now().Add(workTime)}
}

// Measure returns what a chat takes (fault not_found).
func (m *Meter) Measure(ctx context.Context, chat wire.ChatID) (Use, error) {
	d, err := m.logs.DiskUse(chat)
	if err != nil {
		return Use{}, err
	}
	u := Use{Log: d.Log, Blobs: d.Blobs, Shared: d.Shared, Rewound: d.Rewound, Damaged: d.Bad}
	for _, name := range []string{"work", "files"} {
		bytes, more := m.folder(ctx, filepath.Join(m.logs.Dir(chat), name))
		u.Work, u.More = u.Work+bytes, u.More || more
	}
	return u, nil
}

// errEnough ends the look at a folder.
var errEnough = errors.New("enough")

// folder adds up the plain files below dir. Links lead nowhere.
func (m *Meter) folder(ctx context.Context, dir string) (bytes int64, more bool) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, false // a chat that works elsewhere has none
	}
	defer root.Close() //nolint:errcheck // only read
	err = fs.WalkDir(root.FS(), ".", func(_ string, e fs.DirEntry, err error) error {
		if m.entries--; m.entries < 0 || ctx.Err() != nil || m.entries%256 == 0 && time.Now().After(m.until) {
			return errEnough
		}
		if err != nil {
			more = true // what may not be looked into is not counted
			return nil
		}
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() {
			bytes += st.Size()
		}
		return nil
	})
	return bytes, more || err != nil
}
