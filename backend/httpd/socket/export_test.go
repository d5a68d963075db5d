package socket

import (
	"bufio"
	"net"
)

// FrameWriter is what the library writes frames to on a TCP connection.
func FrameWriter(conn net.Conn) *bufio.Writer {
	return bufio.NewWriterSize(&frameWriter{conn: conn}, headBytes)
}
