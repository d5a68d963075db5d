package httpd

import (
	"cmp"
	"context"
	"slices"

	"signalbox/backend/httpd/contract"
	"signalbox/backend/storage"
	"signalbox/backend/wire"
)

func (s *Server) storage(ctx context.Context, _ *none) (*answer[contract.Storage], error) {
	res := contract.Storage{Chats: []contract.ChatStorage{}, Index: s.deps.Index.Bytes()}
	res.Free, res.Size = s.deps.Logs.DiskSpace()
	meter := storage.NewMeter(s.deps.Logs)
	who := callerFrom(ctx).Person.ID
	for _, list := range [][]wire.ChatSummary{s.deps.Chats.List(who), s.deps.Chats.Trashed(who)} {
		for _, chat := range list {
			use, err := meter.Measure(ctx, chat.ID)
			if err != nil {
				s.log.Warn("chat not measured", "chat", chat.ID, "err", err)
				continue
			}
			part := contract.ChatStorage{
				Chat: chat.ID, Title: chat.Title, Trashed: chat.Trashed != nil,
				Use: use, Total: use.Total(), Freed: use.Freed(),
			}
			res.Chats = append(res.Chats, part)
			res.Total += part.Total
			if part.Trashed {
				res.Freeable += part.Freed
			} else {
				res.Freeable += use.Rewound
			}
		}
	}
	slices.SortStableFunc(res.Chats, func(a, b contract.ChatStorage) int { return cmp.Compare(b.Total, a.Total) })
	return reply(res), nil
}

// dropRewound deletes for good what rewinds took out of a chat.
func (s *Server) dropRewound(ctx context.Context, in *ChatPath) (*none, error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	m, err := s.deps.Chats.Get(chat)
	if err != nil {
		return nil, err
	}
	who := callerFrom(ctx)
	if err := mayPurge(who, m); err != nil {
		return nil, err
	}
	log, err := s.deps.Logs.Log(chat)
	if err != nil {
		return nil, err
	}
	if err := log.DropRewound(); err != nil {
		return nil, err
	}
	s.log.Info("what rewinds took out deleted for good", "chat", chat, "user", who.Person.ID)
	return nil, nil
}
