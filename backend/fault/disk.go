package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// ErrNotPlain is the cause of a fault for something in the data folder that is no
// plain file where one belongs: a folder, a pipe, a link.
var ErrNotPlain = errors.New("not a plain file")

// Disk turns an error that the operating system reports about the data folder
// into one that a person can act on. doing says what was attempted. What is a
// fault already stays as it is, and an error that no person can do anything about
// stays internal.
func Disk(doing string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	is := func(targets ...error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
	cause := fmt.Errorf("%s: %w", doing, err)
	switch {
	case is(syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG):
		return New(Unavailable, "The disk is full: the last change was not saved. What was saved before is safe.").
			WithHint("Free some space on the disk of the data folder, then try again.").Because(cause)
	case is(fs.ErrPermission, syscall.EROFS):
		return New(Unavailable, "The data folder can't be written to. What was saved before is safe.").
			WithHint("Give the user of the daemon the right to write to the data folder, then try again.").Because(cause)
	case is(syscall.EMFILE, syscall.ENFILE):
		return New(Unavailable, "The daemon has too many files open.").
			WithHint("Try again in a moment; raise the limit of open files if it comes back.").Because(cause)
	case is(syscall.EIO):
		return New(Unavailable, "The disk reports an error: the last change may not be saved.").
			WithHint("Check the disk of the data folder and copy the folder to a safe place.").Because(cause)
	case is(fs.ErrNotExist, syscall.ENOTDIR):
		return New(Unavailable, "A part of the data folder is gone: the last change was not saved.").
			WithHint("Bring the data folder back from a backup, then start Signalbox again.").Because(cause)
	case is(ErrNotPlain, syscall.EISDIR, syscall.ELOOP, syscall.EEXIST): // the last: a file moved over a folder
		return New(Unavailable, "Something in the data folder is no plain file where one belongs.").
			WithHint("The daemon's log names it: put the file in its place, from a backup.").Because(cause)
	default:
		return cause
	}
}
