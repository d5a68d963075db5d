package eventlog

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func datasync(f *os.File) error {
	return onFD(f, unix.Fdatasync)
}

// syncAll syncs the whole file system of dir with one call.
func syncAll(dir *os.File) error {
	return onFD(dir, unix.Syncfs)
}

// onFD calls do with f's descriptor, which can't be closed meanwhile.
func onFD(f *os.File, do func(int) error) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = c.Control(func(fd uintptr) {
		for {
			if failed = do(int(fd)); failed != unix.EINTR {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return failed
}

// bootID names the time since the machine was last started.
func bootID() (string, error) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b)), err
}
