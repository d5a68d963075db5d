//go:build linux

package main

import (
	"bytes"
	"context"
	"hash/maphash"
	"time"

	"github.com/coder/websocket"

	"signalbox/backend/wire"
)

// watch follows a chat as a browser does: it comes back with its position until
// ctx ends or the chat is gone.
func (w *world) watch(ctx context.Context, chat wire.ChatID) {
	f := &follow{chat: chat, epoch: 1}
	f.each = func(seq uint64, line []byte) {
		w.ledger.saw(chat, wire.Position{Epoch: f.epoch, Seq: seq}, maphash.Bytes(w.ledger.seed, bytes.TrimSuffix(line, []byte("\n"))))
	}
	for ctx.Err() == nil {
		if d := w.daemon(); d != nil {
			user := d.user
			f.user = &user
			since := ""
			if f.seen.last > 0 {
				since = wire.Position{Epoch: f.epoch, Seq: f.seen.last}.String()
			}
			if f.dial(ctx, since) == nil {
				err := w.listen(ctx, f)
				if f.fault != nil {
					w.ledger.wrong("chat %s: a client saw %v", chat, f.fault)
					return
				}
				if code := websocket.CloseStatus(err); code >= 4500 {
					return
				}
			}
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// listen reads until the socket ends.
func (w *world) listen(ctx context.Context, f *follow) error {
	conn := f.conn
	leave := w.ledger.join(conn)
	defer leave()
	defer f.close()
	for {
		if pause := w.ledger.pauseOf(conn); pause > 0 {
			time.Sleep(pause)
		}
		if err := f.next(ctx); err != nil {
			return err
		}
	}
}
