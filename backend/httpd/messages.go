package httpd

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"signalbox/backend/fault"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// commandLimit bounds how long a command may take. Accepting a prompt waits for
// the disk and for nothing else.
const commandLimit = 30 * time.Second

func promptTooLarge() error {
	return fault.New(fault.TooLarge, "The prompt is over 1 MB.").
		WithHint("Put the text into a file in the chat's folder and name the file in the prompt.")
}

// prompt gives the hub a prompt. It goes on when the client leaves, so that no
// prompt is half accepted.
func (s *Server) prompt(ctx context.Context, chat wire.ChatID, by wire.Person, p contract.Prompt) (wire.PromptResult, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandLimit)
	defer cancel()
	return s.deps.Hub.Prompt(ctx, chat, by, runhub.Prompt{
		ClientID: p.ClientID, Text: p.Text, WhenBusy: string(p.WhenBusy), Selection: p.Selection, Skills: p.Skills,
		Attachments: p.Attachments,
	})
}

func (s *Server) cancel(ctx context.Context, chat wire.ChatID, by wire.Person, run wire.RunID) error {
	if run != "" {
		if _, err := wire.ParseRunID(string(run)); err != nil {
			return fault.New(fault.Invalid, "There is no run with that id.").Because(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandLimit)
	defer cancel()
	return s.deps.Hub.Cancel(ctx, chat, by, run)
}

func (s *Server) cancelRun(ctx context.Context, in *struct {
	ChatPath
	Body *contract.Cancel
},
) (*none, error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	var run wire.RunID
	if in.Body != nil {
		run = in.Body.Run
	}
	return nil, s.cancel(ctx, chat, callerFrom(ctx).Person, run)
}

// postMessage accepts a prompt. A client that asks for an event stream gets what
// happens in the chat until the prompt's run has ended and its lock is free.
func (s *Server) postMessage(ctx context.Context, in *struct {
	ChatPath
	Body contract.Prompt
},
) (*huma.StreamResponse, error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	who := callerFrom(ctx)
	// The log's epoch at this moment, since a seq alone is no position.
	log, err := s.chatLog(chat)
	if err != nil {
		return nil, err
	}
	from := log.End()
	res, err := s.prompt(ctx, chat, who.Person, in.Body)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		c := humaecho.Unwrap(hc)
		if !wantsStream(c.Request()) {
			c.Response().Header().Set("Content-Type", "application/json")
			c.Response().WriteHeader(http.StatusAccepted)
			// A client that is gone asks again with its client id.
			_ = json.NewEncoder(c.Response()).Encode(res)
			return
		}
		if res.Run != "" {
			from.Seq = res.Seq - 1
		}
		if err := s.stream(c, chat, &from, &ender{clientID: res.ClientID, run: res.Run}); err != nil {
			s.answerError(err, c)
		}
	}}, nil
}
