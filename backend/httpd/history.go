package httpd

import (
	"context"

	"signalbox/backend/chat"
	"signalbox/backend/eventlog"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

func (s *Server) listPrompts(_ context.Context, in *ChatPath) (*answer[wire.Outline], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	outline, err := s.deps.Hub.Outline(chat)
	if err != nil {
		return nil, err
	}
	return reply(outline), nil
}

// rewindChat goes on when the client leaves, as all that changes a log.
func (s *Server) rewindChat(ctx context.Context, in *struct {
	ChatPath
	Body contract.Rewind
},
) (*answer[wire.Cut], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	cut, err := s.deps.Hub.Rewind(chat, callerFrom(ctx).Person, in.Body.Seq)
	if err != nil {
		return nil, err
	}
	return reply(cut), nil
}

// listRewound reads what was taken out, which is no part of the chat any more.
func (s *Server) listRewound(_ context.Context, in *struct {
	ChatPath
	Epoch uint64 `path:"epoch" minimum:"1" doc:"The cut's epoch."`
	After uint64 `query:"after" doc:"The seq after which the page begins; 0 is the beginning."`
},
) (*answer[eventlog.Page], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	log, err := s.chatLog(chat)
	if err != nil {
		return nil, err
	}
	page, err := log.RewoundPage(in.Epoch, in.After)
	if err != nil {
		return nil, err
	}
	return reply(page), nil
}

func (s *Server) restoreChat(ctx context.Context, in *struct {
	ChatPath
	Body *contract.Restore
},
) (*answer[wire.ChatSummary], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	var epoch uint64
	if in.Body != nil {
		epoch = in.Body.Epoch
	}
	who := callerFrom(ctx).Person
	if err := s.deps.Hub.Restore(chat, who, epoch); err != nil {
		return nil, err
	}
	return s.summary(chat, who.ID)
}

func (s *Server) forkChat(ctx context.Context, in *struct {
	ChatPath
	Body *contract.Fork
},
) (*answer[wire.ChatSummary], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	var f runhub.Fork
	if in.Body != nil {
		f = runhub.Fork{After: in.Body.After, Cut: in.Body.Cut, Title: in.Body.Title}
	}
	who := callerFrom(ctx).Person
	fork, err := s.deps.Hub.Fork(chat, who, f)
	if err != nil {
		return nil, err
	}
	return s.summary(fork, who.ID)
}

// listCalls reads a log for the calls of some tools, wherever in it they are.
func (s *Server) listCalls(_ context.Context, in *struct {
	ChatPath
	Tools  []string `query:"tools" required:"true" minItems:"1" maxItems:"50" doc:"Names of tools, without case and the marks . _ -."`
	Before string   `query:"before" doc:"The position before which to look, as epoch:seq; absent means the end."`
},
) (*answer[eventlog.Picked], error) {
	id, err := in.chat()
	if err != nil {
		return nil, err
	}
	before, err := parsePosition("before", in.Before)
	if err != nil {
		return nil, err
	}
	log, err := s.chatLog(id)
	if err != nil {
		return nil, err
	}
	picked, err := log.Pick(before, chat.Calls(in.Tools))
	if err != nil {
		return nil, err
	}
	return reply(picked), nil
}
