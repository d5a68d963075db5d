//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// reconnect is how long a client that missed much takes to have it all, while
// the run goes on, in turn with a bare server that sends as many bytes.
func (b *bench) reconnect(ctx context.Context) error {
	return b.product(ctx, b.dir, "reconnect", func() error {
		for _, missed := range []uint64{4000, 10_000} {
			var took, bare, size samples
			for range b.opts.rounds {
				d, bytes, err := b.missing(ctx, missed)
				if err != nil {
					return fmt.Errorf("%d missed: %w", missed, err)
				}
				limit := bareServer{mode: bareBatched, clients: 1, events: int(missed), size: int(bytes) / int(missed)}
				sent, err := limit.run(ctx)
				if err != nil {
					return err
				}
				took, bare = append(took, ms(d)), append(bare, 1000*float64(missed)/sent.rate)
				size = append(size, float64(bytes)/(1<<20))
			}
			name := fmt.Sprintf("reconnect with %d missed, in mid-run", missed)
			b.rep.addRatio(name, "ms", took, "bare WebSocket, as many bytes, nothing else going on", bare)
			b.rep.add(name+", on the wire", "MB", size)
		}
		return nil
	})
}

// missing lets a client miss so many events of a run and come back, and returns
// how long it took and how many bytes.
func (b *bench) missing(ctx context.Context, missed uint64) (took time.Duration, bytes int64, err error) {
	chat, err := b.chat(ctx)
	if err != nil {
		return 0, 0, err
	}
	// A message of 18 lines makes four events at this pace: the run has half as
	// many again as are missed.
	if err := b.play(fake.Script{Lines: 7 * int(missed), Rate: 8000}); err != nil {
		return 0, 0, err
	}
	fs, err := b.watchAll(ctx, chat, 2)
	if err != nil {
		return 0, 0, err
	}
	defer fs.close()
	watch, lost := fs[0], fs[1]
	if err := b.prompt(ctx, chat); err != nil {
		return 0, 0, err
	}
	if err := lost.until(ctx, 100); err != nil {
		return 0, 0, err
	}
	lost.close()
	to := lost.seen.last + missed
	if err := watch.until(ctx, to); err != nil {
		return 0, 0, err
	}
	before := lost.bytes
	err = b.profiled(func() error {
		began := time.Now()
		if err := lost.again(ctx); err != nil {
			return err
		}
		err := lost.until(ctx, to)
		took = time.Since(began)
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	if watch.ended {
		return 0, 0, fmt.Errorf("the run ended after %d events, before the client was back", watch.seen.last)
	}
	// Both go on to the end: nothing is missing there either.
	bytes = lost.bytes - before
	return took, bytes, fs.each(func(f *follow) error { return f.until(ctx, 0) })
}

// open is a finished chat of 100,000 events: all of it, and its last page.
func (b *bench) open(ctx context.Context) error {
	const long = 100_000
	return b.product(ctx, b.dir, "open", func() error {
		chat, err := b.longChat(ctx, long)
		if err != nil {
			return err
		}
		if err := b.indexed(ctx); err != nil {
			return err
		}
		if err := b.restart(ctx, nil); err != nil {
			return err
		}
		added, err := b.whatOpeningAdds(ctx, chat, long)
		if err != nil {
			return err
		}
		var open, last samples
		for range b.opts.rounds {
			f, took, err := b.openWhole(ctx, chat, long)
			if err != nil {
				return err
			}
			f.close()
			open = append(open, ms(took))
			d, err := b.lastPage(ctx, chat)
			if err != nil {
				return err
			}
			last = append(last, ms(d))
		}
		b.rep.add("open 100,000 events, all of them", "ms", open)
		b.rep.add("last page of 100,000 events over HTTP", "ms", last)
		b.rep.add("memory that a chat of 100,000 events adds, opened whole", "MB", samples{added})
		return nil
	})
}

// openWhole watches a chat from its first event on and returns when its client
// has all that it has, and how long that took.
func (b *bench) openWhole(ctx context.Context, chat wire.ChatID, events uint64) (*follow, time.Duration, error) {
	began := time.Now()
	f, err := b.d.user.watch(ctx, chat, wire.Position{Epoch: 1, Seq: 1}.String())
	if err != nil {
		return nil, 0, err
	}
	if err := f.until(ctx, events); err != nil {
		f.close()
		return nil, 0, err
	}
	return f, time.Since(began), nil
}

// whatOpeningAdds is the memory in MB that a daemon at rest takes more once
// somebody opened a chat: all of it is sent, its prompts were asked for, and its
// client stays.
func (b *bench) whatOpeningAdds(ctx context.Context, chat wire.ChatID, events uint64) (float64, error) {
	before, err := b.atRest()
	if err != nil {
		return 0, err
	}
	f, _, err := b.openWhole(ctx, chat, events)
	if err != nil {
		return 0, err
	}
	defer f.close()
	var prompts struct{}
	if err := b.d.user.call(ctx, http.MethodGet, "/api/chats/"+string(chat)+"/prompts", struct{}{}, &prompts); err != nil {
		return 0, err
	}
	after, err := b.atRest()
	return after - before, err
}

// lastPage is how long the last page of a chat takes over HTTP.
func (b *bench) lastPage(ctx context.Context, chat wire.ChatID) (time.Duration, error) {
	began := time.Now()
	var page eventlog.Page
	if err := b.d.user.call(ctx, http.MethodGet, "/api/chats/"+string(chat)+"/events?limit=100", struct{}{}, &page); err != nil {
		return 0, err
	}
	if len(page.Events) == 0 {
		return 0, fmt.Errorf("the last page of %s is empty", chat)
	}
	return time.Since(began), nil
}
