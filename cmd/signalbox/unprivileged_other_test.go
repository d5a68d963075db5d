//go:build !linux

package main

import (
	"fmt"
	"os/exec"

	"github.com/rogpeppe/go-internal/testscript"
)

// unprivileged arg... runs a program that file permissions hold for: the tests
// are not run by root here.
func cmdUnprivileged(ts *testscript.TestScript, neg bool, args []string) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Dir = scriptEnv(ts), ts.MkAbs(".")
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	err := cmd.Run()
	if neg != (err != nil) {
		ts.Fatalf("%v ended with: %v", args, err)
	}
	if err != nil {
		fmt.Fprintln(ts.Stderr(), err)
	}
}
