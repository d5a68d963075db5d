package httpd

import (
	"context"
	"time"

	"signalbox/backend/access"
	"signalbox/backend/catalog"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/wire"
)

// trashLimit bounds how long the deletion of a chat waits for its run to end: a
// little more than ending one may take.
const trashLimit = 25 * time.Second

// trashChat goes on when the client leaves: the run is stopped by then.
func (s *Server) trashChat(ctx context.Context, in *ChatPath) (*none, error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), trashLimit)
	defer cancel()
	return nil, s.deps.Hub.Trash(ctx, chat, callerFrom(ctx).Person)
}

func (s *Server) listTrash(ctx context.Context, _ *none) (*answer[contract.ChatList], error) {
	return reply(contract.ChatList{Chats: s.deps.Chats.Trashed(callerFrom(ctx).Person.ID)}), nil
}

func (s *Server) untrashChat(ctx context.Context, in *ChatPath) (*answer[wire.ChatSummary], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	who := callerFrom(ctx).Person
	if err := s.deps.Hub.Untrash(chat, who); err != nil {
		return nil, err
	}
	return s.summary(chat, who.ID)
}

// purgeChat deletes a chat for good.
func (s *Server) purgeChat(ctx context.Context, in *ChatPath) (*none, error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	m, err := s.deps.Chats.InTrash(chat)
	if err != nil {
		return nil, err
	}
	who := callerFrom(ctx)
	if err := mayPurge(who, m); err != nil {
		return nil, err
	}
	return nil, s.deps.Hub.Purge(chat, who.Person)
}

// mayPurge says whether somebody may delete for good what a chat holds: only of
// what is their own, or as an admin.
func mayPurge(who caller, m catalog.Meta) error {
	place := access.Loose
	if m.Owner.ID == who.Person.ID {
		place = access.Own
	}
	return access.Check(who.Role, access.Purge, place)
}
