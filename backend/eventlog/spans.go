package eventlog

import "slices"

// spans are pieces of the file whose lines are known to be whole and without a
// gap: they need no second look. They are sorted and do not overlap.
type spans []span

type span struct{ from, to int64 }

const maxSpans = 64

// add adds [from, to) to the spans. It may forget others. follows tells that the
// first line follows the one before it, so that a span that ends there goes on.
func (s *spans) add(from, to int64, follows bool) {
	i := 0
	for i < len(*s) && ((*s)[i].to < from || (*s)[i].to == from && !follows) {
		i++
	}
	j := i
	for j < len(*s) && (*s)[j].from < to {
		from, to = min(from, (*s)[j].from), max(to, (*s)[j].to)
		j++
	}
	*s = slices.Replace(*s, i, j, span{from, to})
	if len(*s) > maxSpans {
		*s = slices.Delete(*s, 0, 1)
	}
}

// rest returns how much of the file from off on is known.
func (s spans) rest(off int64) int64 {
	for _, k := range s {
		if k.from <= off && off < k.to {
			return k.to - off
		}
	}
	return 0
}
