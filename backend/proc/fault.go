package proc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"signalbox/backend/fault"
)

// check finds the program of spec, or says what is wrong with spec.
func check(spec Spec) (path string, err error) {
	if len(spec.Argv) == 0 || spec.Argv[0] == "" {
		return "", fault.New(fault.Invalid, "There is no program to start.")
	}
	for _, s := range append(append([]string{spec.Dir, string(spec.Run)}, spec.Argv...), spec.Env...) {
		if strings.ContainsRune(s, 0) {
			return "", fault.New(fault.Invalid, "A NUL byte is in the folder, the arguments or the environment of %s.", filepath.Base(spec.Argv[0]))
		}
	}
	for _, v := range spec.Env {
		if i := strings.IndexByte(v, '='); i <= 0 {
			return "", fault.New(fault.Invalid, "A variable without a name or a value is in the environment of %s.", filepath.Base(spec.Argv[0]))
		}
	}
	// The folder first: a missing one and a missing program are one errno.
	if err := checkDir(spec.Dir); err != nil {
		return "", err
	}
	return findProgram(spec)
}

func checkDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return fault.New(fault.Invalid, "The working folder %q is not an absolute path.", dir)
	}
	switch st, err := os.Stat(dir); {
	case errors.Is(err, os.ErrNotExist):
		return fault.New(fault.NotFound, "The folder %s is not there.", dir).
			WithHint("Was it moved or deleted? Bring it back, then send the prompt again.").Because(err)
	case err != nil:
		return fault.New(fault.Unavailable, "The folder %s can't be opened.", dir).
			WithHint("Look at who may read it and the folders above it.").Because(err)
	case !st.IsDir():
		return fault.New(fault.NotFound, "%s is not a folder.", dir)
	}
	if err := unix.Access(dir, unix.X_OK); err != nil {
		return fault.New(fault.Unavailable, "The folder %s may not be entered.", dir).
			WithHint("Look at who may read it: chmod u+rx, or run as its owner.").Because(err)
	}
	return nil
}

// findProgram looks Argv[0] up as a shell would, but never in the working
// folder unless it is named with a slash.
func findProgram(spec Spec) (string, error) {
	name := spec.Argv[0]
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(spec.Dir, path)
		}
		return path, checkProgram(path)
	}
	path := lookup(spec.Env, "PATH")
	var denied error
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		err := checkProgram(file)
		if err == nil {
			return file, nil
		}
		if _, there := os.Stat(file); there == nil && fault.CodeOf(err) == fault.Unavailable && denied == nil {
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fault.New(fault.Unavailable, "%s is not installed, or not on the daemon's PATH.", name).
		WithHint("Install it, or add its folder to the PATH that the daemon starts with, and try again.").
		Because(errors.New("not found in " + path))
}

func checkProgram(path string) error {
	switch st, err := os.Stat(path); {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fault.New(fault.NotFound, "The program %s is not there.", path).
			WithHint("Install it, or correct its path in the settings.").Because(err)
	case err != nil:
		return fault.New(fault.Unavailable, "The program %s can't be reached.", path).Because(err)
	case st.IsDir():
		return fault.New(fault.NotFound, "%s is a folder, not a program.", path)
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return notExecutable(path, err)
	}
	return nil
}

func notExecutable(path string, err error) *fault.Error {
	return fault.New(fault.Unavailable, "%s is there, but may not be run.", path).
		WithHint("Make it executable: chmod +x %s. A file system that is mounted noexec refuses too.", path).Because(err)
}

// startFault puts words to a start that failed after check.
func startFault(spec Spec, path string, f failure) error {
	name := filepath.Base(path)
	err := errors.New(f.Text)
	if f.Stage == stageTerminal {
		return fault.New(fault.Unavailable, "%s could not be given a terminal: the system has none left.", name).
			WithHint("Is /dev/pts mounted, and is kernel.pty.max reached? End other terminals and try again.").Because(err)
	}
	if known := systemFault(name, f.Errno, err); known != nil {
		return known
	}
	if f.Stage == stageSupervisor {
		return fault.New(fault.Internal, "The supervisor of %s did not start.", name).Because(err)
	}
	switch f.Errno {
	case syscall.ENOENT, syscall.ENOTDIR:
		// Gone since check, or there and its interpreter is not.
		if err := checkDir(spec.Dir); err != nil {
			return err
		}
		if err := checkProgram(path); err != nil {
			return err
		}
		return fault.New(fault.Unavailable, "%s is there, but the interpreter or loader that it names is not.", path).
			WithHint("Look at its first line (#!), or install the build for this system.").Because(err)
	case syscall.EACCES, syscall.EPERM:
		if err := checkDir(spec.Dir); err != nil {
			return err
		}
		return notExecutable(path, err)
	case syscall.ENOEXEC:
		return fault.New(fault.Unavailable, "%s is not a program that this system can run.", path).
			WithHint("A script needs a first line such as #!/bin/sh; a binary must be built for this system.").Because(err)
	case syscall.E2BIG:
		return fault.New(fault.TooLarge, "The arguments and environment of %s are more than the system takes.", name).
			WithHint("Send long text on stdin or in a file.").Because(err)
	case syscall.ETXTBSY:
		return fault.New(fault.Unavailable, "%s is being written just now.", path).
			WithHint("Wait for its installation to end and try again.").Because(err)
	}
	return fault.New(fault.Internal, "%s did not start.", name).Because(err)
}

// systemFault is for what the whole machine has run out of; nil if it is not
// that.
func systemFault(name string, errno syscall.Errno, err error) error {
	switch errno {
	case syscall.EMFILE, syscall.ENFILE:
		return fault.New(fault.Unavailable, "%s could not start: no file descriptors are left.", name).
			WithHint("End other runs, or raise the limit of open files (ulimit -n).").Because(err)
	case syscall.EAGAIN:
		return fault.New(fault.Unavailable, "%s could not start: no more processes are allowed.", name).
			WithHint("End other runs, or raise the limit of processes (ulimit -u).").Because(err)
	case syscall.ENOMEM:
		return fault.New(fault.Unavailable, "%s could not start: the memory is full.", name).
			WithHint("End other runs or programs and try again.").Because(err)
	}
	return nil
}

func failureOf(s stage, err error) failure {
	f := failure{Stage: s, Text: err.Error()}
	errors.As(err, &f.Errno)
	return f
}

// asFault keeps a fault, words a system error, and else says what was done.
func asFault(name string, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		if known := systemFault(name, errno, err); known != nil {
			return known
		}
	}
	return fault.New(fault.Internal, "%s did not start.", name).Because(err)
}

func canceled(ctx context.Context, name string) error {
	return fault.New(fault.Canceled, "%s was not started: the start was given up.", name).Because(context.Cause(ctx))
}
