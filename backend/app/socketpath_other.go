//go:build !linux

package app

import (
	"path/filepath"

	"signalbox/backend/fault"
)

// socketName is the control socket in the data folder.
const socketName = "control.sock"

// socketPath returns the path of the control socket of dir, and what to call
// once it has been used.
func socketPath(dir string) (string, func(), error) {
	const room = 103 // of a unix socket's address, in bytes
	path := filepath.Join(dir, socketName)
	if len(path) > room {
		return "", nil, fault.New(fault.Unavailable,
			"The path of the data folder has %d bytes; with more than %d the command line cannot reach the daemon.",
			len(dir), room-len("/"+socketName)).WithHint("Choose a shorter one with --data or SIGNALBOX_DATA.")
	}
	return path, func() {}, nil
}
