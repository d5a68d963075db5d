//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// continuity checks that events come once each, in order.
type continuity struct{ last uint64 }

// line takes the seq of a line.
func (c *continuity) line(seq uint64) error {
	if seq != c.last+1 {
		return fmt.Errorf("event %d follows event %d", seq, c.last)
	}
	c.last = seq
	return nil
}

// batch checks what a follower gave by its two ends and the number of its lines,
// so that the check costs little beside what is measured.
func (c *continuity) batch(b eventlog.Batch) error {
	first, ok := seqOf(b.Lines)
	if n := uint64(bytes.Count(b.Lines, []byte("\n"))); !ok || first != c.last+1 || b.Upto.Seq != c.last+n {
		return fmt.Errorf("%d lines from event %d to event %d follow event %d", n, first, b.Upto.Seq, c.last)
	}
	c.last = b.Upto.Seq
	return nil
}

// seqOf reads the seq at the head of an event's line.
func seqOf(line []byte) (uint64, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`))
	if !ok {
		return 0, false
	}
	end := bytes.IndexByte(rest, ',')
	if end < 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(rest[:end]), 10, 64)
	return n, err == nil
}

// typeOf reads the type of an event's line, which stands near its head: of long
// lines no more is looked at.
func typeOf(line []byte) wire.Type {
	const farthest = 120
	_, rest, _ := bytes.Cut(line[:min(len(line), farthest)], []byte(`"type":"`))
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	return wire.Type(name)
}

// client is a signed-in browser.
type client struct {
	base   string // http://host:port
	cookie string
	http   *http.Client
}

// call sends body as JSON and decodes the answer into out, if not nil.
func (c *client) call(ctx context.Context, method, path string, body, out any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", c.base)
	req.Header.Set("Cookie", c.cookie)
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= http.StatusBadRequest {
		return &refusal{method: method, path: path, status: res.StatusCode, answer: string(answer)}
	}
	for _, ck := range res.Cookies() {
		c.cookie = ck.Name + "=" + ck.Value
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// refusal is an answer that is an error.
type refusal struct {
	method, path string
	status       int
	answer       string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%s %s: %d %s", r.method, r.path, r.status, r.answer)
}

// follow is one socket on a chat, and what it has seen.
type follow struct {
	user  *client
	chat  wire.ChatID
	conn  *websocket.Conn
	pause time.Duration // before each message: a client on a slow line

	seen  continuity
	epoch uint64
	ended bool // a run's end was seen
	// fault is why what came cannot be right; a connection that ends is none.
	fault error
	lags  []time.Duration // CLI line to here, of the stamped lines
	bytes int64
	sum   hash.Hash64 // if set, of the lines from the second on, up to sumTo if that is set
	sumTo uint64
	// each, if set, gets every event.
	each func(seq uint64, line []byte)
	// pieces counts the pieces of text of the stand-in: those that were joined
	// on their way must still all be there.
	pieces  int
	resumed int // how often its connection ended and was opened again
	resets  int // how often it was told to begin anew
}

// watch opens a socket; since "" asks for the last page.
func (c *client) watch(ctx context.Context, chat wire.ChatID, since string) (*follow, error) {
	f := &follow{user: c, chat: chat, epoch: 1}
	if pos, err := wire.ParsePosition(since); err == nil {
		f.seen.last, f.epoch = pos.Seq, pos.Epoch
	}
	return f, f.dial(ctx, since)
}

func (f *follow) dial(ctx context.Context, since string) error {
	c, chat := f.user, f.chat
	url := "ws" + strings.TrimPrefix(c.base, "http") + "/ws/chat/" + string(chat)
	if since != "" {
		url += "?since=" + since
	}
	conn, res, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPHeader: http.Header{"Cookie": {c.cookie}, "Origin": {c.base}},
	})
	if err != nil {
		return fmt.Errorf("open socket: %w", err)
	}
	if res != nil && res.Body != nil {
		res.Body.Close()
	}
	conn.SetReadLimit(-1)
	f.conn = conn
	return nil
}

// again opens the socket where it was.
func (f *follow) again(ctx context.Context) error {
	return f.dial(ctx, wire.Position{Epoch: f.epoch, Seq: f.seen.last}.String())
}

func (f *follow) close() { _ = f.conn.CloseNow() } // what was to be seen was

