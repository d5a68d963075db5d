package eventlog

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func datasync(f *os.File) error { return f.Sync() }

func syncAll(*os.File) error { return errors.ErrUnsupported }

// bootID names the time since the machine was last started.
func bootID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }
