//go:build linux

package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

//go:embed goals.json
var ownGoals []byte

// goal is what one figure of a row should be.
type goal struct {
	No  int    `json:"goal"` // several figures may belong to one goal
	Row string `json:"row"`
	// Of is the figure: "value", or "ratio" to the limit of the same run.
	Of      string  `json:"of"`
	AtMost  float64 `json:"atMost,omitempty"`
	AtLeast float64 `json:"atLeast,omitempty"`
	Scale   bool    `json:"scale,omitempty"` // it is measured with -scale
}

// readGoals reads a file of goals; the bench's own are those of goals.json.
func readGoals(file string) (goals []goal, err error) {
	b := ownGoals
	if file != "" {
		if b, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("read goals: %w", err)
		}
	}
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&goals); err != nil {
		return nil, fmt.Errorf("read goals: %w", err)
	}
	for _, g := range goals {
		if g.Row == "" || (g.Of != "value" && g.Of != "ratio") || (g.AtMost == 0) == (g.AtLeast == 0) {
			return nil, fmt.Errorf("read goals: %q must name a row, a value or a ratio, and one limit", g.Row)
		}
	}
	return goals, nil
}

// met tells whether r reaches g when it may be slack times worse.
func (g goal) met(r row, slack float64) bool {
	v := r.Value
	if g.Of == "ratio" {
		v = r.Ratio
	}
	if g.AtMost != 0 {
		return v <= g.AtMost*slack
	}
	return v >= g.AtLeast/slack
}

func (g goal) String() string {
	sign, limit := ">=", g.AtLeast
	if g.AtMost != 0 {
		sign, limit = "<=", g.AtMost
	}
	unit := ""
	if g.Of == "ratio" {
		unit = " x"
	}
	return fmt.Sprintf("%s %g%s (%d)", sign, limit, unit, g.No)
}

// unmeasured notes the goals of which a whole run has no figure.
func (r *report) unmeasured(opts options) {
	if opts.cases.String() != "" {
		return
	}
	for _, g := range r.goals {
		here := slices.ContainsFunc(r.rows, func(w row) bool { return w.Name == g.Row })
		if !here && g.Scale == opts.scale {
			r.note("NOT MEASURED: %s", g.Row)
		}
	}
}

// missed returns the goals that were not reached as an error, or nil. Goals of
// rows that were not measured do not count.
func (r *report) missed(slack float64) error {
	var errs []error
	for _, row := range r.rows {
		for _, g := range r.goals {
			if g.Row == row.Name && !g.met(row, slack) {
				errs = append(errs, fmt.Errorf("%s: %s %s is not %s", row.Name, figure(row.Value), row.Unit, g))
			}
		}
	}
	return errors.Join(errs...)
}
