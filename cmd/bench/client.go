//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// continuity checks that events come once each, in order.
type continuity struct{ last uint64 }

// lines takes whole lines; those without a seq are frames and are passed over.
func (c *continuity) lines(b []byte) error {
	for line := range bytes.Lines(b) {
		seq, ok := seqOf(line)
		if !ok {
			continue
		}
		if seq != c.last+1 {
			return fmt.Errorf("event %d follows event %d", seq, c.last)
		}
		c.last = seq
	}
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
		return fmt.Errorf("%s %s: %s: %s", method, path, res.Status, answer)
	}
	for _, ck := range res.Cookies() {
		c.cookie = ck.Name + "=" + ck.Value
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// follow is one socket on a chat, and what it has seen.
type follow struct {
	user  *client
	chat  wire.ChatID
	conn  *websocket.Conn
	seen  continuity
	lags  []time.Duration // CLI line to here, of the stamped lines
	bytes int64
	// pieces counts the pieces of text of the stand-in: those that were joined
	// on their way must still all be there.
	pieces  int
	resumed int // how often the daemon let go of it for being slow
}

// watch opens a socket; since "" asks for the last page.
func (c *client) watch(ctx context.Context, chat wire.ChatID, since string) (*follow, error) {
	f := &follow{user: c, chat: chat}
	if pos, err := wire.ParsePosition(since); err == nil {
		f.seen.last = pos.Seq
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

// until reads until the run's complete event, or until seq is seen.
func (f *follow) until(ctx context.Context, seq uint64) error {
	for seq == 0 || f.seen.last < seq {
		_, msg, err := f.conn.Read(ctx)
		if code := websocket.CloseStatus(err); code >= 4000 && code < 4500 {
			// Too slow for a while: it goes on where it was, as a browser does.
			f.resumed++
			if err := f.dial(ctx, wire.Position{Epoch: 1, Seq: f.seen.last}.String()); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("read socket after event %d: %w", f.seen.last, err)
		}
		now := time.Now()
		f.bytes += int64(len(msg))
		ended, err := f.take(msg, now)
		if err != nil {
			return err
		}
		if ended && seq == 0 {
			return nil
		}
	}
	return nil
}

// take checks a message; ended tells that a run's end was in it.
func (f *follow) take(msg []byte, now time.Time) (ended bool, err error) {
	for line := range bytes.Lines(msg) {
		if f.seen.last == 0 {
			// The last page of a chat that has older events begins anywhere.
			if seq, ok := seqOf(line); ok {
				f.seen.last = seq - 1
			}
		}
		if err := f.seen.lines(line); err != nil {
			return ended, err
		}
		ended = ended || bytes.Contains(line, []byte(`"type":"complete"`))
		f.measure(line, now)
	}
	return ended, nil
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
