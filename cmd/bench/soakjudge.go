//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// verdict is what came of a soak.
type verdict struct {
	events, seen         int
	runs                 map[wire.RunID]bool // forks have those of their chats
	statuses             map[wire.Status]int
	lost, twice, unended int
	refused              int // events that a full disk kept out, as the log says itself
	left                 []process
	wrong                []string
}

// judge starts the daemon once more, as the next morning does, looks at all that
// was told against all that is there, and prints the report.
func (w *world) judge(ctx context.Context, out io.Writer, took time.Duration) error {
	d, err := start(ctx, w.launch())
	if err != nil {
		return fmt.Errorf("the last start: %w", err)
	}
	last, err := residentMB(d.cmd.Process.Pid)
	if err := errors.Join(err, d.stop()); err != nil {
		return fmt.Errorf("the last start: %w", err)
	}
	v := verdict{runs: map[wire.RunID]bool{}, statuses: map[wire.Status]int{}, left: w.leftAfter(20 * time.Second)}
	v.wrong = append(v.wrong, w.ledger.errors...)
	err = withStore(ctx, w.data, false, func(store *eventlog.Store) error {
		ids, err := store.Chats()
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := w.judgeChat(store, id, &v); err != nil {
				return fmt.Errorf("chat %s: %w", id, err)
			}
		}
		w.missingChats(ids, &v)
		return nil
	})
	if err != nil {
		return err
	}
	w.report(out, &v, took, last)
	if v.lost+v.twice+v.unended+len(v.left)+len(v.wrong) > 0 {
		return errors.New("the soak found faults")
	}
	return nil
}

// leftAfter waits for the last processes to go and returns those that do not.
func (w *world) leftAfter(limit time.Duration) (left []process) {
	for deadline := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		if left = w.processes(); len(left) == 0 || time.Now().After(deadline) {
			return left
		}
	}
}

// missingChats finds chats that were made and are not there.
func (w *world) missingChats(ids []wire.ChatID, v *verdict) {
	for id, c := range w.ledger.chats {
		if !c.deleted && !slices.Contains(ids, id) {
			v.lost++
			v.wrong = append(v.wrong, fmt.Sprintf("chat %s is gone", id))
		}
	}
}

// cuts are the epoch events of a log. Each took out what followed the event that it
// keeps.
type cuts []wire.Epoch

// excuse tells whether an event that was seen may be gone, and whether another may
// have its seq: that is so where power or a damaged file took it.
func (c cuts) excuse(at wire.Position) (gone, other bool) {
	for _, ep := range c {
		if ep.Epoch > at.Epoch && ep.Keep < at.Seq {
			gone, other = true, other || ep.Cause == wire.CauseRepair
		}
	}
	return gone, other
}

