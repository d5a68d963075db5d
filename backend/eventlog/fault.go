package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"signalbox/backend/fault"
)

// diskFault turns an error of the operating system into one that a person can
// act on. doing says what was attempted.
func diskFault(doing string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
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
		return fault.New(fault.Unavailable, "The disk is full: the last change was not saved. What was saved before is safe.").
			WithHint("Free some space on the disk of the data folder, then try again.").Because(cause)
	case is(fs.ErrPermission, syscall.EROFS):
		return fault.New(fault.Unavailable, "The data folder can't be written to. What was saved before is safe.").
			WithHint("Give the user of the daemon the right to write to the data folder, then try again.").Because(cause)
	case is(syscall.EMFILE, syscall.ENFILE):
		return fault.New(fault.Unavailable, "The daemon has too many files open.").
			WithHint("Try again in a moment; raise the limit of open files if it comes back.").Because(cause)
	case is(syscall.EIO):
		return fault.New(fault.Unavailable, "The disk reports an error: the last change may not be saved.").
			WithHint("Check the disk of the data folder and copy the folder to a safe place.").Because(cause)
	default:
		return cause
	}
}
