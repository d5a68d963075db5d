//go:build linux

// Command bench measures the product beside the bare limits of the machine, in
// one run: a file that is only written, a pipe that is only read, sockets that
// only carry. It prints one table with the goals beside the figures.
//
// Speed is never asserted on a clock, unless -check asks for it. What is always
// checked, and ends the run with status 1, is completeness: every client must
// get every event once, in order.
//
// The cases of the product run the real daemon with a stand-in for the vendor's
// CLI that prints stamped lines; the clients live in this process, the bare
// servers in one of their own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	if spec := os.Getenv(bareVariable); spec != "" {
		if err := serveBare(spec); err != nil {
			fmt.Fprintln(os.Stderr, "bare server:", err)
			os.Exit(1)
		}
		return
	}
	opts := options{cases: regexp.MustCompile("")}
	flag.IntVar(&opts.rounds, "rounds", 5, "how often each pair of limit and product is measured, in turn")
	flag.StringVar(&opts.dir, "dir", "", "folder for data and binaries (default: a temporary one)")
	flag.BoolVar(&opts.json, "json", false, "print one JSON object a row before the table, which then goes to stderr")
	flag.BoolVar(&opts.scale, "scale", false, "the cases of one machine's scale, instead of the others")
	flag.DurationVar(&opts.soak, "soak", 0, "run for so long under random faults, instead of measuring")
	flag.Uint64Var(&opts.seed, "seed", 0, "of the soak's faults (default: of the clock)")
	flag.StringVar(&opts.check, "check", "", "file of goals (goals.json): status 1 if one is missed")
	flag.Float64Var(&opts.slack, "slack", 1, "how many times worse than its goal a figure may be")
	flag.StringVar(&opts.profile, "profile", "", "folder for profiles of the daemon; the figures then count for nothing")
	flag.Func("cases", "regular expression: only the cases that it matches", func(s string) (err error) {
		opts.cases, err = regexp.Compile(s)
		return err
	})
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, opts); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	rounds  int
	dir     string
	json    bool
	scale   bool
	check   string
	slack   float64
	profile string
	soak    time.Duration
	seed    uint64
	cases   *regexp.Regexp
}

// cases are measured in this order.
var cases = []struct {
	name  string
	scale bool
	run   func(*bench, context.Context) error
}{
	{"parse", false, (*bench).parse},
	{"storage", false, (*bench).storage},
	{"sync", false, (*bench).syncs},
	{"line", false, (*bench).line},
	{"cold", false, (*bench).cold},
	{"idle", false, (*bench).idle},
	{"latency-1", false, latency(1)},
	{"latency-10", false, latency(10)},
	{"latency-100", false, latency(100)},
	{"flat-1", false, flatOut(1)},
	{"flat-10", false, flatOut(10)},
	{"flat-100", false, flatOut(100)},
	{"reconnect", false, (*bench).reconnect},
	{"open", false, (*bench).open},
	{"slow", false, (*bench).slow},
	{"kill", false, (*bench).kill},
	{"long-line", false, (*bench).longLine},
	{"full-start", true, (*bench).fullStart},
	{"million", true, (*bench).million},
	{"crowd", true, (*bench).crowd},
}

func run(ctx context.Context, opts options) (err error) {
	goals, err := readGoals(opts.check)
	if err != nil {
		return err
	}
	dir := opts.dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "signalbox-bench-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	steal := stealNow()
	if opts.soak > 0 {
		return soak(ctx, dir, opts)
	}
	b := &bench{dir: dir, opts: opts, rep: newReport(dir, goals)}
	for _, c := range cases {
		if c.scale != opts.scale || !opts.cases.MatchString(c.name) {
			continue
		}
		if err := c.run(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	b.rep.unmeasured(opts)
	b.rep.noise(steal)
	table := os.Stdout
	if opts.json {
		table = os.Stderr
		if err := b.rep.writeJSON(os.Stdout); err != nil {
			return err
		}
	}
	if err := b.rep.writeTable(table); err != nil {
		return err
	}
	if opts.check == "" {
		return nil
	}
	return b.rep.missed(opts.slack)
}
