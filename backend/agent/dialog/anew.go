package dialog

import (
	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// Lost is the notice that an agent cannot go on with the session of req, and
// that [Anew] begins another.
func Lost(name string, req agent.Request) wire.System {
	text := name + " no longer has this chat's session."
	if req.Fork {
		text = name + " could not go on from this point of the chat's session."
	}
	if req.Fresh != "" {
		text += " It begins a new one and is given what was said before, as far as that fits."
	} else {
		text += " It begins a new one and does not know what was said before."
	}
	return wire.System{Level: wire.LevelWarn, Code: CodeSessionLost, Text: text}
}

// Anew is req for a session that knows nothing of the chat: an answer without
// the agent's own memory is worth more than none.
func Anew(req agent.Request) agent.Request {
	if req.Fresh != "" {
		req.Text = req.Fresh
	}
	req.Session, req.Fork, req.Turn, req.Fresh = "", false, "", ""
	return req
}
