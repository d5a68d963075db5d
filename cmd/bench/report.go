//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// row is one line of the table. Values are medians over the rounds.
type row struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Unit  string  `json:"unit"`
	// Limit names the bare limit of the same run and Ratio is Value over it.
	Limit string  `json:"limit,omitempty"`
	Bare  float64 `json:"bare,omitempty"`
	Ratio float64 `json:"ratio,omitempty"`
	Goal  string  `json:"goal,omitempty"`
	Met   *bool   `json:"met,omitempty"`
}

// report gathers rows and says on what machine they were measured.
type report struct {
	machine string
	noisy   string
	notes   []string // what a reader must know beside the figures
	goals   []goal
	rows    []row
}

func newReport(dir string, goals []goal) *report {
	load := "?"
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = strings.Join(strings.Fields(string(b))[:3], " ")
	}
	kernel := "?"
	if b, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		kernel = strings.TrimSpace(string(b))
	}
	r := &report{goals: goals, machine: fmt.Sprintf("%s, %d cores, %s %s, data on %s, load %s",
		runtime.Version(), runtime.NumCPU(), runtime.GOOS, kernel, fileSystem(dir), load)}
	var one float64
	if _, err := fmt.Sscan(load, &one); err == nil && one > 1 {
		r.noisy = "NOISY: load above 1 at the start"
	}
	return r
}

// noise marks the run when the machine gave a good part of its time to others.
func (r *report) noise(before cpuTimes) {
	now := stealNow()
	if total := now.total - before.total; total > 0 {
		if share := float64(now.steal-before.steal) / float64(total); share > 0.1 {
			r.noisy = strings.TrimSpace(r.noisy + fmt.Sprintf(" NOISY: %.0f %% of the time was stolen", 100*share))
		}
	}
}

// samples are the figures of the rounds of one case.
type samples []float64

func (s samples) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[len(sorted)/2]
}

// add adds a row without a limit.
func (r *report) add(name, unit string, s samples) {
	r.put(row{Name: name, Value: s.median(), Min: slices.Min(s), Max: slices.Max(s), Unit: unit})
}

// addRatio adds a row with the ratio to a limit measured in turn with it: the
// median of the ratios of the rounds, which drift of the machine moves least.
func (r *report) addRatio(name, unit string, s samples, limit string, bare samples) {
	ratios := make(samples, len(s))
	for i := range s {
		ratios[i] = s[i] / bare[i]
	}
	r.put(row{
		Name: name, Value: s.median(), Min: slices.Min(s), Max: slices.Max(s), Unit: unit,
		Limit: limit, Bare: bare.median(), Ratio: ratios.median(),
	})
}

// put adds a row with what its goals say of it, and tells who waits.
func (r *report) put(w row) {
	var said []string
	met := true
	for _, g := range r.goals {
		if g.Row == w.Name {
			said = append(said, g.String())
			met = met && g.met(w, 1)
		}
	}
	if len(said) > 0 {
		w.Goal, w.Met = strings.Join(said, ", "), &met
	}
	r.rows = append(r.rows, w)
	fmt.Fprintf(os.Stderr, "%s: %s %s\n", w.Name, figure(w.Value), w.Unit)
}

// note adds a sentence that stands above the table.
func (r *report) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *report) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	for _, row := range r.rows {
		if err := enc.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) writeTable(w io.Writer) error {
	fmt.Fprintln(w, r.machine)
	if r.noisy != "" {
		fmt.Fprintln(w, r.noisy)
	}
	for _, n := range r.notes {
		fmt.Fprintln(w, n)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "case\tmedian\tmin to max\tunit\tbare limit of the same run\tratio\tgoal")
	for _, row := range r.rows {
		limit, ratio, goal := "", "", row.Goal
		if row.Met != nil && !*row.Met {
			goal += ": missed"
		}
		if row.Limit != "" {
			limit, ratio = fmt.Sprintf("%s: %s", row.Limit, figure(row.Bare)), fmt.Sprintf("%.2f", row.Ratio)
		}
		fmt.Fprintf(t, "%s\t%s\t%s to %s\t%s\t%s\t%s\t%s\n",
			row.Name, figure(row.Value), figure(row.Min), figure(row.Max), row.Unit, limit, ratio, goal)
	}
	return t.Flush()
}

// figure prints v with three significant digits, large numbers whole.
func figure(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

// clients names a number of clients.
func clients(n int) string {
	if n == 1 {
		return "1 client"
	}
	return fmt.Sprintf("%d clients", n)
}
