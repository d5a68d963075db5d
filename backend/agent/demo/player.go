package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"signalbox/backend/wire"
)

// player plays one prompt: one goroutine, which alone writes to out.
type player struct {
	out    io.Writer
	orders <-chan order
	folder *folder
	pace   pacer
	usage  counted
	prompt int // its number in the session, from 1
	serial int // of items, tools and asks
}

func newPlayer(out io.Writer, orders <-chan order, cwd string, pace time.Duration) (*player, error) {
	f, err := openFolder(cwd)
	if err != nil {
		return nil, err
	}
	return &player{out: out, orders: orders, folder: f, pace: newPacer(pace)}, nil
}

func (p *player) close() error {
	p.pace.stop()
	return p.folder.close()
}

// failure is an error that is part of the play.
type failure wire.Error

func (f failure) Error() string { return f.Message }

// run plays the prompt to its end. It returns an error only if the daemon could
// not be told.
func (p *player) run(ctx context.Context, start order) error {
	p.usage.Input += characters(start.Text)
	err := p.play(ctx, start)
	if f, ok := errors.AsType[failure](err); ok {
		tell := p.report(report{Type: reportError, Code: f.Code, Message: f.Message, Hint: f.Hint, Retryable: f.Retryable})
		if tell != nil {
			return tell
		}
	} else if err != nil && ctx.Err() == nil {
		return err
	}
	return p.report(report{Type: reportEnd, Status: status(ctx, err), Usage: &p.usage})
}

func (p *player) play(ctx context.Context, start order) error {
	s, err := nextSession(start.Session)
	if err != nil {
		return failure{
			Code:    "session_unknown",
			Message: "This is not a session of the demo agent.",
			Hint:    "Start a new chat.",
		}
	}
	p.prompt = s.prompts
	err = p.report(report{Type: reportSession, Session: s.String(), Resumed: start.Session != ""})
	if err != nil {
		return err
	}
	for _, play := range program(start.Text, s) {
		if err := play(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// report tells the daemon.
func (p *player) report(r report) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("encode a report: %w", err)
	}
	if _, err := p.out.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("tell the daemon: %w", err)
	}
	return nil
}

func (p *player) id(kind string) string {
	p.serial++
	return kind + "-" + strconv.Itoa(p.serial)
}

// say streams text as words come from a keyboard.
func (p *player) say(ctx context.Context, text string) error {
	return p.stream(ctx, reportText, words(text), 1)
}

// think streams reasoning.
func (p *player) think(ctx context.Context, text string) error {
	return p.stream(ctx, reportThinking, words(text), 1)
}

// stream writes pieces of one item, with so many beats after each.
func (p *player) stream(ctx context.Context, kind string, pieces []string, beats int) error {
	item := p.id(kind)
	for _, piece := range pieces {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p.usage.Output += characters(piece)
		if err := p.report(report{Type: kind, Item: item, Delta: piece}); err != nil {
			return err
		}
		if err := p.pace.wait(ctx, beats); err != nil {
			return err
		}
	}
	return nil
}

// ask asks leave and waits for the answer.
func (p *player) ask(ctx context.Context, r report) (order, error) {
	r.Type, r.ID, r.Cwd = reportAsk, p.id("ask"), p.folder.path
	if err := p.report(r); err != nil {
		return order{}, err
	}
	for {
		select {
		case o := <-p.orders:
			if o.Type == orderAnswer && o.ID == r.ID {
				p.usage.Input += characters(o.Reason)
				return o, nil
			}
		case <-ctx.Done():
			return order{}, context.Cause(ctx)
		}
	}
}

// words cuts text after each space.
func words(text string) []string { return cutAfter(text, " ") }

// cutAfter cuts text after each sep into pieces that join to it, none empty.
func cutAfter(text, sep string) []string {
	pieces := strings.SplitAfter(text, sep)
	if last := len(pieces) - 1; pieces[last] == "" {
		return pieces[:last]
	}
	return pieces
}

func characters(s string) int64 { return int64(utf8.RuneCountInString(s)) }

// pacer spaces out what is shown, as a model would.
type pacer struct{ ticker *time.Ticker } // nil: no time passes

func newPacer(d time.Duration) pacer {
	if d <= 0 {
		return pacer{}
	}
	return pacer{ticker: time.NewTicker(d)}
}

func (p pacer) stop() {
	if p.ticker != nil {
		p.ticker.Stop()
	}
}

// wait waits for so many beats, or until ctx ends.
func (p pacer) wait(ctx context.Context, beats int) error {
	for range beats {
		if p.ticker != nil {
			select {
			case <-p.ticker.C:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}
