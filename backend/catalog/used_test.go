package catalog_test

import (
	"math"
	"testing"
	"time"
	_ "time/tzdata" // also where the system has no zones

	"signalbox/backend/catalog"
	"signalbox/backend/wire"
)

// Whatever an agent tells, what a chat has used never becomes less.
func TestSpend_neverTakesAnythingAway(t *testing.T) {
	t.Parallel()
	back := -2.5
	var m catalog.Meta
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.Local)
	m.Spend(1, began, wire.Complete{MS: 1000, Usage: &wire.Usage{Input: math.MaxInt64, Output: 1}})
	m.Spend(1, began, wire.Complete{MS: -5, Usage: &wire.Usage{Input: 7, CacheRead: -9, CostUSD: &back}})
	all, day := m.UsedBy(began)
	want := catalog.Spent{MS: 1000, Tokens: math.MaxInt64, Unknown: 1}
	if all != want || day != want {
		t.Errorf("in all %+v, on the day %+v, want %+v", all, day, want)
	}
	most := math.MaxFloat64
	for range 2 {
		m.Spend(1, began, wire.Complete{Usage: &wire.Usage{CostUSD: &most}})
	}
	if all, _ = m.UsedBy(began); all.CostUSD != most {
		t.Errorf("costs are %g, which nobody could write down", all.CostUSD)
	}
}

// A day has what its runs used, through a change to summer time too, and a clock that is
// set back forgets nothing of it. A day far ahead was that of a clock set wrong. It sets
// the zone of the process, so it runs alone.
func TestUsedBy_days(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	before := time.Local
	time.Local = berlin
	defer func() { time.Local = before }()
	at := func(month time.Month, day, hour int) time.Time {
		return time.Date(2026, month, day, hour, 30, 0, 0, time.Local)
	}
	run := wire.Complete{MS: 1}
	for _, tt := range []struct {
		name  string
		spent []time.Time
		now   time.Time
		day   int64
	}{
		{"the same day", []time.Time{at(11, 30, 0), at(11, 30, 23)}, at(11, 30, 23), 2},
		{"after midnight", []time.Time{at(11, 30, 23)}, at(12, 1, 0), 0},
		{"the first run of a day", []time.Time{at(11, 30, 23), at(12, 1, 0)}, at(12, 1, 1), 1},
		{"a day of 23 hours", []time.Time{at(3, 29, 0), at(3, 29, 23)}, at(3, 29, 12), 2},
		{"a day of 25 hours", []time.Time{at(10, 25, 0), at(10, 25, 1), at(10, 25, 23)}, at(10, 25, 23), 3},
		{"set back a day", []time.Time{at(11, 30, 12)}, at(11, 29, 12), 1},
		{"set back a day, and a run", []time.Time{at(11, 30, 12), at(11, 29, 12)}, at(11, 29, 13), 2},
		{"set back a day, a run, and put right", []time.Time{at(11, 30, 12), at(11, 29, 12)}, at(11, 30, 13), 2},
		{"years ahead, and put right", []time.Time{at(11, 30, 12).AddDate(4, 0, 0)}, at(11, 30, 12), 0},
		{"years ahead, put right, and a run", []time.Time{at(11, 30, 12).AddDate(4, 0, 0), at(11, 30, 12)}, at(11, 30, 13), 1},
	} {
		var m catalog.Meta
		for _, began := range tt.spent {
			m.Spend(1, began, run)
		}
		if all, day := m.UsedBy(tt.now); day.MS != tt.day || all.MS != int64(len(tt.spent)) {
			t.Errorf("%s: %d in all, %d on the day; want %d", tt.name, all.MS, day.MS, tt.day)
		}
	}
}

// What a fork has from its chat does not count for it, and no run counts twice.
func TestCounted(t *testing.T) {
	t.Parallel()
	const before, made, after = "01KC00000000000000000000A1", "01KC00000000000000000000B1", "01KC00000000000000000000C1"
	for _, tt := range []struct {
		name string
		meta catalog.Meta
		run  wire.RunID
		want bool
	}{
		{"the first run", catalog.Meta{}, "r_" + after, false},
		{"imported with the chat", catalog.Meta{}, "r_" + before, true},
		{"from the chat before", catalog.Meta{ForkOf: &wire.Origin{Seq: 9}}, "r_" + after, true},
		{"after the fork", catalog.Meta{ForkOf: &wire.Origin{Seq: 8}}, "r_" + after, false},
		{"counted", catalog.Meta{Used: &catalog.Used{Seq: 9}}, "r_" + after, true},
		{"counted before one that a rewind took out", catalog.Meta{Used: &catalog.Used{Seq: 12}}, "r_" + after, true},
		{"later than counted", catalog.Meta{Used: &catalog.Used{Seq: 8}}, "r_" + after, false},
		{"later, by a clock that was set back", catalog.Meta{Used: &catalog.Used{Seq: 8}}, "r_" + before, false},
		{"of a version that did not note it", catalog.Meta{Used: &catalog.Used{}}, "r_" + after, true},
	} {
		tt.meta.ID = "c_" + made
		if got := tt.meta.Counted(tt.run, 9); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
