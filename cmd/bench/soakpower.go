//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// cutPower takes the machine away from under the daemon: what had not reached the
// device is gone, all processes are, and the next start is in a new boot. The
// file system keeps what was not synced in memory, so that its device, an image
// file, is exactly what a disk holds when the power fails.
func (w *world) cutPower(ctx context.Context, _ *rand.Rand) bool {
	if w.disk.image == "" || w.disk.mount == "" {
		return false
	}
	w.setAway(true)
	defer w.setAway(false)
	w.signalAll(syscall.SIGSTOP)
	snapshot := w.disk.image + ".cut"
	err := w.disk.snapshot(ctx, snapshot)
	w.signalAll(syscall.SIGKILL)
	if err != nil {
		fmt.Fprintln(w.log, "cut the power:", err)
		return false
	}
	if err := errors.Join(w.disk.swap(ctx, snapshot), w.newBoot()); err != nil {
		w.ledger.wrong("cut the power: %v", err)
		return false
	}
	return true
}

// signalAll signals all of our processes until no other comes up.
func (w *world) signalAll(sig syscall.Signal) {
	const looks = 3
	for range looks {
		for _, p := range w.processes() {
			_ = syscall.Kill(p.pid, sig) // it may have ended
		}
	}
	for sig == syscall.SIGKILL && len(w.processes()) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
}

// newBoot makes the id of another boot. The daemon reads it in the place of the
// kernel's.
func (w *world) newBoot() error {
	id := fmt.Sprintf("00000000-0000-4000-8000-%012x\n", rand.Uint64()>>16)
	return os.WriteFile(w.bootFile(), []byte(id), 0o600)
}

func (w *world) bootFile() string { return filepath.Join(w.dir, "boot_id") }

// snapshot copies the device as it is at one moment. A copy during which the file
// system wrote to it is none: no disk ever held that.
func (d disk) snapshot(ctx context.Context, to string) error {
	const tries = 20
	for range tries {
		before, err := changed(d.image)
		if err != nil {
			return err
		}
		if out, err := exec.CommandContext(ctx, "cp", "--sparse=always", d.image, to).CombinedOutput(); err != nil {
			return fmt.Errorf("copy the device: %w: %s", err, out)
		}
		after, err := changed(d.image)
		if err != nil || after == before {
			return err
		}
	}
	return errors.New("the device does not hold still")
}

// changed returns when a file was written to last.
func changed(file string) (unix.Timespec, error) {
	var st unix.Stat_t
	err := unix.Stat(file, &st)
	return st.Mtim, err
}

// swap puts a snapshot in the place of the device.
func (d disk) swap(ctx context.Context, snapshot string) error {
	if err := d.remove(); err != nil {
		return err
	}
	if err := os.Rename(snapshot, d.image); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "mount", "-o", "loop", d.image, d.mount).CombinedOutput(); err != nil {
		return fmt.Errorf("mount: %w: %s", err, out)
	}
	err := os.Remove(filepath.Join(d.mount, fillerName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
