package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/config"
	"signalbox/backend/fault"
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

func examineAgent(d agent.Described) Finding {
	f := Finding{What: "agent " + string(d.Info.ID), State: strings.ReplaceAll(string(d.Status.State), "_", " "), Hint: d.Status.Hint}
	for _, s := range []string{d.Status.Version, d.Status.Path, d.Status.Message} {
		if s != "" {
			f.Detail = append(f.Detail, s)
		}
	}
	return f
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
