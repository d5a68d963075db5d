//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/catalog"
	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// product measures the real daemon, its clients in this process.
func product(ctx context.Context, dir string, opts options, rep *report) (err error) {
	bin, err := build(ctx, dir)
	if err != nil {
		return err
	}
	if err := coldStart(ctx, dir, bin, opts, rep); err != nil {
		return err
	}
	p := &bench{bin: bin, data: filepath.Join(dir, "product"), script: filepath.Join(dir, "script.json"), rep: rep, rounds: opts.rounds}
	if p.d, err = start(ctx, p.bin, p.data, p.agent(), ""); err != nil {
		return err
	}
	if err := p.restart(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.d.stop()) }()
	for _, c := range []func(context.Context) error{p.idle, p.latency, p.flatOut, p.reconnect, p.longLine, p.dead} {
		if err := c(ctx); err != nil {
			return err
		}
	}
	return nil
}

// bench is the product under measurement.
type bench struct {
	bin    binaries
	data   string
	script string // the file that tells the stand-in what to do
	d      *daemon
	rep    *report
	rounds int
}

func (p *bench) agent() map[string]string {
	return map[string]string{fake.FileVariable: p.script}
}

// restart starts the daemon anew, with nothing in its memory of what was.
func (p *bench) restart(ctx context.Context) error {
	if err := p.d.stop(); err != nil {
		return err
	}
	d, err := start(ctx, p.bin, p.data, p.agent(), p.d.user.cookie)
	if err == nil {
		p.d = d
	}
	return err
}

// chat makes a chat.
func (p *bench) chat(ctx context.Context) (wire.ChatID, error) {
	var c wire.ChatSummary
	err := p.d.user.call(ctx, http.MethodPost, "/api/chats", struct{}{}, &c)
	return c.ID, err
}

// prompt starts a run that plays s.
func (p *bench) prompt(ctx context.Context, chat wire.ChatID, s fake.Script) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.script, b, 0o600); err != nil {
		return err
	}
	return p.d.user.call(ctx, http.MethodPost, "/api/chats/"+string(chat)+"/messages",
		map[string]string{"text": "go", "agent": "claude", "mode": "code"}, nil)
}

// watchRun plays s in front of n clients and returns when each has seen the end.
func (p *bench) watchRun(ctx context.Context, chat wire.ChatID, s fake.Script, n int) (_ []*follow, took time.Duration, err error) {
	follows := make([]*follow, n)
	for i := range follows {
		if follows[i], err = p.d.user.watch(ctx, chat, ""); err != nil {
			return nil, 0, err
		}
		defer follows[i].conn.CloseNow()
	}
	began := time.Now()
	if err := p.prompt(ctx, chat, s); err != nil {
		return nil, 0, err
	}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i, f := range follows {
		wg.Go(func() { errs[i] = f.until(ctx, 0) })
	}
	wg.Wait()
	took = time.Since(began)
	for _, f := range follows {
		if want := pieces(s.Lines); f.pieces != want {
			errs = append(errs, fmt.Errorf("a client got %d pieces of text of %d", f.pieces, want))
		}
	}
	return follows, took, errors.Join(errs...)
}

// pieces is how many pieces of text the stand-in puts into n lines: a message
// has 18 lines, of which the third to the fifteenth are pieces.
func pieces(n int) int {
	const lines, first, each = 18, 2, 13
	return n/lines*each + min(max(n%lines-first, 0), each)
}

// latency is the time from the CLI's write to a client, at a human rate.
func (p *bench) latency(ctx context.Context) error {
	for _, n := range []int{1, 10, 100} {
		var p50, p99 samples
		for range p.rounds {
			chat, err := p.chat(ctx)
			if err != nil {
				return err
			}
			fs, _, err := p.watchRun(ctx, chat, fake.Script{Lines: 1800, Rate: 300, Stamp: true}, n)
			if err != nil {
				return fmt.Errorf("latency with %d clients: %w", n, err)
			}
			var lags []time.Duration
			for _, f := range fs {
				lags = append(lags, f.lags...)
			}
			p50, p99 = append(p50, quantile(lags, 0.5)), append(p99, quantile(lags, 0.99))
		}
		goal50, goal99 := "<= 1 (4)", "<= 5 (4)"
		if n > 1 {
			goal50, goal99 = "<= 4 (5)", "<= 15 (5)"
		}
		p.rep.add(fmt.Sprintf("CLI line to client, %d clients, p50", n), "ms", goal50, p50)
		p.rep.add(fmt.Sprintf("CLI line to client, %d clients, p99", n), "ms", goal99, p99)
	}
	return nil
}

