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
	of := r.prompt.continues
	for line, err := range r.room.log.Backward() {
		if err != nil {
			return own, err
		}
		switch string(chat.TypeOf(line)) {
		case string(wire.TypeUser), string(wire.TypeSession), string(wire.TypeAssistantText):
		default:
			continue
		}
		env, ev, err := wire.Decode(line)
		if err != nil || env.Run == r.id {
			continue
		}
		user, ok := ev.(wire.User)
		switch {
		case env.Run != of || !ok:
			return own, nil // it reached the agent, or is gone
		case user.Continues != "":
			of = user.Continues
		default:
			text, err := r.whole(user.Text, env.Refs["/text"])
			return asked{text, user.Skills, user.Attachments, true}, err
		}
	}
	return own, nil
}

// askedAgain says what is done instead of going on.
func askedAgain() wire.System {
	return wire.System{
		Level: wire.LevelInfo, Code: "asked_again",
		Text: "The run had not reached the agent, so its prompt is given to the agent again.",
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
