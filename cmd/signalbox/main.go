// Command signalbox is the daemon and its command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"signalbox/backend/agent/demo"
	"signalbox/backend/fault"
	"signalbox/backend/proc"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// Exit codes beside 0.
const (
	exitFailed  = 1
	exitInvalid = 2 // a command line or settings that cannot be right
)

func run(args []string) int {
	// Started by the daemon for each run: nothing else may slow them down.
	if len(args) > 0 {
		switch args[0] {
		case "supervise":
			return proc.Supervise()
		case "demo-agent":
			return demo.Main(context.Background(), os.Stdin, os.Stdout, args[1:])
		}
	}

	p := &program{}
	root := p.root()
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		fmt.Fprintf(os.Stderr, "signalbox: %v\nRun `signalbox --help` for what there is.\n", err)
		return exitInvalid
	}
	if p.err != nil {
		return explain(p.err)
	}
	return 0
}

// explain writes what went wrong, for people, and returns the exit code.
func explain(err error) int {
	var quiet silent
	if errors.As(err, &quiet) {
		return int(quiet)
	}
	code := exitFailed
	for _, err := range split(err) {
		f, ok := errors.AsType[*fault.Error](err)
		if !ok {
			fmt.Fprintf(os.Stderr, "signalbox: %v\n", err)
			continue
		}
		fmt.Fprintf(os.Stderr, "signalbox: %s\n", f.Message)
		if f.Hint != "" {
			fmt.Fprintf(os.Stderr, "  %s\n", f.Hint)
		}
		if f.Code == fault.Invalid {
			code = exitInvalid
		}
	}
	return code
}

// split takes apart errors that were joined.
func split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // the joint itself is meant
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, split(e)...)
	}
	return all
}

// silent is an exit code whose reason was printed already.
type silent int

func (silent) Error() string { return "failed" }
