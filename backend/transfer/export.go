package transfer

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

const (
	format = 1
	// blobLimit is the largest body that an export takes along, as an import
	// would: what is larger stays cut to its beginning.
	blobLimit = 64 << 20
	// chunkBytes is how much of a body is on one line.
	chunkBytes = 1 << 20
)

// header is the first line of an export.
type header struct {
	Signalbox string         `json:"signalbox"` // "chat"
	Format    int            `json:"format"`
	Title     string         `json:"title,omitempty"`
	Created   wire.Time      `json:"created"`
	Exported  wire.Time      `json:"exported"`
	Selected  wire.Selection `json:"selected"`
	Version   string         `json:"version"` // of the program that wrote it
}

// chunk is a line with a part of a body, before the first event that refers to
// it. The parts of a body follow each other.
type chunk struct {
	Blob string `json:"blob"` // SHA-256
	Data []byte `json:"data"`
	Last bool   `json:"last,omitempty"`
}

// tail is the last line: an export that breaks off has none.
type tail struct {
	End    bool   `json:"end"`
	Events uint64 `json:"events"`
}

// Chat says of a chat what its log does not.
type Chat struct {
	Title    string
	Created  wire.Time
	Selected wire.Selection
}

// JSON writes all that a chat holds as JSON lines, which [Import] reads. The
// lines of events are those of the log.
func JSON(w io.Writer, version string, now wire.Time, c Chat, log *eventlog.Log) error {
	out := bufio.NewWriterSize(w, 64<<10)
	put := func(v any) error {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		_, err = out.Write(append(b, '\n'))
		return err
	}
	err := put(header{
		Signalbox: "chat", Format: format, Title: c.Title, Created: c.Created, Exported: now, Selected: c.Selected, Version: version,
	})
	if err != nil {
		return err
	}
	sent := map[string]bool{}
	events := uint64(0)
	for raw, err := range log.Events(0) {
		if err != nil {
			return err
		}
		for _, sum := range hashes(raw) {
			if sent[sum] {
				continue
			}
			sent[sum] = true
			if err := putBlob(put, log, sum); err != nil {
				return err
			}
		}
		events++
		if _, err := out.Write(append(raw[:len(raw):len(raw)], '\n')); err != nil {
			return err
		}
	}
	if err := put(tail{End: true, Events: events}); err != nil {
		return err
	}
	return out.Flush()
}

// putBlob writes a body; one that is gone, or too large, is left out.
func putBlob(put func(any) error, log *eventlog.Log, sum string) (err error) {
	f, err := log.OpenBlob(sum)
	if fault.CodeOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size > blobLimit {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	buf := make([]byte, min(size, chunkBytes))
	for at := int64(0); ; {
		n, err := io.ReadFull(f, buf[:min(int64(len(buf)), size-at)])
		if err != nil {
			return fmt.Errorf("read body: %w", err)
		}
		at += int64(n)
		if err := put(chunk{Blob: sum, Data: buf[:n], Last: at == size}); err != nil {
			return err
		}
		if at == size {
			return nil
		}
	}
}

// hashes returns the bodies that a line names.
func hashes(raw []byte) []string {
	key := []byte(`"sha256":"`)
	var sums []string
	for {
		i := bytes.Index(raw, key)
		if i < 0 {
			return sums
		}
		raw = raw[i+len(key):]
		if len(raw) > 64 && isHash(raw[:64]) {
			sums = append(sums, string(raw[:64]))
		}
	}
}

func isHash(b []byte) bool {
	return len(b) == 64 && len(bytes.Trim(b, "0123456789abcdef")) == 0
}

// maxChunkLine is the longest line with a part of a body.
var maxChunkLine = base64.StdEncoding.EncodedLen(chunkBytes) + 1000
