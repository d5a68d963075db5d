// Package atomicfile replaces whole files so that a reader, also one that comes
// after a crash or a power loss, finds the old content or the new, never a part.
//
// All functions may be called from many goroutines at once; of two that write
// one file at the same time, one wins whole.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// Write replaces the file at path with data and returns when both the content
// and the name are durable. The folder must exist. The file gets perm, whatever
// it had before and whatever the umask says.
//
// The temporary file lies in the same folder under a name that begins with a
// dot; a crash may leave it, [Sweep] removes it.
func Write(path string, data []byte, perm os.FileMode) (err error) {
	dir := filepath.Dir(path)
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(perm))
	if err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, f.Cleanup()) }() // does nothing once replaced
	if _, err := f.Write(data); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	return syncDir(dir)
}

// Remove removes the file at path and returns when that is durable. A file that
// does not exist is no error.
func Remove(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove file: %w", err)
	}
	return syncDir(filepath.Dir(path))
}

// Sweep removes what an interrupted [Write] of the file at path left beside it.
// Nobody may write the file meanwhile.
func Sweep(path string) error {
	dir, prefix := filepath.Dir(path), "."+filepath.Base(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look for temporary files: %w", err)
	}
	var errs []error
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), prefix)
		if ok && e.Type().IsRegular() && rest != "" && strings.Trim(rest, "0123456789") == "" {
			errs = append(errs, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}

func syncDir(dir string) (err error) {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}
