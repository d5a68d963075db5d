package fault_test

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"signalbox/backend/fault"
)

// A person is told what the disk refused; what they can do nothing about stays
// internal.
func TestDisk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		says string // empty: internal
	}{
		{syscall.ENOSPC, "full"},
		{syscall.EDQUOT, "full"},
		{syscall.EROFS, "can't be written"},
		{syscall.EACCES, "can't be written"},
		{syscall.EMFILE, "too many files"},
		{syscall.EIO, "reports an error"},
		{syscall.ENOENT, "is gone"},
		{syscall.ENOTDIR, "is gone"},
		{syscall.EISDIR, "no plain file"},
		{syscall.EEXIST, "no plain file"},
		{fault.ErrNotPlain, "no plain file"},
		{errors.New("another"), ""},
	} {
		err := fault.Disk("write it", &fs.PathError{Op: "write", Path: "f", Err: tt.err})
		if !errors.Is(err, tt.err) || !strings.Contains(err.Error(), "write it") {
			t.Errorf("%v became %v", tt.err, err)
		}
		f, told := errors.AsType[*fault.Error](err)
		if told != (tt.says != "") {
			t.Errorf("%v: fault %v", tt.err, f)
		}
		if told && (f.Code != fault.Unavailable || !strings.Contains(f.Message, tt.says) || f.Hint == "") {
			t.Errorf("%v: %+v, want unavailable that says %q", tt.err, f, tt.says)
		}
	}
	if err := fault.Disk("write it", nil); err != nil {
		t.Error(err)
	}
}
