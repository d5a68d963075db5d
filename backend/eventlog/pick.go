package eventlog

import (
	"encoding/json"
	"slices"

	"signalbox/backend/wire"
)

// What one call of Pick gives at most, and looks through.
const (
	pickLimit = 1000
	lookBytes = 8 << 20
)

// Picked is some of the events of a piece of history.
type Picked struct {
	Epoch uint64 `json:"epoch"`
	// Events rise.
	Events []json.RawMessage `json:"events"`
	// Next is the seq before which to go on; 0 at the beginning of the log.
	Next uint64 `json:"next,omitempty"`
}

// Pick looks back from before, nil is the end (fault stale_epoch), for the events
// whose lines are wanted. One call gives at most 1,000 of them and 1 MB, and looks
// through 8 MB: there may be a next with nothing found.
func (l *Log) Pick(before *wire.Position, wanted func(line []byte) bool) (Picked, error) {
	picked := Picked{}
	err := l.read(func(s snap) error {
		end, top, err := l.endBefore(s, before)
		if err != nil {
			return err
		}
		picked = Picked{Epoch: s.epoch, Events: []json.RawMessage{}}
		looked, taken := 0, 0
		for ln, err := range s.back(s.file, end, top) {
			if err != nil {
				return err
			}
			looked += len(ln.raw) + 1
			if wanted(ln.raw) {
				if taken += len(ln.raw) + 1; taken > pageBytes && len(picked.Events) > 0 {
					picked.Next = ln.seq + 1
					break
				}
				picked.Events = append(picked.Events, ln.raw)
			}
			if looked >= lookBytes || len(picked.Events) == pickLimit {
				if ln.before() > 0 {
					picked.Next = ln.seq
				}
				break
			}
		}
		slices.Reverse(picked.Events)
		return nil
	})
	return picked, err
}
