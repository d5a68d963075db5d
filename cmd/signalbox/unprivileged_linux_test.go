package main

import (
	"fmt"
	"os/exec"
	"runtime"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// unprivileged arg... runs a program that file permissions hold for, also where
// root runs the tests, and fails unless it fails.
func cmdUnprivileged(ts *testscript.TestScript, neg bool, args []string) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Dir = scriptEnv(ts), ts.MkAbs(".")
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	done := make(chan error, 1) // one value, from the thread
	go func() {
		// The thread is never unlocked, so that it ends with its goroutine
		// instead of serving others without the rights.
		runtime.LockOSThread()
		for _, c := range []uintptr{unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH} {
			// Without root there is nothing to drop.
			_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		}
		done <- cmd.Run()
	}()
	err := <-done
	if neg != (err != nil) {
		ts.Fatalf("%v ended with: %v", args, err)
	}
	if err != nil {
		fmt.Fprintln(ts.Stderr(), err)
	}
}
