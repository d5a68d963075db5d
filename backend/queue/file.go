package queue

import (
	"encoding/json"
	"fmt"

	"signalbox/backend/wire"
)

// format is that of the file.
const format = 1

// file is queue.json.
type file struct {
	Format int              `json:"format"`
	Rev    uint64           `json:"rev"`
	Moved  uint64           `json:"moved,omitempty"`
	Paused *wire.QueuePause `json:"paused,omitempty"`
	Items  []item           `json:"items"`
	Past   []past           `json:"past,omitempty"`
}

// NewerError says that the file is of a later version of Signalbox.
type NewerError struct{ Format int }

func (e *NewerError) Error() string { return fmt.Sprintf("queue of format %d", e.Format) }

// Encode returns the queue as it lies on the disk.
func (q Queue) Encode() ([]byte, error) {
	f := file{Format: format, Rev: q.rev, Moved: q.moved, Paused: q.paused, Items: q.items, Past: q.past}
	if f.Items == nil {
		f.Items = []item{}
	}
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode queue: %w", err)
	}
	return append(b, '\n'), nil
}

// Decode reads what [Queue.Encode] wrote. A file of a later version is a
// [*NewerError]; any other error means that it is damaged.
func Decode(b []byte) (Queue, error) {
	var head struct{ Format int }
	if err := json.Unmarshal(b, &head); err == nil && head.Format > format {
		return Queue{}, &NewerError{head.Format}
	}
	var f file
	if err := json.Unmarshal(b, &f); err != nil {
		return Queue{}, fmt.Errorf("decode queue: %w", err)
	}
	if f.Format != format {
		return Queue{}, fmt.Errorf("decode queue: there is no format %d", f.Format)
	}
	seen := map[string]bool{}
	for _, it := range f.Items {
		if it.ClientID == "" || it.Text == "" || it.By.ID == "" || seen[it.ClientID] {
			return Queue{}, fmt.Errorf("decode queue: item %q lacks what every prompt has, or stands there twice", it.ClientID)
		}
		seen[it.ClientID] = true
	}
	return Queue{rev: f.Rev, moved: f.Moved, items: f.Items, paused: f.Paused, past: f.Past}.rest(), nil
}
