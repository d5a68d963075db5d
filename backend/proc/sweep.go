package proc

import (
	"context"
	"strings"

	"signalbox/backend/fault"
)

// Sweep ends what earlier daemons of this instance left, and returns what it
// found. It knows them by the mark in their environment, and what is below
// those; never by pid. Processes of this Launcher, of another instance and all
// above this process are left alone, so only one daemon of an instance may
// live. The error names what could not be ended.
func (l *Launcher) Sweep(ctx context.Context) ([]Process, error) {
	ours, instance := string(l.mark), string(instanceMark(l.instance))
	tree := &marked{
		match: func(m mark) bool {
			return strings.HasPrefix(string(m), instance) && !strings.HasPrefix(string(m), ours)
		},
		known: map[Process]mark{},
	}
	if l.instance == "" {
		return nil, nil
	}
	found := tree.left()
	if len(found) == 0 {
		return nil, nil
	}
	left := ladder{tree: tree, grace: l.grace}.end(closed, ctx.Done())
	if len(left) == 0 {
		return found, nil
	}
	return found, fault.New(fault.Unavailable, "Processes of an earlier daemon could not be ended: %s.", names(left)).
		WithHint("They may belong to another user or wait for a disk. End them by hand, then start again.")
}

func names(list []Process) string {
	var b strings.Builder
	for i, p := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.String())
	}
	return b.String()
}
