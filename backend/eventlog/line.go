package eventlog

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"signalbox/backend/internal/jsonvalid"
	"signalbox/backend/wire"
)

const (
	// maxSeq is the largest seq that a browser can count to.
	maxSeq = 1<<53 - 1
	// maxMissing is how many lost events in a row are each given a line. A
	// wider gap is crossed by one line, or a broken digit in a seq could ask
	// for more lines than fit on a disk.
	maxMissing = 256
	// timeLen is how long a time is as this package writes it.
	timeLen = len(`2006-01-02T15:04:05.000Z`)
)

// head is what a reader needs of a line: its place, and for an epoch event how
// far back it reaches.
type head struct {
	seq  uint64
	typ  wire.Type
	keep uint64 // of an epoch event
}

func (h head) isEpoch() bool { return h.typ == wire.TypeEpoch }

// before returns the seq that must come before the line.
func (h head) before() uint64 {
	if h.isEpoch() {
		return h.keep
	}
	return h.seq - 1
}

// line is one event as a reader gets it, without its line feed. For an event
// that was lost off is where the line after the gap begins.
type line struct {
	head

	raw []byte
	off int64
}

// peek reads the head of a line without decoding the rest. Lines that this
// package wrote have a beginning of fixed form; others are decoded.
func peek(raw []byte) (head, bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(`{"seq":`))
	n := 0
	var seq uint64
	for n < len(rest) && n <= 16 && rest[n] >= '0' && rest[n] <= '9' {
		seq = seq*10 + uint64(rest[n]-'0')
		n++
	}
	const toType = len(`,"t":"`) + timeLen + len(`","type":"`)
	if !ok || n == 0 || rest[0] == '0' || seq > maxSeq || len(rest) < n+toType ||
		string(rest[n:n+len(`,"t":"`)]) != `,"t":"` || string(rest[n+toType-len(`","type":"`):n+toType]) != `","type":"` {
		return decodeHead(raw)
	}
	name := rest[n+toType:]
	end := bytes.IndexByte(name, '"')
	if end <= 0 {
		return head{}, false
	}
	h := head{seq: seq, typ: internType(name[:end])}
	if h.isEpoch() {
		return decodeHead(raw)
	}
	return h, true
}

// decodeHead is peek for lines of any form.
func decodeHead(raw []byte) (head, bool) {
	if !jsonvalid.Bytes(raw) {
		return head{}, false
	}
	v := gjson.GetManyBytes(raw, "seq", "type", "keep")
	seq, ok := number(v[0])
	if !ok || seq == 0 || v[1].Type != gjson.String || v[1].Str == "" {
		return head{}, false
	}
	h := head{seq: seq, typ: wire.Type(v[1].Str)}
	if h.isEpoch() {
		h.keep, ok = number(v[2])
		ok = ok && h.keep < h.seq
	}
	return h, ok
}

// number reads a whole number that a browser can hold.
func number(v gjson.Result) (uint64, bool) {
	n, err := strconv.ParseUint(v.Raw, 10, 53)
	return n, err == nil && v.Type == gjson.Number
}

// internType returns the type named by b, without a new string for those known.
func internType(b []byte) wire.Type {
	if t, ok := knownTypes[string(b)]; ok {
		return t
	}
	return wire.Type(b)
}

var knownTypes = func() map[string]wire.Type {
	m := map[string]wire.Type{}
	for _, ev := range wire.Events() {
		m[string(ev.Type())] = ev.Type()
	}
	return m
}()

// readLine returns the head of a line if the whole line can be given to a
// client: JSON in UTF-8 with a place in the log and a time.
func readLine(raw []byte) (head, bool) {
	if len(raw) == 0 || raw[0] != '{' || raw[len(raw)-1] != '}' || !utf8.Valid(raw) || !jsonvalid.Bytes(raw) {
		return head{}, false
	}
	h, ok := peek(raw)
	return h, ok && isEnvelope(raw)
}

// isEnvelope reports whether a line of valid JSON has each field of the envelope
// once, so that all readers agree on it.
func isEnvelope(raw []byte) bool {
	n := envelopeFields(raw)
	if n.seq != 1 || n.t != 1 || n.typ != 1 || n.run > 1 || n.refs > 1 {
		return false
	}
	return hasTime(raw)
}

// hasTime reports whether a line's time can be read; where the line has the usual
// beginning, it is looked at in place.
func hasTime(raw []byte) bool {
	rest, usual := bytes.CutPrefix(raw, []byte(`{"seq":`))
	for usual && len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
		rest = rest[1:]
	}
	if at, ok := bytes.CutPrefix(rest, []byte(`,"t":"`)); usual && ok && len(at) > timeLen && at[timeLen] == '"' {
		var t time.Time
		if t.UnmarshalText(at[:timeLen]) == nil {
			return true
		}
	}
	_, err := time.Parse(time.RFC3339Nano, gjson.GetBytes(raw, "t").Str)
	return err == nil
}

// missing returns how many events were lost between the event prev and the line
// h; ok is false where h can't follow prev at all.
func missing(prev uint64, h head) (n uint64, ok bool) {
	if h.seq <= prev || h.before() < prev {
		return 0, false
	}
	return h.before() - prev, true
}

// gap stands for lost events: from..to each get a line, and if jump is not 0,
// an epoch event of that seq leads on from there.
type gap struct{ from, to, jump uint64 }

func newGap(prev, n uint64) gap {
	switch {
	case n == 0:
		return gap{from: prev + 1, to: prev}
	case n <= maxMissing:
		return gap{from: prev + 1, to: prev + n}
	default:
		return gap{from: prev + 1, to: prev + 1, jump: prev + n}
	}
}

// lostText is what a person reads in the place of an event that was lost.
const lostText = "A part of the chat could not be read from the disk."

// lost appends the line, without line feed, that stands for the event seq. Its
// bytes depend on the log alone, so that all readers agree.
func (v *view) lost(b []byte, seq uint64) []byte {
	b = v.begin(b, seq, wire.TypeSystem)
	return append(b, `,"level":"warn","code":"log_damaged","text":"`+lostText+`"}`...)
}

// jump appends the line that crosses a gap too wide to fill.
func (v *view) jump(b []byte, g gap) []byte {
	b = v.begin(b, g.jump, wire.TypeEpoch)
	b = append(b, `,"epoch":`...)
	b = strconv.AppendUint(b, v.epoch, 10)
	b = append(b, `,"keep":`...)
	b = strconv.AppendUint(b, g.to, 10)
	return append(b, `,"cause":"repair"}`...)
}

func (v *view) begin(b []byte, seq uint64, t wire.Type) []byte {
	b = wire.Draft{Type: t}.AppendLine(b, seq, v.created)
	return b[:len(b)-len("}\n")]
}
