package dialog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"signalbox/backend/wire"
)

// WritePrivate puts a file into the private folder of a run, for its user alone,
// and returns its path. A file of that name that is there is replaced.
func WritePrivate(dir, name string, content []byte) (string, error) {
	if dir == "" {
		return "", errors.New("the run has no private folder")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("create private folder: %w", err)
	}
	path := filepath.Join(dir, name)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("replace private file: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("create private file: %w", err)
	}
	_, err = f.Write(content)
	return path, errors.Join(err, f.Close())
}

// PrivateError is the error of a run whose settings could not be handed over.
func (p Program) PrivateError(err error) wire.Error {
	return wire.Error{
		Code: CodeStartFailed, Message: p.Name + " was not started: what it needs could not be written (" + Clip(err.Error()) + ").",
		Hint: "Look whether the disk of the data folder is full or read-only, then send the prompt again.",
	}
}
