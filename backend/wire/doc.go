// Package wire holds the words that the log, the daemon and its clients share:
// ids, positions, events and frames. docs/protocol.md explains how they are
// used.
//
// An [Event] is a fact of a chat: it is logged once and never changed. A
// [Frame] is a passing remark to the clients that watch: it has no sequence
// number and is never logged. An event has the same bytes in the log and on the
// socket: an envelope (seq, t, type, run) followed by the fields of its type.
//
// The package imports the standard library only. Its values are plain data and
// may be shared once built.
package wire
