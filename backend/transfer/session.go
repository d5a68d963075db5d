package transfer

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"signalbox/backend/catalog"
	"signalbox/backend/chat"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/history"
	"signalbox/backend/internal/id"
	"signalbox/backend/wire"
)

// maxTurns bounds the session that is imported; the earliest turns are left out.
const maxTurns = 50_000

// ImportSession makes a chat, the person's own, of a session that an agent keeps.
// The agent goes on in a copy of it: the session stays as it is. The chat works
// where the session did, or in a folder of its own where that is gone.
func ImportSession(s history.Session, by wire.Person, chats *catalog.Catalog, logs *eventlog.Store) (wire.ChatID, error) {
	turns, events := 0, 0
	for t, err := range s.Turns() {
		if err != nil {
			return "", err
		}
		if turns == maxTurns {
			return "", fault.New(fault.TooLarge, "The session has more than %d prompts.", maxTurns)
		}
		turns++
		events += len(drafts(s, by, t, ""))
	}
	if turns == 0 {
		return "", fault.New(fault.Invalid, "Nothing was said in that session.")
	}
	n := catalog.New{
		Title: chat.Title(s.Title), Selected: wire.Selection{Agent: s.Agent}, Imported: s.ID,
		// The agent's session is the chat's own as little as that of a chat that it
		// was forked from.
		ForkOf: &wire.Origin{Seq: uint64(events)},
	}
	if chat.CheckTitle(n.Title) != nil {
		n.Title = ""
	}
	if st, err := os.Stat(s.Cwd); err == nil && st.IsDir() {
		n.Cwd = s.Cwd
	}
	n.MakeLog = func(to wire.ChatID) error {
		i, err := logs.Import(to)
		if err != nil {
			return err
		}
		if err = fill(i, s, by, turns); err == nil && i.Last() != uint64(events) {
			err = fault.New(fault.Conflict, "The agent went on in the session while it was read.").
				WithHint("End it there, then import it again. Nothing was imported.")
		}
		if err == nil {
			err = notice(i, fmt.Sprintf("%s imported everything above from a session of %s. The next prompt goes on in a copy of it.", by.Name, s.Agent))
		}
		if err == nil {
			err = i.Commit()
		}
		if err != nil {
			return errors.Join(err, i.Abort())
		}
		return nil
	}
	m, err := chats.Create(by, n)
	if err != nil {
		return "", err
	}
	_, err = chats.Update(m.ID, func(m *catalog.Meta) error {
		m.Verdict = wire.StatusOK
		return nil
	})
	return m.ID, err
}

// offered is a model's name as a choice; one that is odd is left to the agent.
func offered(model string) string {
	if len(model) > 100 || !utf8.ValidString(model) || strings.ContainsAny(model, " <>\n") {
		return ""
	}
	return model
}

func fill(i *eventlog.Importer, s history.Session, by wire.Person, turns int) error {
	for t, err := range s.Turns() {
		if err != nil {
			return err
		}
		if turns--; turns < 0 {
			return nil // came meanwhile
		}
		for _, ev := range drafts(s, by, t, wire.RunID(id.New("r_"))) {
			d, err := wire.NewDraft(ev.run, ev.what)
			if err == nil {
				err = i.Append(ev.at, d)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

type draft struct {
	at   wire.Time
	run  wire.RunID
	what wire.Event
}

// drafts are the events of a turn, as a run of its own.
func drafts(s history.Session, by wire.Person, t history.Turn, run wire.RunID) []draft {
	selection := wire.Selection{Agent: s.Agent, Model: offered(t.Model)}
	text := strings.ReplaceAll(t.Text, "\x00", "\uFFFD")
	all := []draft{
		{t.At, run, wire.User{Text: wire.CutText(text, chat.MaxText), ClientID: chat.ImportPrefix + string(run), By: by, Selection: selection}},
		{t.At, run, wire.RunStarted{Selection: selection, Cwd: s.Cwd}},
		{t.At, run, wire.Session{Agent: s.Agent, SessionID: s.ID, Model: t.Model, Resumed: true}},
	}
	for _, ev := range t.Events {
		all = append(all, draft{ev.At, run, ev.Event})
	}
	done := wire.Complete{Status: wire.StatusOK, Turn: t.ID, MS: max(0, t.End.Sub(t.At.Time).Milliseconds())}
	if t.End.IsZero() || t.At.IsZero() || done.MS > (24*time.Hour).Milliseconds() {
		done.MS = 0
	}
	if t.Failed != "" {
		done.Status = wire.StatusFailed
		all = append(all, draft{t.End, run, wire.Error{Code: "failed", Message: wire.CutText(t.Failed, 4<<10)}})
	}
	return append(all, draft{t.End, run, done})
}