// until reads until a run's complete event, or until seq is seen. A connection that
// ends, as that of a client which is slow for too long does, is opened again, as a
// browser does.
func (f *follow) until(ctx context.Context, seq uint64) error {
	f.ended = false
	for seq == 0 && !f.ended || f.seen.last < seq {
		err := f.next(ctx)
		if err != nil && f.fault == nil && ctx.Err() == nil && websocket.CloseStatus(err) < 4500 {
			f.resumed++
			err = f.again(ctx)
		}
		if err != nil {
			return fmt.Errorf("after event %d: %w", f.seen.last, err)
		}
	}
	return nil
}

// next reads one message.
func (f *follow) next(ctx context.Context) error {
	if f.pause > 0 {
		time.Sleep(f.pause)
	}
	_, r, err := f.conn.Reader(ctx)
	if err != nil {
		return err
	}
	buf := messages.Get().(*bytes.Buffer)
	defer messages.Put(buf)
	buf.Reset()
	if _, err := buf.ReadFrom(r); err != nil {
		return err
	}
	now := time.Now()
	f.bytes += int64(buf.Len())
	f.fault = f.take(buf.Bytes(), now)
	return f.fault
}

// roomForMessage is more than the daemon sends at once, but for one long line.
const roomForMessage = 80 << 10

// messages are buffers that are used again: to read into fresh ones that grow took
// the clients more time than the daemon needs to send.
var messages = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, roomForMessage)) }}

// take checks a message.
func (f *follow) take(msg []byte, now time.Time) error {
	for line := range bytes.Lines(msg) {
		seq, ok := seqOf(line)
		if !ok {
			f.frame(line)
			continue
		}
		if f.seen.last == 0 {
			f.seen.last = seq - 1 // the last page of a chat that has older events begins anywhere
		}
		typ := typeOf(line)
		if typ == wire.TypeEpoch {
			f.newEpoch(line)
		}
		if err := f.seen.line(seq); err != nil {
			return err
		}
		if f.sum != nil && seq > 1 && (f.sumTo == 0 || seq <= f.sumTo) {
			_, _ = f.sum.Write(bytes.TrimSuffix(line, []byte("\n"))) // a hash does not fail
		}
		if f.each != nil {
			f.each(seq, line)
		}
		f.ended = f.ended || typ == wire.TypeComplete
		if typ == wire.TypeAssistantText || typ == wire.TypeToolUseStart {
			f.measure(line, now)
		}
	}
	return nil
}

// frame takes what says where the client is.
func (f *follow) frame(line []byte) {
	reset := bytes.Contains(line, []byte(`"type":"reset"`))
	if !reset && !bytes.Contains(line, []byte(`"type":"connected"`)) {
		return
	}
	var frame struct{ Epoch uint64 }
	if json.Unmarshal(line, &frame) == nil {
		f.epoch = frame.Epoch
	}
	if reset {
		f.resets++
		f.seen.last = 0
	}
}

// newEpoch takes an epoch event, which may follow any event that it keeps.
func (f *follow) newEpoch(line []byte) {
	var ev struct{ Seq, Epoch, Keep uint64 }
	if json.Unmarshal(line, &ev) == nil && ev.Keep <= f.seen.last {
		f.epoch, f.seen.last = ev.Epoch, ev.Seq-1
	}
}

// measure counts the pieces of text in a line, and notes how late it is where it
// may not wait for more of its kind: the first piece of a message, a command.
func (f *follow) measure(line []byte, now time.Time) {
	f.pieces += bytes.Count(line, []byte("piece "))
	_, rest, ok := bytes.Cut(line, []byte(`"@`))
	if !ok {
		return
	}
	stamp, rest, ok := bytes.Cut(rest, []byte(" "))
	at, err := strconv.ParseInt(string(stamp), 10, 64)
	if ok && err == nil && (bytes.HasPrefix(rest, []byte("piece 0 ")) || bytes.HasPrefix(rest, []byte("make test"))) {
		f.lags = append(f.lags, now.Sub(time.Unix(0, at)))
	}
}

// quantile returns the q-th part of the sorted lags, in milliseconds.
func quantile(lags []time.Duration, q float64) float64 {
	if len(lags) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(lags))
	return ms(sorted[min(len(sorted)-1, int(q*float64(len(sorted))))])
}
