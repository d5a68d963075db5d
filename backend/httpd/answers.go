package httpd

import (
	"context"

	"signalbox/backend/httpd/contract"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// answer gives the hub a person's answer. It goes on when the client leaves.
func (s *Server) answer(ctx context.Context, chat wire.ChatID, by wire.Person, a contract.Answer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandLimit)
	defer cancel()
	return s.deps.Hub.Answer(ctx, chat, by, runhub.Answer{
		ApprovalID: a.ApprovalID, Option: a.Option, Text: a.Text,
		QuestionID: a.QuestionID, Answers: a.Answers, Declined: a.Declined,
	})
}

func (s *Server) postAnswer(ctx context.Context, in *struct {
	ChatPath
	Body contract.Answer
},
) (*none, error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	return nil, s.answer(ctx, chat, callerFrom(ctx).Person, in.Body)
}

func (s *Server) listRules(_ context.Context, in *ChatPath) (*answer[contract.RuleList], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	m, err := s.deps.Chats.Get(chat)
	if err != nil {
		return nil, err
	}
	return reply(contract.RuleList{Rules: append([]wire.Rule{}, m.Rules...)}), nil
}

func (s *Server) revokeRule(_ context.Context, in *struct {
	ChatPath
	Rule string `path:"rule"`
},
) (*none, error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	return nil, s.deps.Hub.Revoke(chat, in.Rule)
}
