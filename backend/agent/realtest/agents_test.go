//go:build real

package realtest_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/agents.md from this run")

// vendors are the agents, in the order in which they are offered.
var vendors = []vendor{vendorClaude, vendorCodex, vendorKimi}

// document is what this run is written to, and compared with.
const document = "../../../docs/agents.md"

// outcomes holds of each agent which features it showed.
type outcomes struct {
	mu sync.Mutex

	shown map[string]bool // by command and feature
}

func (o *outcomes) add(v vendor, f feature, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.shown[v.command+"/"+f.name] = ok
}

func TestAgents(t *testing.T) {
	t.Parallel()
	seen := outcomes{shown: map[string]bool{}}
	t.Cleanup(func() { checkDocument(t, &seen) }) // after all that is below
	for _, v := range vendors {
		t.Run(v.command, func(t *testing.T) {
			t.Parallel()
			for _, f := range features {
				if v.lacks[f.name] != "" {
					continue
				}
				t.Run(f.name, func(t *testing.T) {
					t.Parallel()
					t.Cleanup(func() { seen.add(v, f, !t.Failed()) })
					f.test(t, v)
				})
			}
		})
	}
}

// checkDocument holds the document to what was seen, when all of it was.
func checkDocument(t *testing.T, seen *outcomes) {
	t.Helper()
	want, whole := describe(t, seen)
	if !whole {
		return
	}
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o644); err != nil {
			t.Error(err)
		}
		return
	}
	got, err := os.ReadFile(document)
	if err != nil {
		t.Error(err)
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("docs/agents.md is not what this run shows; -update rewrites it (-run +file):\n%s", diff)
	}
}

// describe writes the document. It is whole where every feature was tried.
func describe(t *testing.T, seen *outcomes) (text string, whole bool) {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# Agents

Signalbox works with the command lines of these vendors, as they are installed and signed in on its
machine. Versions other than those below mostly work too; what they print and Signalbox does not
know is passed over.

This page is written by the tests that run the real agents whole turns long against a scripted model
(` + "`./scripts/test --real`" + ` checks it, ` + "`go test -tags real ./backend/agent/realtest -run TestAgents -update`" + ` rewrites it).

## What works

`)
	head, rule := "| |", "|---|"
	for _, v := range vendors {
		head += fmt.Sprintf(" %s %s |", v.rig(t).agent.Info().Name, v.version)
		rule += "---|"
	}
	b.WriteString(head + "\n" + rule + "\n")
	whole = true
	var reasons []string
	for _, f := range features {
		row := "| " + f.name + " |"
		for _, v := range vendors {
			ok, tried := seen.shown[v.command+"/"+f.name]
			switch {
			case v.lacks[f.name] != "":
				reasons = append(reasons, v.lacks[f.name])
				row += fmt.Sprintf(" no (%d) |", len(reasons))
			case !tried:
				whole = false
			case ok && v.notes[f.name] != "":
				reasons = append(reasons, v.notes[f.name])
				row += fmt.Sprintf(" yes (%d) |", len(reasons))
			case ok:
				row += " yes |"
			default:
				row += " fails |"
			}
		}
		b.WriteString(row + "\n")
	}
	b.WriteString("\n")
	for i, reason := range reasons {
		fmt.Fprintf(&b, "%d. %s\n", i+1, reason)
	}
	b.WriteString("\n## What each may do in a mode\n")
	for _, v := range vendors {
		info := v.rig(t).agent.Info()
		fmt.Fprintf(&b, "\n### %s\n\n| mode | what it may do | what it cannot be held to |\n|---|---|---|\n", info.Name)
		for _, m := range info.Modes {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.ReplaceAll(string(m.Mode), "_", " "), m.Policy, m.Caveat)
		}
		if info.Resume != "" {
			fmt.Fprintf(&b, "\nA chat's session goes on in a terminal with `%s`.\n", info.Resume)
		}
	}
	return b.String(), whole
}
