//go:build linux

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A goal is read strictly: a misspelt one would never be missed.
func TestReadGoals(t *testing.T) {
	t.Parallel()
	own, err := readGoals("")
	if err != nil || len(own) == 0 {
		t.Fatalf("the bench's own goals: %d, %v", len(own), err)
	}
	gate, err := readGoals("gate.json")
	if err != nil || len(gate) == 0 {
		t.Fatalf("the gate's goals: %d, %v", len(gate), err)
	}
	for _, g := range gate {
		if !strings.Contains(string(ownGoals), g.Row) {
			t.Errorf("the gate knows %q, goals.json does not", g.Row)
		}
	}
	if _, err := readGoals(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestMissed(t *testing.T) {
	t.Parallel()
	r := &report{
		rows: []row{{Name: "fast", Value: 30, Unit: "us"}, {Name: "share", Value: 1, Ratio: 0.4}},
		goals: []goal{
			{No: 1, Row: "fast", Of: "value", AtMost: 25},
			{No: 2, Row: "share", Of: "ratio", AtLeast: 0.5},
			{No: 3, Row: "not measured", Of: "value", AtMost: 1},
		},
	}
	for _, tt := range []struct {
		slack float64
		want  string // of the error; empty for none
	}{
		{1, "fast: 30.0 us is not <= 25 (1)\nshare: 1.00  is not >= 0.5 x (2)"},
		{1.22, "share: 1.00  is not >= 0.5 x (2)"},
		{2, ""},
	} {
		got := ""
		if err := r.missed(tt.slack); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("with slack %v: %q, want %q", tt.slack, got, tt.want)
		}
	}
}

// The clients' check is what the bench stands on: it must see what is missing,
// twice or out of order, and follow a new epoch.
func TestFollow_take(t *testing.T) {
	t.Parallel()
	const one, two, three = `{"seq":1,"t":""}` + "\n", `{"seq":2,"t":""}` + "\n", `{"seq":3,"t":""}` + "\n"
	for _, tt := range []struct {
		name, in string
		last     uint64
		wrong    bool
	}{
		{"in order", one + two + three, 3, false},
		{"a frame between", one + `{"type":"ping","n":1}` + "\n" + two, 2, false},
		{"the last page of a long chat", `{"seq":70,"t":""}` + "\n" + `{"seq":71,"t":""}`, 71, false},
		{"missing", one + three, 1, true},
		{"twice", one + two + two, 2, true},
		{"out of order", one + three + two, 1, true},
		{"an epoch that keeps what it has", one + two + `{"seq":9,"t":"","type":"epoch","epoch":2,"keep":2}` + "\n" + `{"seq":10}`, 9, false},
		{"a reset", one + two + `{"type":"reset","epoch":2}` + "\n" + `{"seq":1,"t":""}`, 1, false},
	} {
		f := &follow{epoch: 1}
		var err error
		for line := range strings.Lines(tt.in) {
			if err = f.take([]byte(line), time.Now()); err != nil {
				break
			}
		}
		if (err != nil) != tt.wrong || f.seen.last != tt.last {
			t.Errorf("%s: last event %d, %v; want %d", tt.name, f.seen.last, err, tt.last)
		}
	}
}
