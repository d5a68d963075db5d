package runhub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"signalbox/backend/catalog"
	"signalbox/backend/chat"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Recover puts right what an earlier daemon left: its processes are ended, and
// every run that has a prompt in the log and no complete gets one. It is called
// before [Hub.Run], while nobody else uses the hub. A chat that cannot be put
// right is reported to the log and does not keep the others from it.
func (h *Hub) Recover(ctx context.Context) error {
	found, err := h.launcher.Sweep(ctx)
	if err != nil {
		h.log.Error("leftover processes not ended", "err", err)
	}
	for _, p := range found {
		h.log.Warn("process of an earlier daemon ended", "proc", p)
	}
	chats, err := h.logs.Chats()
	if err != nil {
		return fmt.Errorf("recover chats: %w", err)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(2 * runtime.GOMAXPROCS(0)) // opening logs waits for the disk as much as it computes
	for _, id := range chats {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := h.recoverChat(ctx, id); err != nil {
				h.log.Error("chat not recovered", "chat", id, "err", err)
			}
			return nil
		})
	}
	return g.Wait()
}

func (h *Hub) recoverChat(ctx context.Context, id wire.ChatID) error {
	l, err := h.logs.Log(id)
	if fault.CodeOf(err) == fault.NotFound {
		return nil // no chat: forks of a deleted one work in its folder, or its making was cut off
	}
	if err != nil {
		return err
	}
	last, err := lastRun(l)
	if err != nil {
		return err
	}
	if last.open != "" {
		end := interrupted()
		end.MS = max(0, last.until.Sub(last.began.Time).Milliseconds())
		d, err := wire.NewDraft(last.open, end)
		if err != nil {
			return err
		}
		if _, err := l.Append(d); err != nil {
			return err
		}
		if err := l.Sync(ctx); err != nil {
			return err
		}
		last.ended, last.seq = end, l.End().Seq // its time is known, as far as it goes
		h.log.Info("run of an earlier daemon interrupted", "chat", id, "run", last.open)
	}
	return errors.Join(h.count(id, last), h.correct(id, last.open != "", last.ended.Status), h.removeStale(id), h.recoverQueue(id))
}

// lastEnd is how the last run of a log ended, if there was any.
type lastEnd struct {
	ended wire.Complete
	run   wire.RunID
	seq   uint64    // of the complete
	began wire.Time // as the complete tells, or the prompt
	// Of a run that has a prompt and no complete, which is one of this chat:
	open  wire.RunID
	until wire.Time // of the last event
}

func lastRun(l *eventlog.Log) (lastEnd, error) {
	var until wire.Time
	for line, err := range l.Backward() {
		if err != nil {
			return lastEnd{}, err
		}
		if until.IsZero() {
			if env, _, err := wire.Decode(line); err == nil {
				until = env.T
			}
		}
		switch string(chat.TypeOf(line)) {
		case string(wire.TypeUser), string(wire.TypeComplete):
		default:
			continue
		}
		env, ev, err := wire.Decode(line)
		if err != nil {
			continue // damaged: what comes before it decides
		}
		if c, ok := ev.(wire.Complete); ok {
			began := wire.Time{Time: env.T.Add(-time.Duration(max(0, c.MS)) * time.Millisecond)}
			return lastEnd{ended: c, run: env.Run, seq: env.Seq, began: began}, nil
		}
		return lastEnd{run: env.Run, open: env.Run, began: env.T, until: until}, nil
	}
	return lastEnd{}, nil
}

// count adds the last run to what the chat used, if the daemon that wrote its end did
// not come to that.
func (h *Hub) count(id wire.ChatID, last lastEnd) error {
	m, err := h.chats.Get(id)
	if err != nil || last.run == "" || last.open == "" && m.Counted(last.run, last.seq) {
		return nil //nolint:nilerr // a chat that is not listed has no limits
	}
	_, err = h.chats.Update(id, func(m *catalog.Meta) error {
		m.Spend(last.seq, last.began.Time, last.ended)
		return nil
	})
	return err
}

// correct makes the list agree with the log about the chat's last run.
func (h *Hub) correct(id wire.ChatID, now bool, verdict wire.Status) error {
	m, err := h.chats.Get(id)
	if err != nil || m.Verdict == verdict && !now {
		return nil //nolint:nilerr // a chat that is not listed has no entry to correct
	}
	_, err = h.chats.Update(id, func(m *catalog.Meta) error {
		m.Verdict = verdict
		if now {
			m.Happened()
		}
		return nil
	})
	return err
}

// recoverQueue takes over a queue that waits, so that it is listed.
func (h *Hub) recoverQueue(id wire.ChatID) error {
	_, err := os.Lstat(filepath.Join(h.logs.Dir(id), queueName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = h.room(id)
	}
	if fault.CodeOf(err) == fault.NotFound {
		return nil // it lies in the trash, with its queue
	}
	return err
}

// removeStale removes the record of a run that is over.
func (h *Hub) removeStale(id wire.ChatID) error {
	_, err := os.Lstat(h.recordPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	h.clearPrivate(id)
	return errors.Join(err, h.removeRecord(id))
}
