package httpd

import (
	"context"

	"signalbox/backend/httpd/contract"
	"signalbox/backend/index"
	"signalbox/backend/wire"
)

func (s *Server) usage(ctx context.Context, in *struct {
	By   index.By `query:"by" enum:"day,agent,model,person,chat,run" default:"day"`
	Chat string   `query:"chat" doc:"Only this chat."`
	Span
},
) (*answer[contract.UsageReport], error) {
	q := index.Question{By: in.By}
	var err error
	if q.From, q.To, q.Zone, err = in.times(); err != nil {
		return nil, err
	}
	if in.Chat != "" {
		if q.Chat, err = parseChat(in.Chat); err != nil {
			return nil, err
		}
	}
	sums, total, err := s.deps.Index.Usage(ctx, q)
	if err != nil {
		return nil, err
	}
	res := contract.UsageReport{By: in.By, Sums: []contract.UsageSum{}, Total: total, Index: s.indexState()}
	seen := s.visible(callerFrom(ctx).Person.ID)
	for _, sum := range sums {
		part := contract.UsageSum{Sum: sum}
		if in.By == index.ByChat {
			if chat := seen(wire.ChatID(sum.Key)); chat != nil {
				part.Title = chat.Title
			}
		}
		res.Sums = append(res.Sums, part)
	}
	return reply(res), nil
}
