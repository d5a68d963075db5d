package httpd

import (
	"context"

	"signalbox/backend/httpd/contract"
	"signalbox/backend/wire"
)

func (s *Server) getDraft(ctx context.Context, in *ChatPath) (*answer[wire.SavedDraft], error) {
	chat, err := s.listedChat(in)
	if err != nil {
		return nil, err
	}
	return answerWith(s.deps.Drafts.Get(chat, callerFrom(ctx).Person.ID))
}

func (s *Server) putDraft(ctx context.Context, in *struct {
	ChatPath
	Body contract.Draft
},
) (*answer[wire.SavedDraft], error) {
	chat, err := s.listedChat(&in.ChatPath)
	if err != nil {
		return nil, err
	}
	return answerWith(s.deps.Drafts.Put(chat, callerFrom(ctx).Person.ID, wire.SavedDraft{
		Text: in.Body.Text, Attachments: in.Body.Attachments, Skills: in.Body.Skills, Rev: in.Body.Rev,
	}))
}

// listedChat returns the chat of a path, if there is such a one.
func (s *Server) listedChat(in *ChatPath) (wire.ChatID, error) {
	chat, err := in.chat()
	if err != nil {
		return "", err
	}
	_, err = s.deps.Chats.Get(chat)
	return chat, err
}

func (s *Server) getSettings(ctx context.Context, _ *none) (*answer[wire.Settings], error) {
	return reply(s.deps.People.Get(callerFrom(ctx).Person.ID)), nil
}

func (s *Server) changeSettings(ctx context.Context, in *struct {
	Body contract.SettingsPatch
},
) (*answer[wire.Settings], error) {
	return answerWith(s.deps.People.Change(callerFrom(ctx).Person.ID, func(p *wire.Settings) error {
		if in.Body.ContinueAtReset != nil {
			p.ContinueAtReset = *in.Body.ContinueAtReset
		}
		if in.Body.EnterSends != nil {
			p.EnterSends = *in.Body.EnterSends
		}
		if in.Body.Limits != nil {
			p.Limits = *in.Body.Limits
		}
		return nil
	}))
}
