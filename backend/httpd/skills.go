package httpd

import (
	"context"

	"signalbox/backend/httpd/contract"
	"signalbox/backend/skill"
	"signalbox/backend/wire"
	"signalbox/backend/workdir"
)

// SkillQuery names the agent whose skills are asked for.
type SkillQuery struct {
	Agent string `query:"agent" required:"true" maxLength:"200" doc:"The agent that is to use the skills."`
}

func (s *Server) listSkills(ctx context.Context, in *SkillQuery) (*answer[skill.List], error) {
	return s.skillsOf(ctx, wire.AgentID(in.Agent), "")
}

func (s *Server) listChatSkills(ctx context.Context, in *struct {
	ChatPath
	SkillQuery
},
) (*answer[skill.List], error) {
	cwd, err := s.cwd(&in.ChatPath)
	if err != nil {
		return nil, err
	}
	return s.skillsOf(ctx, wire.AgentID(in.Agent), cwd)
}

func (s *Server) skillsOf(ctx context.Context, agent wire.AgentID, cwd string) (*answer[skill.List], error) {
	if _, err := s.deps.Agents.Get(agent); err != nil {
		return nil, err
	}
	return answerWith(s.deps.Skills.List(ctx, agent, cwd))
}

// cwd returns the working directory of the chat of a path.
func (s *Server) cwd(in *ChatPath) (string, error) {
	chat, err := in.chat()
	if err != nil {
		return "", err
	}
	meta, err := s.deps.Chats.Get(chat)
	return meta.Cwd, err
}

// skillsAfter returns the skills that the chat has after a change, nil for those
// that it has now. Another agent keeps only those that it has itself.
func (s *Server) skillsAfter(ctx context.Context, chat wire.ChatID, change contract.ChatPatch) (*[]string, error) {
	if change.Skills != nil || change.Selected == nil || change.Selected.Agent == "" {
		return change.Skills, nil
	}
	meta, err := s.deps.Chats.Get(chat)
	if err != nil || len(meta.Skills) == 0 || meta.Selected.Agent == change.Selected.Agent {
		return nil, err
	}
	list, err := s.deps.Skills.List(ctx, change.Selected.Agent, meta.Cwd)
	if err != nil {
		return nil, err
	}
	fit := list.Only(meta.Skills)
	return &fit, nil
}

func (s *Server) findFiles(ctx context.Context, in *struct {
	ChatPath
	Q     string `query:"q" maxLength:"200" doc:"Part of the path; empty finds what lies nearest."`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
},
) (*answer[workdir.Found], error) {
	cwd, err := s.cwd(&in.ChatPath)
	if err != nil {
		return nil, err
	}
	return answerWith(s.deps.Files.Find(ctx, cwd, in.Q, in.Limit))
}