// flatOut is how many CLI lines a second are translated, logged and delivered.
func (p *bench) flatOut(ctx context.Context) error {
	const lines = 36_000
	for _, n := range []int{1, 10, 100} {
		var speed, cpu, deliveries, bare samples
		for range p.rounds {
			const bareEvents = 20_000
			b, err := bareFanout(ctx, n, bareEvents*2/(n+1)+100)
			if err != nil {
				return err
			}
			bare = append(bare, b)
			chat, err := p.chat(ctx)
			if err != nil {
				return err
			}
			before, err := cpuTime(p.d.cmd.Process.Pid)
			if err != nil {
				return err
			}
			fs, took, err := p.watchRun(ctx, chat, fake.Script{Lines: lines}, n)
			if err != nil {
				return fmt.Errorf("flat out to %d clients: %w", n, err)
			}
			after, err := cpuTime(p.d.cmd.Process.Pid)
			if err != nil {
				return err
			}
			speed = append(speed, rate(lines, took))
			cpu = append(cpu, float64(after-before)/float64(time.Microsecond)/lines)
			deliveries = append(deliveries, rate(int(fs[0].seen.last)*n, took))
		}
		p.rep.add(fmt.Sprintf("flat out, %d clients", n), "CLI lines/s", "", speed)
		p.rep.add(fmt.Sprintf("flat out, %d clients, daemon", n), "us CPU/line", map[int]string{1: "<= 25 (1)"}[n], cpu)
		p.rep.addRatio(fmt.Sprintf("flat out, %d clients, events delivered", n), "deliveries/s", "", deliveries, "bare TCP, a write an event", bare)
	}
	return nil
}

// reconnect is how long a client that missed much takes to have it all.
func (p *bench) reconnect(ctx context.Context) error {
	const missed, long = 10_000, 100_000
	chat, err := p.longChat(ctx, long)
	if err != nil {
		return err
	}
	var again, open, last samples
	for range p.rounds {
		for _, c := range []struct {
			since uint64
			into  *samples
		}{{long - missed, &again}, {1, &open}} {
			began := time.Now()
			f, err := p.d.user.watch(ctx, chat, wire.Position{Epoch: 1, Seq: c.since}.String())
			if err != nil {
				return err
			}
			if err := f.until(ctx, long); err != nil {
				return fmt.Errorf("reconnect at %d: %w", c.since, err)
			}
			*c.into = append(*c.into, ms(time.Since(began)))
			if err := f.conn.CloseNow(); err != nil {
				return err
			}
		}
		began := time.Now()
		var page eventlog.Page
		if err := p.d.user.call(ctx, http.MethodGet, "/api/chats/"+string(chat)+"/events?limit=100", struct{}{}, &page); err != nil {
			return err
		}
		last = append(last, ms(time.Since(began)))
	}
	p.rep.add("reconnect with 10,000 missed", "ms", "<= 40 (6)", again)
	p.rep.add("open 100,000 events, all of them", "ms", "<= 250 (7)", open)
	p.rep.add("last page of 100,000 events over HTTP", "ms", "", last)
	return nil
}

// longChat makes a chat with a long history: its log is written while the
// daemon is away.
func (p *bench) longChat(ctx context.Context, events int) (wire.ChatID, error) {
	chat, err := p.chat(ctx)
	if err != nil {
		return "", err
	}
	if err := p.d.stop(); err != nil {
		return "", err
	}
	if err := fill(ctx, p.data, chat, events); err != nil {
		return "", err
	}
	d, err := start(ctx, p.bin, p.data, p.agent(), p.d.user.cookie)
	if err == nil {
		p.d = d
	}
	return chat, err
}

// fill appends a history to a chat's log.
func fill(ctx context.Context, data string, chat wire.ChatID, events int) error {
	return withStore(ctx, data, func(store *eventlog.Store) error {
		log, err := store.Log(chat)
		if err != nil {
			return err
		}
		drafts, err := history(events)
		if err != nil {
			return err
		}
		_, err = log.Append(drafts...)
		return err
	})
}

// longLine plays a line of 32 MB and looks at the memory that it takes.
func (p *bench) longLine(ctx context.Context) error {
	const size = 32 << 20
	// What was measured before it must not count as its peak.
	if err := p.restart(ctx); err != nil {
		return err
	}
	chat, err := p.chat(ctx)
	if err != nil {
		return err
	}
	before, err := residentMB(p.d.cmd.Process.Pid)
	if err != nil {
		return err
	}
	f, err := p.d.user.watch(ctx, chat, "")
	if err != nil {
		return err
	}
	defer f.conn.CloseNow()
	if err := p.prompt(ctx, chat, fake.Script{LineBytes: size}); err != nil {
		return err
	}
	if err := f.until(ctx, 0); err != nil {
		return fmt.Errorf("a line of 32 MiB: %w", err)
	}
	peak, err := peakMB(p.d.cmd.Process.Pid)
	if err != nil {
		return err
	}
	p.rep.add("a line of 32 MiB, peak memory over its size", "times", "<= 4 (13)", samples{(peak - before) / (size >> 20)})
	return nil
}