func (w *world) judgeChat(store *eventlog.Store, id wire.ChatID, v *verdict) error {
	told, known := w.ledger.chats[id]
	if !known {
		told = &page{} // a fork, or made by an answer that was lost
	}
	log, err := store.Log(id)
	if fault.CodeOf(err) == fault.NotFound && (!known || told.deleted) {
		// Its making was cut off, and nobody was told of it; or it was deleted, and
		// forks work on in its folder.
		return nil
	}
	if err != nil {
		return err
	}
	sums := map[uint64]uint64{}
	prompts, ends := map[string]int{}, map[wire.RunID]int{}
	var cuts cuts
	seen := continuity{}
	for line, err := range log.Events(0) {
		if err != nil {
			return err
		}
		env, ev, err := wire.Decode(line)
		if err != nil {
			return err
		}
		v.events++
		sums[env.Seq] = maphash.Bytes(w.ledger.seed, line)
		if ep, ok := ev.(wire.Epoch); ok {
			cuts = append(cuts, ep)
			seen.last = env.Seq - 1
		}
		if err := seen.line(env.Seq); err != nil {
			v.lost++
			v.wrong = append(v.wrong, fmt.Sprintf("chat %s: %v", id, err))
			seen.last = env.Seq
		}
		switch ev := ev.(type) {
		case wire.User:
			prompts[ev.ClientID]++
			ends[env.Run] += 0
		case wire.Complete:
			ends[env.Run]++
			if !v.runs[env.Run] {
				v.runs[env.Run] = true
				v.statuses[ev.Status]++
			}
		case wire.System:
			if ev.Code == "events_lost" {
				v.refused++
			}
		}
	}
	for run, n := range ends {
		if n != 1 {
			v.unended++
			v.wrong = append(v.wrong, fmt.Sprintf("chat %s: run %s has %d ends", id, run, n))
		}
	}
	for prompt, n := range prompts {
		if n > 1 {
			v.twice++
			v.wrong = append(v.wrong, fmt.Sprintf("chat %s: prompt %s was sent %d times", id, prompt, n))
		}
	}
	if told.deleted {
		return nil
	}
	for prompt, kept := range told.prompts {
		if kept && prompts[prompt] == 0 && !told.rewound && !w.waits(store.Dir(id), prompt) {
			v.lost++
			v.wrong = append(v.wrong, fmt.Sprintf("chat %s: prompt %s is lost", id, prompt))
		}
	}
	v.seen += len(told.seen)
	for at, sum := range told.seen {
		has, there := sums[at.Seq]
		gone, other := cuts.excuse(at)
		switch {
		case there && has != sum && !other:
			v.lost++
			v.wrong = append(v.wrong, fmt.Sprintf("chat %s: event %s is not the one that was seen", id, at))
		case !there && !gone:
			v.lost++
			v.wrong = append(v.wrong, fmt.Sprintf("chat %s: event %s was seen and is lost", id, at))
		}
	}
	return nil
}

// waits reports whether a prompt is still in a chat's queue.
func (w *world) waits(dir, prompt string) bool {
	b, err := os.ReadFile(filepath.Join(dir, "queue.json"))
	return err == nil && bytes.Contains(b, []byte(`"`+prompt+`"`))
}

func (w *world) report(out io.Writer, v *verdict, took time.Duration, last float64) {
	fmt.Fprintf(out, "soak of %v, data on %s\n", took.Round(time.Second), w.disk.kind)
	fmt.Fprintf(out, "starts of the daemon        %d\n", w.starts+1)
	fmt.Fprintf(out, "runs                        %d", len(v.runs))
	for _, s := range slices.Sorted(maps.Keys(v.statuses)) {
		fmt.Fprintf(out, ", %s %d", s, v.statuses[s])
	}
	fmt.Fprintln(out)
	for _, of := range []struct {
		name  string
		kinds map[string]int
	}{{"fault", w.ledger.faults}, {"people", w.ledger.deeds}} {
		for _, kind := range slices.Sorted(maps.Keys(of.kinds)) {
			fmt.Fprintf(out, "%-6s  %-44s %d\n", of.name, kind, of.kinds[kind])
		}
	}
	fmt.Fprintf(out, "events written              %d\n", v.events)
	fmt.Fprintf(out, "events that clients had     %d\n", v.seen)
	fmt.Fprintf(out, "events, prompts lost        %d\n", v.lost)
	fmt.Fprintf(out, "duplicates                  %d\n", v.twice)
	fmt.Fprintf(out, "runs without exactly one end %d\n", v.unended)
	fmt.Fprintf(out, "notices of events that a full disk refused %d\n", v.refused)
	fmt.Fprintf(out, "processes left              %d\n", len(v.left))
	fmt.Fprintf(out, "memory at the first start, most, at the end, at the last start  %.1f, %.1f, %.1f, %.1f MB\n", w.first, w.peak, w.last, last)
	for _, p := range v.left {
		fmt.Fprintf(out, "left: process %d, %s\n", p.pid, p.role)
	}
	const most = 20
	for _, s := range v.wrong[:min(most, len(v.wrong))] {
		fmt.Fprintln(out, "wrong:", s)
	}
}
