package catalog_test

import (
	"math"
	"testing"
	"time"

	"signalbox/backend/catalog"
	"signalbox/backend/wire"
)

// Whatever an agent tells, what a chat has used never becomes less.
func TestSpend_neverTakesAnythingAway(t *testing.T) {
	t.Parallel()
	back := -2.5
	var m catalog.Meta
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.Local)
	m.Spend(began, wire.Complete{MS: 1000, Usage: &wire.Usage{Input: math.MaxInt64, Output: 1}})
	m.Spend(began, wire.Complete{MS: -5, Usage: &wire.Usage{Input: 7, CacheRead: -9, CostUSD: &back}})
	all, day := m.UsedBy(began)
	want := catalog.Spent{MS: 1000, Tokens: math.MaxInt64, Unknown: 1}
	if all != want || day != want {
		t.Errorf("in all %+v, on the day %+v, want %+v", all, day, want)
	}
}
