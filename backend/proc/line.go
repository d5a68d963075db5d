package proc

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"signalbox/backend/wire"
)

const (
	defaultLineLimit = 64 << 20
	lineBuffer       = 64 << 10
	maxPiece         = 4 << 20
)

// LineOptions configure a LineReader.
type LineOptions struct {
	Limit int // longest line in bytes, without its end; default 64 MiB
	// Spill takes the bytes of a longer line, all but the line feed; nil drops
	// them.
	Spill func() (Spill, error)
	// OnCut is called after such a line, before the next is returned. The ref
	// has no SHA256 when the bytes could not be kept, and always their number.
	OnCut func(wire.BlobRef)
}

// LineReader splits a stream into lines. A line of up to 64 KiB is not copied;
// a longer one takes up to twice its size, which the next call releases.
type LineReader struct {
	r     *bufio.Reader
	opts  LineOptions
	err   error    // what ended the stream
	batch [][]byte // of the last call of Batch
}

// NewLineReader returns a LineReader of r.
func NewLineReader(r io.Reader, opts LineOptions) *LineReader {
	if opts.Limit <= 0 {
		opts.Limit = defaultLineLimit
	}
	return &LineReader{r: bufio.NewReaderSize(r, lineBuffer), opts: opts}
}

// Line returns the next line without its LF or CR LF; it is valid until the
// next call. A last line without an end is a line. Then comes the error of the
// stream, io.EOF at its end, and again at each further call.
func (l *LineReader) Line() ([]byte, error) {
	for {
		part, ended, err := l.part()
		switch {
		case err != nil:
			return nil, err
		case ended && len(trimEnd(part)) <= l.opts.Limit:
			return trimEnd(part), nil
		}
		line, cut := l.long(part, ended)
		if !cut {
			return line, nil
		}
	}
}

// Batch is Line with all lines that are there already: it waits for the first
// alone. They are valid until the next call. A line of more than 64 KiB comes by
// itself.
func (l *LineReader) Batch() ([][]byte, error) {
	line, err := l.Line()
	if err != nil {
		return nil, err
	}
	l.batch = append(l.batch[:0], line)
	for len(line) < lineBuffer {
		there, _ := l.r.Peek(l.r.Buffered()) // what is buffered can be had
		n := bytes.IndexByte(there, '\n') + 1
		if n == 0 || len(trimEnd(there[:n])) > l.opts.Limit {
			break
		}
		// Nothing is read into the buffer, so the lines before stay.
		_, _ = l.r.Discard(n)
		l.batch = append(l.batch, trimEnd(there[:n]))
	}
	return l.batch, nil
}

// part returns what can be had of the line without collecting, with its line
// feed if ended. At the end of the stream the rest counts as ended.
func (l *LineReader) part() (part []byte, ended bool, err error) {
	if l.err != nil {
		return nil, false, l.err
	}
	part, err = l.r.ReadSlice('\n')
	switch {
	case err == nil:
		return part, true, nil
	case errors.Is(err, bufio.ErrBufferFull):
		return part, false, nil
	}
	l.err = err
	if len(part) == 0 {
		return nil, false, err
	}
	return part, true, nil
}

// long collects the line that begins with part, or passes it on when it is
// over the limit.
func (l *LineReader) long(part []byte, ended bool) (line []byte, cut bool) {
	var p pieces
	for {
		p.add(part)
		if p.size > l.opts.Limit+len("\r\n") {
			break
		}
		if ended {
			if line = trimEnd(p.join()); len(line) <= l.opts.Limit {
				return line, false
			}
			break
		}
		var err error
		if part, ended, err = l.part(); err != nil {
			part, ended = nil, true
		}
	}
	l.cut(&p, ended)
	return nil, true
}

// cut streams the pieces and the rest of their line to a spill.
func (l *LineReader) cut(p *pieces, ended bool) {
	s := spilling{open: l.opts.Spill}
	for _, piece := range p.take() {
		s.write(piece)
	}
	for !ended {
		part, end, err := l.part()
		if err != nil {
			break
		}
		s.write(part)
		ended = end
	}
	ref := s.commit()
	if l.opts.OnCut != nil {
		l.opts.OnCut(ref)
	}
}

func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
		if n > 1 && line[n-2] == '\r' {
			line = line[:n-2]
		}
	}
	return line
}

// pieces is a growing line. It is not one slice, which would be copied again
// and again while it grows and take far more than twice its size.
type pieces struct {
	all  [][]byte
	size int
}

func (p *pieces) add(b []byte) {
	p.size += len(b)
	for len(b) > 0 {
		if n := len(p.all); n == 0 || len(p.all[n-1]) == cap(p.all[n-1]) {
			p.all = append(p.all, make([]byte, 0, min(max(2*p.size, 2*lineBuffer), maxPiece)))
		}
		last := &p.all[len(p.all)-1]
		n := min(len(b), cap(*last)-len(*last))
		*last = append(*last, b[:n]...)
		b = b[n:]
	}
}

func (p *pieces) join() []byte {
	if len(p.all) == 1 {
		return p.all[0]
	}
	return bytes.Join(p.all, nil)
}

func (p *pieces) take() [][]byte {
	all := p.all
	p.all = nil
	return all
}

// spilling writes to a Spill that is opened with the first byte, and counts on
// when it fails.
type spilling struct {
	open   func() (Spill, error)
	spill  Spill
	failed bool
	bytes  int64
}

func (s *spilling) write(b []byte) {
	b = bytes.TrimSuffix(b, []byte("\n"))
	s.bytes += int64(len(b))
	if s.open == nil || s.failed {
		return
	}
	var err error
	if s.spill == nil {
		s.spill, err = s.open()
	}
	if err == nil {
		_, err = s.spill.Write(b)
	}
	if err != nil {
		s.abort()
	}
}

// abort gives the spill up. Its own error would tell nothing new: that the bytes
// are not kept is told by the ref.
func (s *spilling) abort() {
	if s.spill != nil {
		_ = s.spill.Abort()
	}
	s.spill, s.failed = nil, true
}

func (s *spilling) commit() wire.BlobRef {
	if s.spill != nil {
		ref, err := s.spill.Commit()
		if err == nil {
			return ref
		}
		s.abort()
	}
	return wire.BlobRef{Bytes: s.bytes}
}
