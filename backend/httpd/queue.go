package httpd

import (
	"context"

	"signalbox/backend/access"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

func (s *Server) getQueue(_ context.Context, in *ChatPath) (*answer[wire.Queue], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	return answerWith(s.deps.Hub.Queue(chat))
}

// QueuedPath names a prompt that waits in a chat's queue.
type QueuedPath struct {
	ChatPath
	ClientID string `path:"clientId" maxLength:"200"`
}

func (s *Server) changeQueued(ctx context.Context, in *struct {
	QueuedPath
	Body contract.QueuePatch
},
) (*answer[wire.Queue], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	return answerWith(s.deps.Hub.ChangeQueued(chat, callerFrom(ctx).Person, in.ClientID, runhub.Change{
		Text: in.Body.Text, To: in.Body.To, Rev: in.Body.Rev,
	}))
}

func (s *Server) removeQueued(_ context.Context, in *struct {
	QueuedPath
	Rev uint64 `query:"rev" doc:"The rev of the queue that the removal is based on; absent means that it is removed whatever changed."`
},
) (*answer[wire.Queue], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	return answerWith(s.deps.Hub.RemoveQueued(chat, in.ClientID, in.Rev))
}

func (s *Server) resumeQueue(ctx context.Context, in *ChatPath) (*answer[wire.Queue], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandLimit)
	defer cancel()
	return answerWith(s.deps.Hub.ResumeQueue(ctx, chat))
}

func (s *Server) continueRun(ctx context.Context, in *struct {
	ChatPath
	Body *contract.Continue
},
) (*answer[wire.PromptResult], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	when := runhub.Now
	if in.Body != nil {
		when = runhub.When(in.Body.When)
	}
	by := callerFrom(ctx).Person
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandLimit)
	defer cancel()
	return answerWith(s.deps.Hub.Continue(ctx, chat, by, when))
}

func answerWith[T any](v T, err error) (*answer[T], error) {
	if err != nil {
		return nil, err
	}
	return reply(v), nil
}

// queueCommand carries out a command about the queue; false if the frame is none.
func (c *commands) queueCommand(kind wire.Type, id string, frame []byte) bool {
	switch kind {
	case "queue_edit":
		changeQueue(c, id, "QueueEditCommand", frame, func(_ context.Context, by wire.Person, cmd contract.QueueEditCommand) error {
			_, err := c.s.deps.Hub.ChangeQueued(c.chat, by, cmd.ClientID, runhub.Change{Text: &cmd.Text, Rev: cmd.Rev})
			return err
		})
	case "queue_move":
		changeQueue(c, id, "QueueMoveCommand", frame, func(_ context.Context, by wire.Person, cmd contract.QueueMoveCommand) error {
			_, err := c.s.deps.Hub.ChangeQueued(c.chat, by, cmd.ClientID, runhub.Change{To: &cmd.To, Rev: cmd.Rev})
			return err
		})
	case "queue_remove":
		changeQueue(c, id, "QueueRemoveCommand", frame, func(_ context.Context, _ wire.Person, cmd contract.QueueRemoveCommand) error {
			_, err := c.s.deps.Hub.RemoveQueued(c.chat, cmd.ClientID, cmd.Rev)
			return err
		})
	case "queue_resume":
		changeQueue(c, id, "QueueResumeCommand", frame, func(ctx context.Context, _ wire.Person, _ contract.QueueResumeCommand) error {
			ctx, cancel := context.WithTimeout(ctx, commandLimit)
			defer cancel()
			_, err := c.s.deps.Hub.ResumeQueue(ctx, c.chat)
			return err
		})
	case wire.TypeTyping:
		changeQueue(c, id, "TypingCommand", frame, func(_ context.Context, by wire.Person, _ contract.TypingCommand) error {
			return c.s.deps.Hub.Typing(c.chat, by)
		})
	default:
		return false
	}
	return true
}

// changeQueue carries out a command by who may send prompts. It keeps its order
// among prompts: one that was queued just now is there.
func changeQueue[T any](c *commands, id, schema string, frame []byte, do func(context.Context, wire.Person, T) error) {
	c.submit(&c.prompts, id, func(ctx context.Context) (any, error) {
		cmd, err := decode[T](c.s.api, schema, frame)
		if err != nil {
			return nil, err
		}
		by, err := c.allowed(access.Send)
		if err != nil {
			return nil, err
		}
		return nil, do(ctx, by, cmd)
	})
}
