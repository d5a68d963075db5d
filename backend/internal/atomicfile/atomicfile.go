// Package atomicfile replaces whole files so that a reader, also one that comes
// after a crash or a power loss, finds the old content or the new, never a part.
//
// What the disk refuses is a fault that says what a person can do about it.
//
// All functions may be called from many goroutines at once; of two that write
// one file at the same time, one wins whole.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"

	"signalbox/backend/fault"
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
		return fault.Disk("replace "+path, err)
	}
	defer func() { err = errors.Join(err, f.Cleanup()) }() // does nothing once replaced
	if _, err := f.Write(data); err != nil {
		return fault.Disk("replace "+path, err)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return fault.Disk("replace "+path, err)
	}
	return syncDir(dir)
}

// Read returns what the file at path holds. Only a plain file is read: a pipe
// would never end, and a link may lead anywhere. A missing one is
// [fs.ErrNotExist], as with [os.ReadFile]; anything else has the cause
// [fault.ErrNotPlain].
func Read(path string) (_ []byte, err error) {
	st, err := os.Lstat(path)
	if err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: fault.ErrNotPlain}
	}
	if err != nil {
		return nil, fault.Disk("read file", err)
	}
	// It may be swapped just now: the flags keep that from leading elsewhere.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, fault.Disk("read file", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b, err := io.ReadAll(f)
	return b, fault.Disk("read file", err)
}

// Remove removes the file at path and returns when that is durable. A file that
// does not exist is no error.
func Remove(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Disk("remove file", err)
	}
	return syncDir(filepath.Dir(path))
}

// Sweep removes what an interrupted [Write] of the file at path left beside it.
// Nobody may write the file meanwhile.
func Sweep(path string) error {
	dir, prefix := filepath.Dir(path), "."+filepath.Base(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fault.Disk("look for temporary files", err)
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
		return fault.Disk("sync folder", err)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := d.Sync(); err != nil {
		return fault.Disk("sync folder", err)
	}
	return nil
}
