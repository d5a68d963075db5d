package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// Draft is an event on its way into a log: its fields are encoded, its place in
// the log is not known yet. Encoding happens once, outside the log's lock.
type Draft struct {
	Type Type
	Run  RunID // empty for an event that belongs to no run
	// Body is a JSON object with the event's own fields, without white space
	// at either end.
	Body []byte
	// Large are strings of which Body holds the heads only. Whoever writes the
	// event puts them beside the log and names them in its refs.
	Large []Large
}

// NewDraft encodes ev as an event of run.
func NewDraft(run RunID, ev Event) (Draft, error) {
	cut, large := lift(ev)
	cut, detail := liftDetail(cut)
	body, err := encode(cut, detail)
	if err != nil {
		return Draft{}, fmt.Errorf("encode %s event: %w", ev.Type(), err)
	}
	return Draft{Type: ev.Type(), Run: run, Body: body, Large: large}, nil
}

// AppendLine appends the draft as the event seq at time t, with a line feed: the
// bytes of the log and of the wire.
func (d Draft) AppendLine(b []byte, seq uint64, t Time) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, seq, 10)
	b = append(b, `,"t":`...)
	b = t.AppendJSON(b)
	b = append(b, `,"type":"`...)
	b = append(b, d.Type...)
	b = append(b, '"')
	if d.Run != "" {
		b = append(b, `,"run":"`...)
		b = append(b, d.Run...)
		b = append(b, '"')
	}
	if len(d.Body) > len(`{}`) {
		b = append(b, ',')
		b = append(b, d.Body[1:]...)
	} else {
		b = append(b, '}')
	}
	return append(b, '\n')
}

// Envelope is what every logged event carries.
type Envelope struct {
	Seq  uint64 `json:"seq"`
	T    Time   `json:"t"`
	Type Type   `json:"type"`
	Run  RunID  `json:"run,omitempty"`
	// Refs names the strings of the event that lie beside the log, by JSON
	// pointer: the event holds their first 4 KiB.
	Refs map[string]BlobRef `json:"refs,omitempty"`
}

// Unknown is an event of a type that this version does not know. It is kept and
// passed on, never an error.
type Unknown struct {
	Name Type
	Raw  json.RawMessage
}

func (u Unknown) Type() Type { return u.Name }
func (Unknown) isEvent()     {}

// Decode reads one line of a log.
func Decode(line []byte) (Envelope, Event, error) {
	env, ok := head(line)
	if !ok {
		if err := json.Unmarshal(line, &env); err != nil {
			return Envelope{}, nil, fmt.Errorf("decode event: %w", err)
		}
	}
	ev, err := decodeBody(env.Type, line)
	if err != nil {
		return Envelope{}, nil, fmt.Errorf("decode %s event: %w", env.Type, err)
	}
	return env, ev, nil
}

// head reads the envelope of a line in the form that AppendLine gives it, which
// saves decoding the whole line for it. What may have more is left to the decoder.
func head(line []byte) (env Envelope, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`))
	if !ok || bytes.Contains(rest, []byte(`"refs":`)) {
		return Envelope{}, false
	}
	seq, rest, _ := bytes.Cut(rest, []byte(`,"t":"`))
	at, rest, _ := bytes.Cut(rest, []byte(`","type":"`))
	name, rest, ok := bytes.Cut(rest, []byte(`"`))
	if run, isRun := bytes.CutPrefix(rest, []byte(`,"run":"`)); isRun {
		var id []byte
		id, rest, ok = bytes.Cut(run, []byte(`"`))
		env.Run = RunID(id)
	}
	n, errSeq := strconv.ParseUint(string(seq), 10, 64)
	t, errTime := time.Parse(timeLayout, string(at))
	plain := !bytes.ContainsRune(name, '\\') && !bytes.ContainsRune([]byte(env.Run), '\\')
	if !ok || !plain || errSeq != nil || errTime != nil || len(rest) == 0 || (rest[0] != ',' && rest[0] != '}') {
		return Envelope{}, false
	}
	env.Seq, env.T, env.Type = n, Time{t}, Type(name)
	return env, true
}

func decodeBody(t Type, line []byte) (Event, error) {
	switch t {
	case TypeUser:
		return decodeAs[User](line)
	case TypeRunStarted:
		return decodeAs[RunStarted](line)
	case TypeSession:
		return decodeAs[Session](line)
	case TypeAssistantText:
		return decodeAs[AssistantText](line)
	case TypeThinking:
		return decodeAs[Thinking](line)
	case TypeToolUseStart:
		return decodeAs[ToolUseStart](line)
	case TypeToolOutput:
		return decodeAs[ToolOutput](line)
	case TypeToolUseEnd:
		return decodeAs[ToolUseEnd](line)
	case TypeTodo:
		return decodeAs[Todo](line)
	case TypeRateLimit:
		return decodeAs[RateLimit](line)
	case TypeApproval:
		return decodeAs[Approval](line)
	case TypeApprovalAnswered:
		return decodeAs[ApprovalAnswered](line)
	case TypeQuestion:
		return decodeAs[Question](line)
	case TypeQuestionAnswered:
		return decodeAs[QuestionAnswered](line)
	case TypeSystem:
		return decodeAs[System](line)
	case TypeError:
		return decodeAs[Error](line)
	case TypeComplete:
		return decodeAs[Complete](line)
	case TypeEpoch:
		return decodeAs[Epoch](line)
	default:
		if !json.Valid(line) {
			return nil, errors.New("not JSON")
		}
		return Unknown{Name: t, Raw: bytes.Clone(line)}, nil
	}
}

func decodeAs[E Event](line []byte) (Event, error) {
	var ev E
	if err := json.Unmarshal(line, &ev); err != nil {
		return nil, err
	}
	return ev, nil
}

// EncodeFrame returns f as one line of JSON, without a line feed.
func EncodeFrame(f Frame) ([]byte, error) {
	body, err := encode(f, nil)
	if err != nil {
		return nil, fmt.Errorf("encode %s frame: %w", f.Type(), err)
	}
	b := append([]byte(`{"type":"`), f.Type()...)
	b = append(b, '"')
	if len(body) > len(`{}`) {
		b = append(b, ',')
		return append(b, body[1:]...), nil
	}
	return append(b, '}'), nil
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// encode is json.Marshal without the escaping that HTML pages need: the bytes
// never stand in one, and code is full of those characters. A detail, which is JSON,
// becomes the last field of the object.
func encode(v any, detail []byte) ([]byte, error) {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	buf.Truncate(buf.Len() - len("\n"))
	if detail != nil {
		buf.Truncate(buf.Len() - len("}"))
		buf.WriteString(`,"detail":`)
		buf.Write(detail)
		buf.WriteByte('}')
	}
	b := buf.Bytes()
	if buf.Cap() > keptBuffer {
		return b, nil // the rare large one goes with its event: no copy, nothing kept
	}
	b = bytes.Clone(b)
	buffers.Put(buf)
	return b, nil
}

// keptBuffer is the size up to which a buffer is kept for the next event.
const keptBuffer = 64 << 10
