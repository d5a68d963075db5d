package app

import (
	"fmt"
	"os"
	"path/filepath"
)

// socketName is the control socket in the data folder.
const socketName = "control.sock"

// socketPath returns a path for the control socket of dir that is short enough
// for the system, and what to call once it has been used. A unix socket's path
// has room for about 100 bytes, a folder's may be longer: through a descriptor
// of the folder it is always short.
func socketPath(dir string) (string, func(), error) {
	f, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	path := filepath.Join(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), socketName)
	return path, func() { f.Close() }, nil //nolint:errcheck // only a name
}
