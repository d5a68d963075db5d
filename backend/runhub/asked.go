package runhub

import (
	"fmt"
	"io"

	"signalbox/backend/chat"
	"signalbox/backend/wire"
)

// asked is what a run asks of its agent.
type asked struct {
	text        string
	skills      []string
	attachments []wire.Attachment
	again       bool // it is the prompt of an earlier run
}

// asked returns what the run asks of its agent: its prompt or, where it goes on
// with a run that ended before it reached the agent, the prompt of that.
func (r *run) asked() (asked, error) {
	own := asked{text: r.prompt.Text, skills: r.prompt.Skills, attachments: r.prompt.Attachments}
	if r.prompt.continues == "" {
		return own, nil
	}
	of, killed := r.prompt.continues, false
	for line, err := range r.room.log.Backward() {
		if err != nil {
			return own, err
		}
		if !telling[wire.Type(chat.TypeOf(line))] {
			continue
		}
		env, ev, err := wire.Decode(line)
		if err != nil || env.Run == r.id {
			continue
		}
		if env.Run != of {
			return own, nil // the run is gone
		}
		switch ev := ev.(type) {
		case wire.Complete:
			killed = ev.Status == wire.StatusInterrupted
		case wire.Session:
			// An agent that was killed may have begun a session without having
			// written down in it what it was asked.
			if !killed {
				return own, nil
			}
		case wire.User:
			if ev.Continues != "" {
				of = ev.Continues
				continue
			}
			text, err := r.whole(ev.Text, env.Refs["/text"])
			return asked{text, ev.Skills, ev.Attachments, true}, err
		default:
			return own, nil // the agent answered
		}
	}
	return own, nil
}

// telling are the events that tell whether a run reached its agent.
var telling = map[wire.Type]bool{
	wire.TypeUser: true, wire.TypeComplete: true, wire.TypeSession: true,
	wire.TypeAssistantText: true, wire.TypeThinking: true, wire.TypeToolUseStart: true,
	wire.TypeApproval: true, wire.TypeQuestion: true, wire.TypeTodo: true,
}

// askedAgain says what is done instead of going on.
func askedAgain() wire.System {
	return wire.System{
		Level: wire.LevelInfo, Code: "asked_again",
		Text: "The agent had not answered anything yet, so the prompt is given to it again.",
	}
}

// whole returns a text of which the log may hold the beginning alone.
func (r *run) whole(text string, ref wire.BlobRef) (string, error) {
	if ref.SHA256 == "" {
		return text, nil
	}
	body, err := r.room.log.OpenBlob(ref.SHA256)
	if err != nil {
		return "", fmt.Errorf("read prompt: %w", err)
	}
	defer body.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(body, chat.MaxText+1))
	if err != nil {
		return "", fmt.Errorf("read prompt: %w", err)
	}
	return string(b), nil
}
