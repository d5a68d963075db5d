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
	"runtime/pprof"
	"slices"
	"sync"
	"syscall"
	"time"

	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// bench is what the cases share. A case of the product begins with fresh.
type bench struct {
	dir  string
	opts options
	rep  *report

	bin    binaries
	data   string
	script string // the file that tells the stand-in what to do
	d      *daemon
}

// product is one case of the product: body gets a daemon of its own, on an empty
// folder below dir, with nothing in its memory of a sign-in.
func (b *bench) product(ctx context.Context, dir, name string, body func() error) (err error) {
	if err := b.build(ctx); err != nil {
		return err
	}
	b.data, b.script = filepath.Join(dir, name), filepath.Join(b.dir, "script.json")
	if b.d, err = b.start(ctx, ""); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.d.stop(), os.RemoveAll(b.data)) }()
	if err := b.restart(ctx, nil); err != nil {
		return err
	}
	return body()
}

// build builds the programs, once.
func (b *bench) build(ctx context.Context) (err error) {
	if b.bin.signalbox == "" {
		b.bin, err = build(ctx, b.dir, b.opts.profile != "")
	}
	return err
}

func (b *bench) start(ctx context.Context, cookie string) (*daemon, error) {
	return start(ctx, launch{
		bin: b.bin, data: b.data, cookie: cookie, profile: b.opts.profile,
		agentEnv: map[string]string{fake.FileVariable: b.script},
	})
}

// restart starts the daemon anew, with nothing in its memory of what was.
// Meanwhile, if not nil, runs while it is away.
func (b *bench) restart(ctx context.Context, meanwhile func() error) error {
	if err := b.d.stop(); err != nil {
		return err
	}
	if meanwhile != nil {
		if err := meanwhile(); err != nil {
			return err
		}
	}
	d, err := b.start(ctx, b.d.user.cookie)
	if err == nil {
		b.d = d
	}
	return err
}

// atRest returns the daemon's memory in MB once its start is over.
func (b *bench) atRest() (float64, error) {
	time.Sleep(time.Second)
	return residentMB(b.pid())
}

func (b *bench) pid() int { return b.d.cmd.Process.Pid }

// profiled runs body between two signals to a daemon that is profiled, and takes a
// profile of this program beside it: what looks slow may be the client.
func (b *bench) profiled(body func() error) error {
	if b.opts.profile == "" {
		return body()
	}
	done := func() ([]string, error) { return filepath.Glob(filepath.Join(b.opts.profile, "*done")) }
	before, err := done()
	if err != nil {
		return err
	}
	if err := b.d.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		return err
	}
	own, err := os.Create(filepath.Join(b.opts.profile, fmt.Sprintf("%d-%d-client.pprof", b.pid(), len(before)+1)))
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(own); err != nil {
		return errors.Join(err, own.Close())
	}
	err = body()
	pprof.StopCPUProfile()
	err = errors.Join(err, own.Close(), b.d.cmd.Process.Signal(syscall.SIGUSR1))
	for after := before; err == nil && len(after) == len(before); {
		time.Sleep(10 * time.Millisecond)
		after, err = done()
	}
	return err
}

// cpu returns the processor time in microseconds that the daemon takes for body.
func (b *bench) cpu(body func() error) (float64, error) {
	before, err := cpuTime(b.pid())
	if err != nil {
		return 0, err
	}
	if err := b.profiled(body); err != nil {
		return 0, err
	}
	after, err := cpuTime(b.pid())
	return float64(after-before) / float64(time.Microsecond), err
}

// chat makes a chat.
func (b *bench) chat(ctx context.Context) (wire.ChatID, error) {
	var c wire.ChatSummary
	err := b.d.user.call(ctx, http.MethodPost, "/api/chats", struct{}{}, &c)
	return c.ID, err
}

// play tells the stand-in what to do from its next start on.
func (b *bench) play(s fake.Script) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(b.script, data, 0o600)
}

// prompt starts a run.
func (b *bench) prompt(ctx context.Context, chat wire.ChatID) error {
	return b.d.user.call(ctx, http.MethodPost, "/api/chats/"+string(chat)+"/messages",
		map[string]string{"text": "go", "agent": "claude", "mode": "code"}, nil)
}

// watchAll opens n sockets on a chat. The caller closes them.
func (b *bench) watchAll(ctx context.Context, chat wire.ChatID, n int) (follows, error) {
	fs := make(follows, 0, n)
	for range n {
		f, err := b.d.user.watch(ctx, chat, "")
		if err != nil {
			fs.close()
			return nil, err
		}
		fs = append(fs, f)
	}
	return fs, nil
}

// watchRun plays s in front of n clients and returns when each has seen the end.
func (b *bench) watchRun(ctx context.Context, s fake.Script, n int) (_ follows, took time.Duration, err error) {
	chat, err := b.chat(ctx)
	if err != nil {
		return nil, 0, err
	}
	fs, err := b.watchAll(ctx, chat, n)
	if err != nil {
		return nil, 0, err
	}
	defer fs.close()
	took, err = b.runBefore(ctx, chat, s, fs)
	return fs, took, err
}

// runBefore plays s in a chat that fs follow.
func (b *bench) runBefore(ctx context.Context, chat wire.ChatID, s fake.Script, fs follows) (time.Duration, error) {
	if err := b.play(s); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := b.prompt(ctx, chat); err != nil {
		return 0, err
	}
	err := fs.each(func(f *follow) error { return f.until(ctx, 0) })
	took := time.Since(began)
	for _, f := range fs {
		if want := pieces(s.Lines); err == nil && f.pieces != want {
			err = fmt.Errorf("a client got %d pieces of text of %d", f.pieces, want)
		}
	}
	return took, err
}

// pieces is how many pieces of text the stand-in puts into n lines: a message
// has 18 lines, of which the third to the fifteenth are pieces.
func pieces(n int) int {
	const lines, first, each = 18, 2, 13
	return n/lines*each + min(max(n%lines-first, 0), each)
}

// follows are the clients of one chat.
type follows []*follow

func (fs follows) close() {
	for _, f := range fs {
		f.close()
	}
}

func (fs follows) each(do func(*follow) error) error {
	errs := make([]error, len(fs))
	var wg sync.WaitGroup
	for i, f := range fs {
		wg.Go(func() { errs[i] = do(f) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// lags are those of all.
func (fs follows) lags() []time.Duration {
	var all []time.Duration
	for _, f := range fs {
		all = append(all, f.lags...)
	}
	return all
}

// longChat makes a chat with a long history: its log is written while the
// daemon is away.
func (b *bench) longChat(ctx context.Context, events int) (wire.ChatID, error) {
	chat, err := b.chat(ctx)
	if err != nil {
		return "", err
	}
	return chat, b.restart(ctx, func() error { return fill(ctx, b.data, chat, events) })
}

// fill appends a history to a chat's log.
func fill(ctx context.Context, data string, chat wire.ChatID, events int) error {
	return withStore(ctx, data, true, func(store *eventlog.Store) error {
		log, err := store.Log(chat)
		if err != nil {
			return err
		}
		const atOnce = 100_000 // of what is encoded in memory
		for from := 0; from < events; from += atOnce {
			drafts, err := history(from, min(atOnce, events-from))
			if err != nil {
				return err
			}
			for some := range slices.Chunk(drafts, runEvents) {
				if _, err := log.Append(some...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
