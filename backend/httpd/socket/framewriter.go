package socket

import (
	"encoding/binary"
	"net"
)

// headBytes is how much of a frame the library gathers before it writes: more than
// the longest header of a server's frame, which has 10 bytes.
const headBytes = 16

// frameWriter sends each frame by one call of the system. The library would send
// the beginning of a long one by a call of its own, and wake the client twice. It
// gets a frame's first headBytes, or the whole of a short one, and then the rest.
// The library writes one frame at a time.
type frameWriter struct {
	conn net.Conn
	head [headBytes]byte
	held int    // bytes of head that have not left
	left uint64 // bytes of the frame that are still to come

	parts [2][]byte
	out   net.Buffers // of parts, here so that it needs no memory of its own
}

// Write implements io.Writer. It holds p if it is only the beginning of a frame.
func (w *frameWriter) Write(p []byte) (int, error) {
	if w.left > 0 {
		w.left -= min(w.left, uint64(len(p)))
		return w.send(p)
	}
	if size := frameSize(p); size > uint64(len(p)) && len(p) <= len(w.head) {
		w.left = size - uint64(len(p))
		w.held = copy(w.head[:], p)
		return len(p), nil
	}
	return w.conn.Write(p)
}

// send sends what is held, and p.
func (w *frameWriter) send(p []byte) (int, error) {
	if w.held == 0 {
		return w.conn.Write(p)
	}
	w.parts = [2][]byte{w.head[:w.held], p}
	w.out = w.parts[:]
	n, err := w.out.WriteTo(w.conn)
	w.parts = [2][]byte{}
	n = max(0, n-int64(w.held))
	w.held = 0
	return int(n), err
}

// frameSize returns how long the frame is that begins with b, by RFC 6455, 5.2: a
// server's frames are not masked. It is 0 if b is too short to tell.
func frameSize(b []byte) uint64 {
	if len(b) < 2 {
		return 0
	}
	switch n := b[1] & 0x7f; {
	case n < 126:
		return 2 + uint64(n)
	case n == 126 && len(b) >= 4:
		return 4 + uint64(binary.BigEndian.Uint16(b[2:]))
	case n == 127 && len(b) >= 10:
		return 10 + binary.BigEndian.Uint64(b[2:])
	}
	return 0
}
