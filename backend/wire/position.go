package wire

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Position is a place in a chat's log: the epoch and the sequence number of the
// last event seen. A sequence number alone would not tell an event from the one
// that had its number before a rewind. The zero Seq is before the first event.
type Position struct {
	Epoch uint64
	Seq   uint64
}

// String returns the form used in "since=" and in the ids of SSE frames: "2:41".
func (p Position) String() string {
	return strconv.FormatUint(p.Epoch, 10) + ":" + strconv.FormatUint(p.Seq, 10)
}

// ParsePosition reads the form that [Position.String] writes. Signs, spaces and
// leading zeros are refused, so that one position has one spelling.
func ParsePosition(s string) (Position, error) {
	epoch, seq, ok := strings.Cut(s, ":")
	if !ok {
		return Position{}, fmt.Errorf("position %.40q is not epoch:seq", s)
	}
	e, errE := parseNumber(epoch)
	n, errN := parseNumber(seq)
	if errE != nil || errN != nil {
		return Position{}, fmt.Errorf("position %.40q is not epoch:seq", s)
	}
	return Position{Epoch: e, Seq: n}, nil
}

func parseNumber(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0, err
	}
	if strconv.FormatUint(n, 10) != s {
		return 0, fmt.Errorf("number %.40q has another spelling", s)
	}
	return n, nil
}

// timeLayout is RFC 3339 in UTC with milliseconds, always of one length.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time is an instant as the log and the clients write it.
type Time struct{ time.Time }

// String returns t in the layout of the log.
func (t Time) String() string { return t.UTC().Format(timeLayout) }

// MarshalJSON writes t in the layout of the log.
func (t Time) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// AppendJSON appends t as a JSON string to b.
func (t Time) AppendJSON(b []byte) []byte {
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, timeLayout)
	return append(b, '"')
}

// UnmarshalJSON reads any RFC 3339 time.
func (t *Time) UnmarshalJSON(b []byte) error {
	s, err := strconv.Unquote(string(b))
	if err != nil {
		return fmt.Errorf("read time: %w", err)
	}
	v, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return fmt.Errorf("read time: %w", err)
	}
	t.Time = v.UTC()
	return nil
}
