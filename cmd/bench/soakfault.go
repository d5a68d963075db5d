//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"signalbox/backend/agent/agenttest/fake"
)

// faults does harm until ctx ends.
func (w *world) faults(ctx context.Context, rnd *rand.Rand) {
	kinds := []struct {
		name string
		do   func(context.Context, *rand.Rand) bool
	}{
		{"daemon killed", w.killing("daemon")},
		{"daemon stopped", w.stopping},
		{"supervisor killed", w.killing("supervisor")},
		{"guard killed", w.killing("guard")},
		{"CLI killed", w.killing("agent")},
		{"daemon, guard and supervisor killed at once", w.killingAll},
		{"daemon frozen for a second", w.freezing},
		{"sockets dropped", w.dropping},
		{"slow reader", w.slowing},
		{"disk full", w.filling},
		{"power cut", w.cutPower},
		{"CLI that misbehaves", w.misplaying},
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(500+rnd.IntN(4000)) * time.Millisecond):
		}
		w.noteMemory()
		k := kinds[rnd.IntN(len(kinds))]
		if k.do(ctx, rnd) {
			w.ledger.fault(k.name)
		}
	}
}

// process is one of ours that runs.
type process struct {
	pid, parent int
	role        string // daemon, guard, supervisor, agent
}

// processes lists what runs of our two programs.
func (w *world) processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	roles := map[int]process{}
	var all []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		if err != nil || (exe != w.bin.signalbox && exe != w.bin.agent) {
			continue
		}
		p := process{pid: pid, role: "agent"}
		stat, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if _, rest, ok := strings.Cut(string(stat), ") "); ok {
			if f := strings.Fields(rest); len(f) > 1 && f[0] != "Z" {
				p.parent, _ = strconv.Atoi(f[1])
			} else {
				continue // dead already
			}
		}
		if exe == w.bin.signalbox {
			args, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			p.role = "daemon"
			if strings.Contains(string(args), "supervise") {
				p.role = "guard"
			}
		}
		roles[pid] = p
		all = append(all, p)
	}
	for i, p := range all {
		// A guard's child of the same name is the supervisor.
		if p.role == "guard" && roles[p.parent].role == "guard" {
			all[i].role = "supervisor"
		}
	}
	return all
}

func (w *world) killing(role string) func(context.Context, *rand.Rand) bool {
	return func(_ context.Context, rnd *rand.Rand) bool {
		var victims []int
		for _, p := range w.processes() {
			if p.role == role {
				victims = append(victims, p.pid)
			}
		}
		return len(victims) > 0 && syscall.Kill(victims[rnd.IntN(len(victims))], syscall.SIGKILL) == nil
	}
}

func (w *world) killingAll(context.Context, *rand.Rand) bool {
	done := false
	for _, p := range w.processes() {
		if p.role != "agent" {
			done = syscall.Kill(p.pid, syscall.SIGKILL) == nil || done
		}
	}
	return done
}

func (w *world) stopping(context.Context, *rand.Rand) bool {
	d := w.daemon()
	return d != nil && d.cmd.Process.Signal(syscall.SIGTERM) == nil
}

func (w *world) freezing(ctx context.Context, _ *rand.Rand) bool {
	d := w.daemon()
	if d == nil || d.cmd.Process.Signal(syscall.SIGSTOP) != nil {
		return false
	}
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
	return d.cmd.Process.Signal(syscall.SIGCONT) == nil
}

func (w *world) dropping(context.Context, *rand.Rand) bool { return w.ledger.dropSockets() > 0 }

func (w *world) slowing(_ context.Context, rnd *rand.Rand) bool { return w.ledger.slowOne(rnd) }

func (w *world) filling(ctx context.Context, rnd *rand.Rand) bool {
	if w.disk.mount == "" {
		return false
	}
	if err := w.disk.fill(ctx, time.Duration(500+rnd.IntN(2500))*time.Millisecond); err != nil {
		fmt.Fprintln(w.log, "fill the disk:", err)
	}
	return true
}

// misplaying makes the next runs those of a CLI that misbehaves, for a while.
func (w *world) misplaying(ctx context.Context, rnd *rand.Rand) bool {
	pid := filepath.Join(w.dir, "grandchild")
	scripts := []fake.Script{
		{Lines: 300, Rate: 300, StopAfter: int64(1000 + rnd.IntN(200_000)), Then: "exit"},
		{Lines: 300, Rate: 300, StopAfter: int64(1000 + rnd.IntN(200_000)), Then: "hang"},
		{Lines: 300, Rate: 300, StopAfter: int64(1000 + rnd.IntN(200_000)), Then: "kill"},
		{Lines: 300, Rate: 300, IgnoreSignals: true, IgnoreInterrupt: true, IgnoreEOF: true},
		{Lines: 300, Rate: 300, Grandchild: "session", PIDFile: pid},
		{LineBytes: 8 << 20},
		{Lines: 3000},
		{ExitEarly: true},
		{Lines: 300, Rate: 300, StderrBytes: 1 << 20},
	}
	if err := w.play(scripts[rnd.IntN(len(scripts))]); err != nil {
		return false
	}
	select {
	case <-time.After(2 * time.Second):
	case <-ctx.Done():
	}
	return w.playNormal() == nil
}

func (w *world) playNormal() error { return w.play(fake.Script{Lines: 180, Rate: 200}) }

// play tells the stand-in what to do. It may start at any time: the file is
// replaced, not changed.
func (w *world) play(s fake.Script) error {
	b := bench{script: w.script + ".new"}
	if err := b.play(s); err != nil {
		return err
	}
	return os.Rename(w.script+".new", w.script)
}
