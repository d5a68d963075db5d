//go:build linux

// Command bench measures the product beside the bare limits of the machine, in
// one run: a file that is only written, a pipe that is only read, sockets that
// only carry. It prints one table with the goals beside the figures.
//
// Speed is never asserted on a clock. What is checked, and ends the run with
// status 1, is completeness: every client must get every event once, in order.
//
// The cases of the product run the real daemon with a stand-in for the vendor's
// CLI that prints stamped lines; the clients live in this process.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if spec := os.Getenv(bareVariable); spec != "" {
		if err := serveBare(spec); err != nil {
			fmt.Fprintln(os.Stderr, "bare server:", err)
			os.Exit(1)
		}
		return
	}
	opts := options{}
	flag.IntVar(&opts.rounds, "rounds", 3, "how often each pair of limit and product is measured, in turn")
	flag.StringVar(&opts.dir, "dir", "", "folder for data and binaries (default: a temporary one)")
	flag.BoolVar(&opts.json, "json", false, "print one JSON object a row instead of the table")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, opts); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	rounds int
	dir    string
	json   bool
}

func run(ctx context.Context, opts options) (err error) {
	dir := opts.dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "signalbox-bench-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	steal := stealNow()
	rep := newReport(dir)
	for _, c := range []func(context.Context, string, options, *report) error{storage, line, product} {
		if err := c(ctx, dir, opts, rep); err != nil {
			return err
		}
	}
	rep.noise(steal)
	if opts.json {
		return rep.writeJSON(os.Stdout)
	}
	return rep.writeTable(os.Stdout)
}
