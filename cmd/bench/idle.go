//go:build linux

package main

import (
	"context"
)

// idle is the memory of sockets and chats at rest.
func (b *bench) idle(ctx context.Context) error {
	const sockets, chats = 1000, 1000
	return b.product(ctx, b.dir, "idle", func() error {
		empty, err := b.atRest()
		if err != nil {
			return err
		}
		chat, err := b.chat(ctx)
		if err != nil {
			return err
		}
		before, err := b.atRest()
		if err != nil {
			return err
		}
		fs, err := b.watchAll(ctx, chat, sockets)
		if err != nil {
			return err
		}
		defer fs.close()
		for _, f := range fs {
			if _, _, err := f.conn.Read(ctx); err != nil { // connected
				return err
			}
		}
		after, err := residentMB(b.pid())
		if err != nil {
			return err
		}
		b.rep.add("memory of an idle socket", "KB", samples{(after - before) * 1024 / sockets})
		for range chats {
			if _, err := b.chat(ctx); err != nil {
				return err
			}
		}
		if err := b.restart(ctx, nil); err != nil {
			return err
		}
		full, err := b.atRest()
		if err != nil {
			return err
		}
		b.rep.add("memory of 1,000 idle chats", "MB", samples{full - empty})
		return nil
	})
}
