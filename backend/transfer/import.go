package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"signalbox/backend/catalog"
	"signalbox/backend/chat"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// The limits of what is imported.
const (
	MaxBytes  = 1 << 30
	maxEvents = 5_000_000
)

// Import makes a chat of an export, the person's own (fault invalid for what is no
// export or was changed; too_large). After an error there is no chat.
func Import(r io.Reader, by wire.Person, chats *catalog.Catalog, logs *eventlog.Store) (wire.ChatID, error) {
	in := &source{r: bufio.NewReaderSize(io.LimitReader(r, MaxBytes+1), 64<<10)}
	first, err := in.line()
	if err != nil {
		return "", errNoExport(err)
	}
	var h header
	if json.Unmarshal(first, &h) != nil || h.Signalbox != "chat" || h.Format < 1 {
		return "", errNoExport(nil)
	}
	if h.Format > format {
		return "", fault.New(fault.Invalid, "This export has format %d; this Signalbox reads up to format %d.", h.Format, format).
			WithHint("Nothing was imported. Signalbox %.40s, which wrote it, or a later version can import it.", h.Version)
	}
	n := catalog.New{Title: h.Title, Selected: h.Selected}
	if chat.CheckTitle(n.Title) != nil {
		n.Title = ""
	}
	var last chat.Run
	var end uint64
	n.MakeLog = func(to wire.ChatID) error {
		i, err := logs.Import(to)
		if err != nil {
			return err
		}
		if last, err = in.fill(i, by, h); err == nil {
			end, err = i.Last(), i.Commit()
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
		m.Verdict = last.Verdict
		m.Used = &catalog.Used{Seq: end} // what its runs used counts elsewhere
		return nil
	})
	return m.ID, err
}

func errNoExport(err error) error {
	f := fault.New(fault.Invalid, "This is no chat that Signalbox exported.").
		WithHint("Take the file that an export as JSON gave.")
	if err != nil {
		return f.Because(err)
	}
	return f
}

// source reads the lines of an export.
type source struct {
	r *bufio.Reader
	n int64
}

var errTooLong = errors.New("a line is too long")

// line returns the next line, without its line feed; it is valid until the next.
func (s *source) line() ([]byte, error) {
	var long []byte
	for {
		part, err := s.r.ReadSlice('\n')
		if s.n += int64(len(part)); s.n > MaxBytes {
			return nil, fault.New(fault.TooLarge, "The export has more than %d MB.", MaxBytes>>20)
		}
		if len(long)+len(part) > max(eventlog.MaxLine, maxChunkLine) {
			return nil, errTooLong
		}
		switch {
		case err == nil && long == nil:
			return part[:len(part)-1], nil
		case err == nil:
			return append(long, part[:len(part)-1]...), nil
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, part...)
		default:
			return nil, err
		}
	}
}

// fill reads events and bodies into the new log, to the end of the export. It
// returns the last run.
func (s *source) fill(i *eventlog.Importer, by wire.Person, h header) (chat.Run, error) {
	state := chat.NewState(0)
	events := uint64(0)
	bad := func(err error) error {
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Code != fault.Invalid {
			return err
		}
		return fault.New(fault.Invalid, "The export cannot be imported: after event %d, %v.", i.Last(), reason(err)).
			WithHint("Export the chat again. Nothing was imported.").Because(err)
	}
	for {
		raw, err := s.line()
		if err != nil {
			return chat.Run{}, bad(err)
		}
		switch {
		case bytes.HasPrefix(raw, []byte(`{"blob":`)):
			if err := s.blob(i, raw); err != nil {
				return chat.Run{}, bad(err)
			}
		case bytes.HasPrefix(raw, []byte(`{"end":`)):
			var t tail
			if json.Unmarshal(raw, &t) != nil || t.Events != events {
				return chat.Run{}, bad(errors.New("events are missing"))
			}
			return state.Last(), finish(i, state, by, h)
		default:
			if events++; events > maxEvents {
				return chat.Run{}, fault.New(fault.TooLarge, "The export has more than %d events.", maxEvents)
			}
			line, err := foreign(raw)
			if err == nil {
				err = i.Line(line)
			}
			if err == nil {
				err = state.Apply(line)
			}
			if err != nil {
				return chat.Run{}, bad(err)
			}
		}
	}
}

// reason is what of an error a person is told.
func reason(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Message
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it breaks off"
	case errors.Is(err, errTooLong):
		return "a line is too long"
	}
	return "what follows cannot be read"
}

// blob reads a body, which may go on on further lines.
func (s *source) blob(i *eventlog.Importer, raw []byte) error {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	total := 0
	next := func() ([]byte, error) {
		if c.Last {
			return nil, io.EOF
		}
		sum := c.Blob
		raw, err := s.line()
		if err != nil {
			return nil, err
		}
		c = chunk{}
		if json.Unmarshal(raw, &c) != nil || c.Blob != sum || len(c.Data) == 0 {
			return nil, fault.New(fault.Invalid, "a body breaks off")
		}
		return c.Data, nil
	}
	return i.Blob(c.Blob, &chunks{data: c.Data, next: func() ([]byte, error) {
		if total += chunkBytes; total > blobLimit {
			return nil, fault.New(fault.TooLarge, "The export has a body of more than %d MB.", blobLimit>>20)
		}
		return next()
	}})
}

// chunks reads a body that comes in parts.
type chunks struct {
	data []byte
	next func() ([]byte, error)
}

func (c *chunks) Read(p []byte) (int, error) {
	for len(c.data) == 0 {
		data, err := c.next()
		if err != nil {
			return 0, err
		}
		c.data = data
	}
	n := copy(p, c.data)
	c.data = c.data[n:]
	return n, nil
}

// foreign returns a line as it is imported: an agent's session of another machine
// becomes a notice in its place.
func foreign(raw []byte) ([]byte, error) {
	if string(chat.TypeOf(raw)) != string(wire.TypeSession) {
		return raw, nil
	}
	env, _, err := wire.Decode(raw)
	if err != nil || !utf8.ValidString(string(env.Run)) {
		return nil, fault.New(fault.Invalid, "a session event cannot be read").Because(err)
	}
	if env.Run != "" {
		if _, err := wire.ParseRunID(string(env.Run)); err != nil {
			return nil, fault.New(fault.Invalid, "a run has an odd name").Because(err)
		}
	}
	d, err := wire.NewDraft(env.Run, wire.System{
		Level: wire.LevelInfo, Code: "session_elsewhere", Text: "The agent's session of that time is not part of this chat.",
	})
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(d.AppendLine(nil, env.Seq, env.T), []byte("\n")), nil
}

// finish ends a run that has no end, and says where all this is from: who said
// what is as the export tells.
func finish(i *eventlog.Importer, state *chat.State, by wire.Person, h header) error {
	if run, open := state.Open(); open {
		d, err := wire.NewDraft(run.ID, wire.Complete{Status: wire.StatusInterrupted, Notice: "The chat was exported while this run was under way."})
		if err == nil {
			err = i.Append(h.Exported, d)
		}
		if err != nil {
			return err
		}
	}
	return notice(i, fmt.Sprintf("%s imported everything above from an export. Who said what is as the export tells.", by.Name))
}

// notice adds that a chat was imported, now.
func notice(i *eventlog.Importer, text string) error {
	d, err := wire.NewDraft("", wire.System{Level: wire.LevelInfo, Code: "imported", Text: text})
	if err != nil {
		return err
	}
	return i.Append(catalog.Now(), d)
}
