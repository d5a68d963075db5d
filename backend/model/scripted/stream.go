package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
	"unicode/utf16"
)

const (
	textPiece  = 12  // characters of text in a delta, about what vendors send
	inputPiece = 200 // characters of a tool's input
	// slicePause parts two writes, so that they arrive as two.
	slicePause = time.Millisecond
)

// encoder writes one answer as a stream, in a door's words.
type encoder interface {
	open()
	start(i int, b Block)
	// delta writes a piece, which is a JSON string with its quotes: a script may
	// send what no Go string holds, half a surrogate pair.
	delta(i int, b Block, piece json.RawMessage)
	stop(i int, b Block)
	broken(f Break)
	close()
}

// stream plays a step through the door's encoder.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, n int, d door, m message) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	out := &sse{gone: r.Context().Done(), w: w, flush: http.NewResponseController(w).Flush, slice: m.Step.Slice}
	s.record.update(n, func(r *Request) { r.Status, r.Usage = http.StatusOK, m.Usage })
	cut := playBlocks(out, d.stream(out, m), m.Step)
	end := EndWhole
	switch {
	case out.err != nil:
		end = EndGone
	case cut:
		end = EndCut
	}
	s.record.update(n, func(r *Request) { r.End = end })
	if _, ok := m.Step.Fault.(Cut); ok && cut {
		// The documented way to drop a connection without an end of the body.
		panic(http.ErrAbortHandler)
	}
}

// playBlocks writes the step and reports whether the script broke it off.
func playBlocks(out *sse, enc encoder, step Step) (cut bool) {
	enc.open()
	for i, b := range step.Blocks {
		if breaksAt(step.Fault, i, enc) {
			return true
		}
		enc.start(i, b)
		for _, p := range pieces(b, step.Halves) {
			enc.delta(i, b, p)
			if !out.pause(step.Pace) {
				return false
			}
		}
		enc.stop(i, b)
	}
	if breaksAt(step.Fault, len(step.Blocks), enc) {
		return true
	}
	enc.close()
	return false
}

// breaksAt ends the stream if the fault is due after so many blocks.
func breaksAt(f Fault, done int, enc encoder) bool {
	switch f := f.(type) {
	case Cut:
		return f.After == done
	case Break:
		if f.After == done {
			enc.broken(f)
			return true
		}
	}
	return false
}

// pieces cuts what a block says into JSON strings.
func pieces(b Block, halves bool) []json.RawMessage {
	text := blockText(b)
	if _, isCall := b.(Call); halves && !isCall {
		return halvesOf(text)
	}
	size := textPiece
	if _, isCall := b.(Call); isCall {
		size = inputPiece
	}
	var out []json.RawMessage
	for runes := []rune(text); len(runes) > 0; {
		n := min(size, len(runes))
		out = append(out, quote(string(runes[:n])))
		runes = runes[n:]
	}
	return out
}

// halvesOf returns each UTF-16 unit of text as an escape of its own.
func halvesOf(text string) []json.RawMessage {
	var out []json.RawMessage
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, fmt.Appendf(nil, `"\u%04x"`, unit))
	}
	return out
}

// quote encodes s as vendors do, without the escapes for HTML.
func quote(s string) json.RawMessage { return bytes.TrimSuffix(encode(s), []byte("\n")) }

// encode returns v as JSON and a line feed.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Errorf("encode a frame: %w", err)) // every frame is plain data
	}
	return buf.Bytes()
}

// sse writes server-sent events. Its first error sticks: the client is gone.
type sse struct {
	gone  <-chan struct{} // closed when the client has left
	w     http.ResponseWriter
	flush func() error
	slice int
	err   error
}

// event sends one event. Data is one line of JSON.
func (o *sse) event(name string, data any) {
	var buf bytes.Buffer
	fmt.Fprintf(&buf, "event: %s\ndata: ", name)
	buf.Write(encode(data))
	buf.WriteByte('\n')
	o.write(buf.Bytes())
}

// data sends one event without a name. Data is one line of JSON.
func (o *sse) data(data any) {
	o.write(slices.Concat([]byte("data: "), encode(data), []byte("\n")))
}

func (o *sse) write(b []byte) {
	for len(b) > 0 && o.err == nil {
		n := len(b)
		if o.slice > 0 {
			n = min(n, o.slice)
		}
		if _, o.err = o.w.Write(b[:n]); o.err == nil {
			o.err = o.flush()
		}
		b = b[n:]
		if o.slice > 0 && !o.pause(slicePause) {
			return
		}
	}
}

// errGone says that the client has left.
var errGone = errors.New("the client has left")

// pause waits for d and reports whether the client is still there.
func (o *sse) pause(d time.Duration) bool {
	if o.err != nil {
		return false
	}
	select {
	case <-o.gone:
		o.err = errGone
		return false
	default:
	}
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-o.gone:
		o.err = errGone
		return false
	}
}
