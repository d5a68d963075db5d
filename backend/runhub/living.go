package runhub

import (
	"errors"
	"slices"
	"syscall"

	"signalbox/backend/proc"
)

// living returns those of ps that have not ended.
func living(ps []proc.Process) []proc.Process {
	return slices.DeleteFunc(slices.Clone(ps), func(p proc.Process) bool {
		return errors.Is(syscall.Kill(p.PID, 0), syscall.ESRCH)
	})
}