// idle is the memory of sockets and chats at rest.
func (p *bench) idle(ctx context.Context) error {
	const sockets, chats = 1000, 1000
	chat, err := p.chat(ctx)
	if err != nil {
		return err
	}
	pid := p.d.cmd.Process.Pid
	before, err := residentMB(pid)
	if err != nil {
		return err
	}
	for range sockets {
		f, err := p.d.user.watch(ctx, chat, "")
		if err != nil {
			return err
		}
		defer f.conn.CloseNow()
		if _, _, err := f.conn.Read(ctx); err != nil { // connected
			return err
		}
	}
	after, err := residentMB(pid)
	if err != nil {
		return err
	}
	p.rep.add("memory of an idle socket", "KB", "<= 35 (9)", samples{(after - before) * 1024 / sockets})
	empty := p.d.idle
	for range chats {
		if _, err := p.chat(ctx); err != nil {
			return err
		}
	}
	if err := p.restart(ctx); err != nil {
		return err
	}
	p.rep.add("memory of 1,000 idle chats", "MB", "<= 10 (9)", samples{p.d.idle - empty})
	return nil
}

// dead is what a client that never reads does to the others.
func (p *bench) dead(ctx context.Context) error {
	var without, with samples
	for range p.rounds {
		for _, s := range []*samples{&without, &with} {
			chat, err := p.chat(ctx)
			if err != nil {
				return err
			}
			if s == &with {
				f, err := p.d.user.watch(ctx, chat, "")
				if err != nil {
					return err
				}
				defer f.conn.CloseNow()
			}
			fs, _, err := p.watchRun(ctx, chat, fake.Script{Lines: 3600, Rate: 600, Stamp: true}, 10)
			if err != nil {
				return fmt.Errorf("beside a dead client: %w", err)
			}
			var lags []time.Duration
			for _, f := range fs {
				lags = append(lags, f.lags...)
			}
			*s = append(*s, quantile(lags, 0.99))
		}
	}
	p.rep.addRatio("p99 of 10 clients beside one that never reads", "ms", "<= 1.5 x (12)", with, "without it", without)
	return nil
}

// coldStart is the time to the first answer, with nothing and with much on disk.
func coldStart(ctx context.Context, dir string, bin binaries, opts options, rep *report) error {
	var empty, resident samples
	for i := range opts.rounds {
		d, err := start(ctx, bin, filepath.Join(dir, fmt.Sprintf("cold-%d", i)), nil, "")
		if err != nil {
			return err
		}
		empty, resident = append(empty, ms(d.up)), append(resident, d.idle)
		if err := d.stop(); err != nil {
			return err
		}
	}
	rep.add("start to first answer, empty", "ms", "<= 50 (10)", empty)
	rep.add("memory of an idle daemon", "MB", "<= 25 (9)", resident)

	const chats, each = 1000, 3300 // about 1 MB of log a chat
	data := filepath.Join(dir, "full")
	if err := fillMany(ctx, data, chats, each); err != nil {
		return err
	}
	var full samples
	for range opts.rounds {
		d, err := start(ctx, bin, data, nil, "")
		if err != nil {
			return err
		}
		full = append(full, ms(d.up))
		if err := d.stop(); err != nil {
			return err
		}
	}
	rep.add("start to first answer, 1,000 chats and 1 GB of logs", "ms", "<= 500 (10)", full)
	return os.RemoveAll(data)
}

// fillMany makes chats with a history each.
func fillMany(ctx context.Context, data string, chats, each int) error {
	return withStore(ctx, data, func(store *eventlog.Store) error {
		// A history ends with the end of its last run.
		drafts, err := history(each / runEvents * runEvents)
		if err != nil {
			return err
		}
		list, err := catalog.Open(store, catalog.Options{})
		if err != nil {
			return err
		}
		for range chats {
			m, err := list.Create(wire.Person{ID: "u_bench", Name: account}, catalog.New{})
			if err != nil {
				return err
			}
			log, err := store.Log(m.ID)
			if err != nil {
				return err
			}
			if _, err := log.Append(drafts...); err != nil {
				return err
			}
		}
		return nil
	})
}
