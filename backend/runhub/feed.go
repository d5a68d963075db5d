package runhub

import (
	"bytes"
	"context"
	"fmt"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// Batch is what a feed has next: passing frames, then lines of the log. Either
// may be missing, not both. The bytes are shared with other feeds, and the lines
// valid until the next call of Next.
type Batch struct {
	Frames [][]byte      // encoded frames, in order, without line feeds
	Lines  []byte        // whole lines of the log, each with its line feed
	Upto   wire.Position // up to where the log has been delivered with this batch
}

// Feed is one client's view of a chat. One goroutine uses Next; any may Close.
type Feed struct {
	room     *room
	by       wire.Person
	follower *eventlog.Follower
	pos      wire.Position
	seen     uint64    // version of the board
	state    wire.Sync // of the greeting
	greeting [][]byte  // the first frames; nil once delivered
}

// Follow begins to follow the chat after since, as the person by, who counts as
// present until the feed is closed. A nil since begins with the last page; one
// that cannot be resumed makes the log begin with a reset. Unknown chats are a
// fault not_found.
func (h *Hub) Follow(chat wire.ChatID, by wire.Person, since *wire.Position) (*Feed, error) {
	if _, err := h.chats.Get(chat); err != nil {
		return nil, err
	}
	room, err := h.room(chat)
	if err != nil {
		return nil, err
	}
	follower, err := room.log.Follow(since)
	if err != nil {
		return nil, fmt.Errorf("follow chat %s: %w", chat, err)
	}
	f := &Feed{room: room, by: by, follower: follower}
	if since != nil {
		f.pos = *since
	}
	room.board.join(f)
	// Read after the state of the lock, so that connected never promises less
	// than what has led to that state.
	end := room.log.End()
	connected, err := wire.EncodeFrame(wire.Connected{
		Chat: chat, Epoch: end.Epoch, LastSeq: end.Seq,
		Running: f.state.Running, Person: by, Version: h.version,
	})
	if err != nil {
		f.Close()
		return nil, err
	}
	f.greeting = append([][]byte{connected}, f.greeting...)
	return f, nil
}

// Next waits for what comes next. The first batch is connected, sync, queue and
// presence. It returns the cause of ctx's end, or an error once the feed or the
// log is closed.
func (f *Feed) Next(ctx context.Context) (Batch, error) {
	if frames := f.greeting; frames != nil {
		f.greeting = nil
		return Batch{Frames: frames, Upto: f.pos}, nil
	}
	for {
		if err := f.room.board.closed(); err != nil {
			return Batch{}, err
		}
		if frames := f.room.board.since(nil, &f.seen, f.by.ID, f.pos.Seq); frames != nil {
			return Batch{Frames: frames, Upto: f.pos}, nil
		}
		b, err := f.follower.Next(ctx)
		if err != nil {
			return Batch{}, err
		}
		out := Batch{Lines: b.Lines}
		if b.Reset != nil {
			frame, err := wire.EncodeFrame(*b.Reset)
			if err != nil {
				return Batch{}, err
			}
			out.Frames = [][]byte{frame}
		}
		if len(b.Open) > 0 {
			frame, err := wire.EncodeFrame(openFrame(b.Open))
			if err != nil {
				return Batch{}, err
			}
			out.Frames = append(out.Frames, frame)
		}
		if out.Lines == nil && out.Frames == nil {
			continue // woken for a frame
		}
		f.pos = b.Upto
		out.Upto = f.pos
		return out, nil
	}
}

// openFrame has the lines as they are.
func openFrame(lines []byte) wire.Open {
	var open wire.Open
	for line := range bytes.Lines(lines) {
		open.Events = append(open.Events, bytes.TrimSpace(line))
	}
	return open
}

// Close ends the feed and the person's presence by it. It may be called more
// than once.
func (f *Feed) Close() {
	f.room.board.leave(f)
	f.follower.Close()
}
