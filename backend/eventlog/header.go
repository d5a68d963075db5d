package eventlog

import (
	"encoding/json"
	"fmt"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

const format = 1

// header is the first line of a log.
type header struct {
	Format  int         `json:"format"`
	Chat    wire.ChatID `json:"chat"`
	Epoch   uint64      `json:"epoch"`
	Created wire.Time   `json:"created"`
	// High is the highest seq that was used when the file was made.
	High uint64 `json:"high"`
}

func (h header) line() []byte {
	h.Format = format
	b, err := json.Marshal(h)
	if err != nil {
		panic(fmt.Sprintf("eventlog: encode header: %v", err)) // plain fields can't fail
	}
	return append(b, '\n')
}

// parseHeader reads a header. It returns false for a line that is none, and an
// error for one that a later version wrote.
func parseHeader(raw []byte) (header, bool, error) {
	var h header
	if err := json.Unmarshal(raw, &h); err != nil || h.Format < 1 {
		return header{}, false, nil
	}
	if h.Format > format {
		return header{}, false, fault.New(fault.Unavailable, "This chat was written by a newer version of Signalbox.").
			WithHint("Start the newer version. The chat was left as it is.")
	}
	ok := h.Epoch >= 1 && h.Epoch <= maxSeq && h.High <= maxSeq
	return h, ok, nil
}
