package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/agent/selftest"
	"signalbox/backend/config"
	"signalbox/backend/fault"
	"signalbox/backend/proc"
)

// Finding is one thing that the doctor looked at.
type Finding struct {
	What   string
	State  string // one or a few words
	Bad    bool   // it keeps Signalbox from working
	Detail []string
	Hint   string
}

// Examine looks at what Signalbox needs on this machine: the agents, the data
// folder, the address, the system. It changes nothing and starts nothing but the
// agents' own probes.
func Examine(ctx context.Context, cfg *config.Config) ([]Finding, error) {
	agents, err := newAgents(cfg, "", slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	status, err := NewClient(cfg.Data).Status(ctx)
	running := err == nil
	found := []Finding{examineFolder(cfg.Data, running)}
	found = append(found, examineAddr(cfg.Addr, status, running), examineSystem())
	agents.Refresh(ctx)
	for _, d := range agents.Statuses(ctx) {
		found = append(found, examineAgent(d))
	}
	return found, nil
}

// ExamineDeeply plays a few short turns through each agent that is installed, offline
// and with a home of its own, and says which behaviours hold. It takes a while.
func ExamineDeeply(ctx context.Context, cfg *config.Config, exe string) ([]Finding, error) {
	dir, err := os.MkdirTemp("", "signalbox-doctor-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the test: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left there is small
	launcher := proc.NewLauncher(proc.Options{Exe: exe, Instance: dir, Log: slog.New(slog.DiscardHandler)})
	agents, err := newAgents(cfg, exe, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	agents.Refresh(ctx)
	found := make([]Finding, 0, len(selftest.Agents()))
	for _, d := range agents.Statuses(ctx) {
		// For these turns no sign-in is needed.
		runs := d.Status.State == agent.StateReady || d.Status.State == agent.StateNotSignedIn
		if !slices.Contains(selftest.Agents(), d.Info.ID) || !runs {
			continue
		}
		subject := selftest.Subject{ID: d.Info.ID, Path: d.Status.Path, Environ: os.Environ()}
		held, err := selftest.Run(ctx, subject, launcher)
		if ctx.Err() != nil {
			return nil, fault.New(fault.Unavailable, "The test of %s took too long.", d.Info.Name).
				WithHint("Try it again when the machine is less busy.").Because(err)
		}
		found = append(found, deepFinding(d, held, err))
	}
	return found, nil
}

// deepFinding puts the test of an agent into words.
func deepFinding(d agent.Described, held []selftest.Finding, err error) Finding {
	f := Finding{What: "test " + string(d.Info.ID), State: "holds"}
	for _, h := range held {
		line := "ok  " + h.Behaviour
		if h.Problem != "" {
			line = "!!  " + h.Behaviour + ": " + h.Problem
			f.State, f.Bad = "does not hold", true
		}
		f.Detail = append(f.Detail, line)
	}
	if err != nil {
		f.State, f.Bad = "could not be made: "+cause(err), true
	}
	if f.Bad {
		f.Hint = "Update Signalbox"
		if v := d.Status; v.Version != v.Tested && v.Tested != "" {
			f.Hint += ", or install version " + v.Tested + " of " + d.Info.Name + ", with which this one is tested"
		}
		f.Hint += "."
	}
	return f
}

func examineAgent(d agent.Described) Finding {
	f := Finding{What: "agent " + string(d.Info.ID), State: strings.ReplaceAll(string(d.Status.State), "_", " "), Hint: d.Status.Hint}
	version := d.Status.Version
	if d.Status.Tested != "" && version != "" && version != d.Status.Tested {
		version += " (tested with " + d.Status.Tested + ")"
	}
	if d.Status.SignIn == agent.SignInFound {
		version += ", signed in"
	}
	for _, s := range []string{version, d.Status.Path, known("sandbox", d.Status.Sandbox), d.Status.Message} {
		if s != "" {
			f.Detail = append(f.Detail, s)
		}
	}
	return f
}

// known is what is known of a thing, in words; empty for nothing.
func known[S ~string](thing string, s S) string {
	if s == "" {
		return ""
	}
	return thing + ": " + string(s)
}

func examineFolder(dir string, running bool) Finding {
	f := Finding{What: "data folder", State: "ready", Detail: []string{dir}}
	if running {
		f.State = "in use by the running daemon"
		return f
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		f.State = "will be made at the first start"
		return f
	case err == nil && !info.IsDir():
		err = errors.New("it is not a folder")
	case err == nil:
		err = writable(dir)
	}
	if err != nil {
		f.State, f.Bad = "cannot be used: "+cause(err), true
		if fe, ok := errors.AsType[*fault.Error](folderFault(dir, err)); ok {
			f.Hint = fe.Hint
		}
	}
	return f
}

func examineAddr(addr string, s Status, running bool) Finding {
	f := Finding{What: "address", State: "free", Detail: []string{addr}}
	if running {
		f.State, f.Detail = "served by the running daemon", []string{s.URL}
		return f
	}
	l, err := net.Listen("tcp", addr)
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		f.State, f.Bad = cause(err), true
		if fe, ok := errors.AsType[*fault.Error](addrFault(addr, err)); ok {
			f.Hint = fe.Hint
		}
	}
	return f
}

// PrintFindings writes what the doctor found and reports whether something keeps
// Signalbox from working.
func PrintFindings(w io.Writer, found []Finding) (bad bool, err error) {
	var b strings.Builder
	fmt.Fprintf(&b, "Signalbox %s\n\n", Build())
	for _, f := range found {
		mark := "ok"
		if f.Bad {
			mark, bad = "!!", true
		} else if f.Hint != "" {
			mark = "--"
		}
		fmt.Fprintf(&b, "%s  %-14s %s\n", mark, f.What, f.State)
		for _, d := range f.Detail {
			fmt.Fprintf(&b, "    %-14s %s\n", "", d)
		}
		if f.Hint != "" {
			fmt.Fprintf(&b, "    %-14s > %s\n", "", f.Hint)
		}
	}
	_, err = io.WriteString(w, b.String())
	return bad, err
}
