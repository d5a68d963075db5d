package app

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"signalbox/backend/fault"
)

// prepareFolder makes the data folder if it is not there and makes sure that it
// can be written. Where only the disk is full, what lies there can still be read: it
// is served, and nothing is saved until there is room. Its errors are for people.
func prepareFolder(dir string, log *slog.Logger) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return folderFault(dir, err)
		}
	case err != nil:
		return folderFault(dir, err)
	case !info.IsDir():
		return folderFault(dir, syscall.ENOTDIR)
	case info.Mode().Perm()&0o077 != 0:
		log.Warn("other accounts of this machine can look into the data folder", "data", dir, "fix", "chmod 700 "+dir)
	}
	err = writable(dir)
	if full(err) && holdsData(dir) {
		log.Error("the disk of the data folder is full: nothing is saved until there is room", "data", dir, "err", err)
		return nil
	}
	return folderFault(dir, err)
}

// full reports whether there is no room: on the disk, or for this user or process.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// holdsData reports whether a daemon has used the folder.
func holdsData(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "chats"))
	return err == nil && info.IsDir()
}

// writable tries to write in dir, and leaves nothing there.
func writable(dir string) error {
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	// A full disk takes names but no content.
	_, err = probe.Write(make([]byte, 4096))
	return errors.Join(err, probe.Close(), os.Remove(probe.Name()))
}

// folderFault says what is wrong with the data folder. A fault stays as it is.
func folderFault(dir string, err error) error {
	if err == nil || errors.As(err, new(*fault.Error)) {
		return err
	}
	f := fault.New(fault.Unavailable, "The data folder %s cannot be used: %s.", dir, cause(err)).Because(err)
	switch {
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EEXIST):
		f.Message = fmt.Sprintf("The data folder %s cannot be used: it, or a part of its path, is a file.", dir)
		f.Hint = "Choose another with --data or SIGNALBOX_DATA."
	case errors.Is(err, fs.ErrPermission):
		f.Hint = "Make it belong to the user who runs Signalbox, or choose another with --data or SIGNALBOX_DATA."
	case errors.Is(err, syscall.EROFS):
		f.Hint = "It is mounted read-only. Choose another with --data or SIGNALBOX_DATA."
	case full(err):
		f.Hint = "Make room on that disk, then start Signalbox again. Nothing was changed."
	default:
		f.Hint = "Choose another with --data or SIGNALBOX_DATA."
	}
	return f
}

// cause returns what the system said, without the path that the message has.
func cause(err error) string {
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		return no.Error()
	}
	return err.Error()
}
