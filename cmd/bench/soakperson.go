//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"signalbox/backend/wire"
)

// person works in one chat after the other: sends prompts, several at once,
// changes and removes what waits, stops runs, goes back, makes forks.
type person struct {
	w    *world
	name string
	rnd  *rand.Rand
	sent int
}

// patience is how long something may take that a fault holds up. Whatever takes
// longer counts as lost.
const patience = 3 * time.Minute

// work goes on until working ends; what was begun is finished.
func (p *person) work(working, ctx context.Context) error {
	for working.Err() == nil {
		var c wire.ChatSummary
		if err := p.insist(ctx, http.MethodPost, "/api/chats", struct{}{}, &c); err != nil {
			return fmt.Errorf("make a chat: %w", err)
		}
		if err := p.use(ctx, c.ID); err != nil {
			return fmt.Errorf("%s in chat %s: %w", p.name, c.ID, err)
		}
	}
	return nil
}

// use does what people do in a chat.
func (p *person) use(ctx context.Context, chat wire.ChatID) error {
	const watchers = 2
	watching, leave := context.WithCancel(ctx)
	var gone sync.WaitGroup
	defer gone.Wait()
	defer leave()
	for range watchers {
		gone.Go(func() { p.w.watch(watching, chat) })
	}
	path := "/api/chats/" + string(chat)
	for range 2 + p.rnd.IntN(4) {
		if err := p.turn(ctx, chat, path); err != nil {
			return err
		}
	}
	if p.rnd.IntN(4) == 0 {
		p.w.ledger.deleted(chat)
		if p.insist(ctx, http.MethodDelete, path, struct{}{}, nil) == nil {
			p.w.ledger.did("chat deleted")
			_ = p.try(ctx, http.MethodDelete, "/api/trash/"+string(chat), struct{}{}, nil) // it may stay there
		}
	}
	return nil
}

// turn is some prompts, and what is done about them and after them.
func (p *person) turn(ctx context.Context, chat wire.ChatID, path string) error {
	for range 1 + p.rnd.IntN(3) {
		p.sent++
		id := fmt.Sprintf("%s-%d", p.name, p.sent)
		body := map[string]string{"clientId": id, "text": "go " + id, "agent": "claude", "mode": "code"}
		var res wire.PromptResult
		if err := p.insist(ctx, http.MethodPost, path+"/messages", body, &res); err != nil {
			return fmt.Errorf("send %s: %w", id, err)
		}
		p.w.ledger.sent(chat, id)
	}
	if p.rnd.IntN(3) == 0 {
		p.changeQueue(ctx, chat, path)
	}
	if p.rnd.IntN(4) == 0 {
		p.sleep(ctx, 700)
		_ = p.try(ctx, http.MethodPost, path+"/cancel", struct{}{}, nil) // there may be nothing to stop
	}
	if err := p.settle(ctx, path); err != nil {
		return err
	}
	if p.rnd.IntN(4) == 0 {
		return p.goBack(ctx, chat, path)
	}
	return nil
}

// changeQueue edits, moves or removes one of what waits.
func (p *person) changeQueue(ctx context.Context, chat wire.ChatID, path string) {
	var q wire.Queue
	if p.try(ctx, http.MethodGet, path+"/queue", struct{}{}, &q) != nil || len(q.Items) == 0 {
		return
	}
	item := q.Items[p.rnd.IntN(len(q.Items))]
	at := path + "/queue/" + item.ClientID
	var err error
	switch p.rnd.IntN(3) {
	case 0:
		err = p.try(ctx, http.MethodPatch, at, map[string]any{"text": item.Text + " (edited)", "rev": item.Rev}, nil)
	case 1:
		err = p.try(ctx, http.MethodPatch, at, map[string]any{"to": 1, "rev": q.Rev}, nil)
	default:
		// It counts as gone from here on: whether an answer that is lost was a
		// yes, nobody knows.
		p.w.ledger.removed(chat, item.ClientID)
		err = p.try(ctx, http.MethodDelete, fmt.Sprintf("%s?rev=%d", at, item.Rev), struct{}{}, nil)
	}
	if err == nil {
		p.w.ledger.did("queue changed")
	}
}

// settle waits until nothing runs and nothing waits. A run that takes long is
// stopped, a queue that pauses is told to go on.
func (p *person) settle(ctx context.Context, path string) error {
	began := time.Now()
	stopped := time.Now()
	for {
		var c wire.ChatSummary
		var q wire.Queue
		err := errors.Join(p.try(ctx, http.MethodGet, path, struct{}{}, &c), p.try(ctx, http.MethodGet, path+"/queue", struct{}{}, &q))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && !c.Running && len(q.Items) == 0:
			return nil
		case time.Since(began) > patience:
			return fmt.Errorf("it does not settle: phase %s, %d wait, %v", c.Phase, len(q.Items), err)
		case err == nil && q.Paused != nil && !c.Running:
			_ = p.try(ctx, http.MethodPost, path+"/queue/resume", struct{}{}, nil) // the next look tells
		case err == nil && c.Running && time.Since(stopped) > 20*time.Second:
			stopped = time.Now()
			_ = p.try(ctx, http.MethodPost, path+"/cancel", struct{}{}, nil) // so does it
		}
		p.sleep(ctx, 150)
	}
}

// goBack rewinds, and restores or not; or forks.
func (p *person) goBack(ctx context.Context, chat wire.ChatID, path string) error {
	var o wire.Outline
	if err := p.insist(ctx, http.MethodGet, path+"/prompts", struct{}{}, &o); err != nil {
		return err
	}
	if len(o.Prompts) == 0 {
		return nil
	}
	if p.rnd.IntN(2) == 0 {
		if p.try(ctx, http.MethodPost, path+"/fork", struct{}{}, nil) == nil {
			p.w.ledger.did("chat forked")
		}
		return nil
	}
	p.w.ledger.rewound(chat)
	at := o.Prompts[p.rnd.IntN(len(o.Prompts))]
	if p.try(ctx, http.MethodPost, path+"/rewind", map[string]any{"seq": at.Seq}, nil) != nil {
		return nil
	}
	p.w.ledger.did("chat rewound")
	if p.rnd.IntN(2) == 0 && p.try(ctx, http.MethodPost, path+"/restore", struct{}{}, nil) == nil {
		p.w.ledger.did("rewind restored")
	}
	return nil
}

// insist asks until it is answered yes or a no that stays.
func (p *person) insist(ctx context.Context, method, path string, body, out any) error {
	began := time.Now()
	for {
		err := p.try(ctx, method, path, body, out)
		no, refused := errors.AsType[*refusal](err)
		passing := refused && (no.status >= 500 || no.status == http.StatusTooManyRequests)
		switch {
		case err == nil || ctx.Err() != nil || refused && !passing:
			return err
		case time.Since(began) > patience:
			return fmt.Errorf("no answer that helps: %w", err)
		}
		p.sleep(ctx, 200)
	}
}

// try asks once.
func (p *person) try(ctx context.Context, method, path string, body, out any) error {
	d := p.w.daemon()
	if d == nil {
		return errors.New("there is no daemon")
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	user := d.user // a copy: an answer may set its cookie
	return user.call(ctx, method, path, body, out)
}

func (p *person) sleep(ctx context.Context, most int) {
	select {
	case <-time.After(time.Duration(1+p.rnd.IntN(most)) * time.Millisecond):
	case <-ctx.Done():
	}
}
