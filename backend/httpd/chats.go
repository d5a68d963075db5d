package httpd

import (
	"context"

	"signalbox/backend/catalog"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/wire"
)

// ChatPath names the chat of a route.
type ChatPath struct {
	ID string `path:"id"`
}

// chat checks the id, which becomes part of a path.
func (p ChatPath) chat() (wire.ChatID, error) { return parseChat(p.ID) }

func parseChat(s string) (wire.ChatID, error) {
	id, err := wire.ParseChatID(s)
	if err != nil {
		return "", fault.New(fault.NotFound, "There is no such chat.").Because(err)
	}
	return id, nil
}

func (s *Server) listAgents(context.Context, *none) (*answer[contract.AgentList], error) {
	return reply(contract.AgentList{Agents: s.deps.Agents.Known()}), nil
}

// checkAgents looks at the agents anew, for somebody who has just installed one or
// signed in to it. Those who ask at the same time share one look.
func (s *Server) checkAgents(ctx context.Context, _ *none) (*answer[contract.AgentList], error) {
	s.deps.Agents.Refresh(ctx)
	return reply(contract.AgentList{Agents: s.deps.Agents.Known()}), nil
}

func (s *Server) listChats(ctx context.Context, _ *none) (*answer[contract.ChatList], error) {
	return reply(contract.ChatList{Chats: s.deps.Chats.List(callerFrom(ctx).Person.ID)}), nil
}

func (s *Server) createChat(ctx context.Context, in *struct{ Body *contract.NewChat }) (*answer[wire.ChatSummary], error) {
	var n catalog.New
	if in.Body != nil {
		n.Title, n.Skills = in.Body.Title, in.Body.Skills
		if in.Body.Selected != nil {
			n.Selected = *in.Body.Selected
		}
	}
	if err := s.deps.Hub.Check(n.Selected); err != nil {
		return nil, err
	}
	who := callerFrom(ctx).Person
	m, err := s.deps.Chats.Create(who, n)
	if err != nil {
		return nil, err
	}
	return s.summary(m.ID, who.ID)
}

func (s *Server) getChat(ctx context.Context, in *ChatPath) (*answer[wire.ChatSummary], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	return s.summary(chat, callerFrom(ctx).Person.ID)
}

func (s *Server) summary(chat wire.ChatID, viewer wire.UserID) (*answer[wire.ChatSummary], error) {
	sum, err := s.deps.Chats.Summary(chat, viewer)
	if err != nil {
		return nil, err
	}
	return reply(sum), nil
}

func (s *Server) changeChat(ctx context.Context, in *struct {
	ChatPath
	Body contract.ChatPatch
},
) (*answer[wire.ChatSummary], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	who, selected := callerFrom(ctx).Person.ID, in.Body.Selected
	if selected != nil {
		if err := s.deps.Hub.Check(*selected); err != nil {
			return nil, err
		}
	}
	skills, err := s.skillsAfter(ctx, chat, in.Body)
	if err != nil {
		return nil, err
	}
	_, err = s.deps.Chats.Update(chat, func(m *catalog.Meta) error {
		if in.Body.Title != nil {
			m.Title, m.TitleSource = *in.Body.Title, catalog.TitleByUser
		}
		if skills != nil {
			m.Skills = *skills
		}
		if selected != nil {
			m.Selected, m.SelectedBy, m.SelectedAt = *selected, who, catalog.Now()
		}
		if l := in.Body.Limits; l != nil {
			if m.Limits = l; *l == (wire.Limits{}) {
				m.Limits = nil
			}
		}
		if in.Body.Archived != nil {
			m.Archived = *in.Body.Archived
		}
		if in.Body.Pinned != nil {
			m.Pin(who, *in.Body.Pinned)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.summary(chat, who)
}

func (s *Server) readChat(ctx context.Context, in *ChatPath) (*none, error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	_, err = s.deps.Chats.Update(chat, func(m *catalog.Meta) error {
		m.MarkRead(callerFrom(ctx).Person.ID)
		return nil
	})
	return nil, err
}

func (s *Server) unreadChat(ctx context.Context, in *ChatPath) (*none, error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	_, err = s.deps.Chats.Update(chat, func(m *catalog.Meta) error {
		m.MarkUnread(callerFrom(ctx).Person.ID)
		return nil
	})
	return nil, err
}

// chatLog returns the log of a chat that is in the list: not of one in the trash.
func (s *Server) chatLog(chat wire.ChatID) (*eventlog.Log, error) {
	if _, err := s.deps.Chats.Get(chat); err != nil {
		return nil, err
	}
	return s.deps.Logs.Log(chat)
}

func (s *Server) listEvents(_ context.Context, in *struct {
	ChatPath
	Before string `query:"before" doc:"The position before which the page ends, as epoch:seq; absent means the end."`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"200"`
},
) (*answer[eventlog.Page], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	before, err := parsePosition("before", in.Before)
	if err != nil {
		return nil, err
	}
	log, err := s.chatLog(chat)
	if err != nil {
		return nil, err
	}
	page, err := log.Page(before, in.Limit)
	if err != nil {
		return nil, err
	}
	return reply(page), nil
}

// parsePosition reads a position; an empty one is none.
func parsePosition(name, s string) (*wire.Position, error) {
	if s == "" {
		return nil, nil
	}
	p, err := wire.ParsePosition(s)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s is not a position: it is epoch:seq, as in 2:41.", name).Because(err)
	}
	return &p, nil
}
