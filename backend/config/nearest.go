package config

import (
	"fmt"
	"slices"
)

// DidYouMean returns a hint with the name nearest to s, or the whole list where
// none is near. It sorts names.
func DidYouMean(s string, names []string) string {
	slices.Sort(names)
	best, least := "", len(s)/3+2
	for _, n := range names {
		if d := distance(s, n); d < least {
			best, least = n, d
		}
	}
	if best != "" {
		return fmt.Sprintf("Did you mean %s?", best)
	}
	hint := "Known are:"
	for i, n := range names {
		if i > 0 {
			hint += ","
		}
		hint += " " + n
	}
	return hint + "."
}

// distance counts the insertions, deletions and replacements between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
