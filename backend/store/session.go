package store

import (
	"context"
	"database/sql"

	"signalbox/backend/wire"
)

func putSessions(ctx context.Context, tx *sql.Tx, chat wire.ChatID, ids []string) error {
	for _, id := range ids {
		_, err := tx.ExecContext(ctx, `
INSERT INTO sessions (id, chat) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET chat = min(chat, excluded.chat)`, id, chat)
		if err != nil {
			return err
		}
	}
	return nil
}

// Sessions returns which chat has each session of an agent.
func (s *Store) Sessions(ctx context.Context) (map[string]wire.ChatID, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT id, chat FROM sessions`)
	if err != nil {
		return nil, explain("read the index", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	all := map[string]wire.ChatID{}
	for rows.Next() {
		var id string
		var chat wire.ChatID
		if err := rows.Scan(&id, &chat); err != nil {
			return nil, explain("read the index", err)
		}
		all[id] = chat
	}
	return all, explain("read the index", rows.Err())
}
