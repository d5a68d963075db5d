package app

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// examineSystem tells whether the system can find every process of a run.
func examineSystem() Finding {
	f := Finding{What: "processes", State: "every process of a run can be found and ended"}
	var on int32
	if err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&on)), 0, 0, 0); err != nil {
		f.State, f.Bad = "this kernel has no subreapers: "+err.Error(), true
		f.Hint = "Linux 3.4 or newer is needed."
	}
	return f
}
