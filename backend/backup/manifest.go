package backup

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

const (
	format = 1

	beginName = "signalbox-backup.json" // the first entry
	endName   = "manifest.json"         // the last
	// Unfinished is the file that marks a data folder into which a backup is being
	// restored.
	Unfinished = "restoring"
)

// begin is the first entry.
type begin struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the program that wrote it
	Created wire.Time `json:"created"`
	// Data is where the data folder was: chats name their working folders in it.
	Data string `json:"data"`
}

// manifest is the last entry: a file that breaks off has none.
type manifest struct {
	Files map[string]sum `json:"files"`
}

// sum is how a file of the backup is checked.
type sum struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Summary is what a backup holds.
type Summary struct {
	Chats int   `json:"chats"`
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"` // before it is compressed
	// Changed are files in working folders that changed while they were copied.
	Changed []string `json:"changed,omitempty"`
}

// leftOut reports whether a file below the data folder is not part of a backup:
// it belongs to a process, can be made again, or is half-written.
func leftOut(name string) bool {
	if inWork(name) {
		return false
	}
	base := path.Base(name)
	switch {
	case strings.HasPrefix(base, "."), strings.HasPrefix(base, "index.db"), strings.HasSuffix(base, ".new"):
		return true
	case strings.HasPrefix(base, "new-") && path.Base(path.Dir(name)) == "blobs":
		return true
	}
	switch base {
	case "lock", "control.sock", "running.json", "open", Unfinished:
		return true
	}
	return path.Base(path.Dir(name)) == "rewound" && base == "new"
}

// inWork reports whether a name is below the working folder of a chat.
func inWork(name string) bool {
	parts := strings.SplitN(name, "/", 4)
	return len(parts) > 3 && parts[0] == "chats" && parts[2] == "work"
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// checkName returns why an entry of a backup cannot be restored under its name.
func checkName(name string) error {
	parts := strings.Split(name, "/")
	ok := filepath.IsLocal(filepath.FromSlash(name)) && path.Clean(name) == name && !leftOut(name)
	switch {
	case !ok:
	case parts[0] != "chats":
		for _, p := range parts {
			ok = ok && plainName.MatchString(p)
		}
	case len(parts) > 1:
		_, err := wire.ParseChatID(parts[1])
		ok = err == nil
	}
	if !ok {
		return fault.New(fault.Invalid, "The backup holds %.200q, which belongs in no data folder.", name).
			WithHint("Take another backup. Nothing was restored.")
	}
	return nil
}

func errDamaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, "The backup is damaged: %s.", fmt.Sprintf(format, args...)).
		WithHint("Take another backup. Nothing was restored.")
}
