//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"signalbox/backend/agent/agenttest/fake"
)

// soakPeople is how many work at the same time, each in chats of their own.
const soakPeople = 6

// world is a daemon that is started again whenever it ends, on a disk of its own,
// with people at work and faults.
type world struct {
	dir    string
	bin    binaries
	data   string
	addr   string
	script string
	disk   disk
	ledger *ledger
	log    io.Writer

	mu     sync.Mutex
	d      *daemon // nil while there is none
	cookie string
	away   bool // the machine is off
	starts int
	first  float64 // the memory of the first daemon, idle, in MB
	peak   float64 // the most that any had
	last   float64 // that of the last one when people had gone
}

// soak runs until the time is over, then looks whether anything was lost. An
// error means that something was.
func soak(ctx context.Context, dir string, opts options) (err error) {
	if opts.seed == 0 {
		opts.seed = uint64(time.Now().UnixNano())
	}
	bin, err := build(ctx, dir, false)
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(dir, "soak.log"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	w := &world{dir: dir, bin: bin, script: filepath.Join(dir, "script.json"), ledger: newLedger(), log: log}
	if w.addr, err = freeAddr(); err != nil {
		return err
	}
	mount := filepath.Join(dir, "disk")
	if w.disk, err = newDisk(ctx, mount, filepath.Join(dir, "disk.img")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.disk.remove()) }()
	w.data = filepath.Join(mount, "data")
	if err := w.newBoot(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "soak: %v, seed %d, data on %s, errors in %s\n", opts.soak, opts.seed, w.disk.kind, log.Name())

	began := time.Now()
	if err := w.run(ctx, opts.soak, rand.New(rand.NewPCG(opts.seed, 0))); err != nil {
		return fmt.Errorf("soak with seed %d: %w", opts.seed, err)
	}
	return w.judge(ctx, os.Stdout, time.Since(began))
}

// run lets people work under faults for d, then without until they are done.
func (w *world) run(ctx context.Context, d time.Duration, rnd *rand.Rand) error {
	if err := w.playNormal(); err != nil {
		return err
	}
	keeping, stopKeeping := context.WithCancel(ctx)
	kept := make(chan error, 1) // one value: why the daemon is kept no more
	go func() { kept <- w.keep(keeping) }()
	defer stopKeeping()
	if err := w.up(ctx, kept); err != nil {
		return err
	}

	working, enough := context.WithTimeout(ctx, d)
	defer enough()
	var people sync.WaitGroup
	errs := make([]error, soakPeople)
	for i := range soakPeople {
		p := &person{w: w, name: fmt.Sprintf("p%d", i), rnd: rand.New(rand.NewPCG(rnd.Uint64(), 0))}
		people.Go(func() { errs[i] = p.work(working, ctx) })
	}
	w.faults(working, rnd)
	if err := w.playNormal(); err != nil {
		return err
	}
	people.Wait()
	w.last = w.noteMemory()
	stopKeeping()
	return errors.Join(append(errs, <-kept)...)
}

// keep starts the daemon and starts it again whenever it ends.
func (w *world) keep(ctx context.Context) error {
	for failures := 0; ; {
		w.waitForPower(ctx)
		d, err := start(ctx, w.launch())
		if ctx.Err() != nil {
			if err == nil {
				<-d.gone // its context ended it
			}
			return nil
		}
		if err != nil {
			// A full disk, a kill while it starts: as a person does, again.
			fmt.Fprintln(w.log, "start:", err)
			const patience = 100
			if failures++; failures == patience {
				return fmt.Errorf("the daemon does not start: %w", err)
			}
			time.Sleep(300 * time.Millisecond)
			continue
		}
		failures = 0
		w.mu.Lock()
		w.d, w.cookie = d, d.user.cookie
		if w.starts++; w.starts == 1 {
			w.first = d.idle
		}
		w.mu.Unlock()
		<-d.gone
		w.mu.Lock()
		w.d = nil
		w.mu.Unlock()
		if ctx.Err() != nil {
			return nil
		}
		fmt.Fprintln(w.log, "daemon ended:", d.exit)
	}
}

// launch is how the daemon is started.
func (w *world) launch() launch {
	l := launch{
		bin: w.bin, data: w.data, addr: w.addr, cookie: w.cookie, errput: w.log,
		agentEnv: map[string]string{fake.FileVariable: w.script},
	}
	if w.disk.image != "" {
		l.boot = w.bootFile()
	}
	return l
}

func (w *world) setAway(away bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = away
}

// waitForPower returns when the machine is on, or with ctx.
func (w *world) waitForPower(ctx context.Context) {
	for ctx.Err() == nil {
		w.mu.Lock()
		away := w.away
		w.mu.Unlock()
		if !away {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// up waits for the first daemon.
func (w *world) up(ctx context.Context, kept <-chan error) error {
	for {
		if w.daemon() != nil {
			return nil
		}
		select {
		case err := <-kept:
			return errors.Join(errors.New("there is no daemon"), err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// daemon returns the one that lives; nil if there is none.
func (w *world) daemon() *daemon {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.d
}

// noteMemory looks at the daemon's memory.
func (w *world) noteMemory() (now float64) {
	d := w.daemon()
	if d == nil {
		return 0
	}
	now, err := residentMB(d.cmd.Process.Pid)
	if err != nil {
		return 0 // it has just ended
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.peak = max(w.peak, now)
	return now
}
