//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// disk is where the soak's data lies. One of its own can be filled up without
// harm to anybody else.
type disk struct {
	kind  string
	mount string // empty where there is none to fill
	image string // of its device; empty where it has none of ours
}

const diskMB = 4096

// newDisk mounts an ext4 image, or a file system in memory where that cannot be
// done; without the right to mount, the data lies beside everything else and the
// disk is never full.
func newDisk(ctx context.Context, mount, image string) (disk, error) {
	if err := os.MkdirAll(mount, 0o700); err != nil {
		return disk{}, err
	}
	run := func(name string, args ...string) error { return exec.CommandContext(ctx, name, args...).Run() }
	f, err := os.OpenFile(image, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return disk{}, err
	}
	if err := f.Truncate(diskMB << 20); err != nil {
		return disk{}, err
	}
	if err := f.Close(); err != nil {
		return disk{}, err
	}
	if run("mkfs.ext4", "-q", "-F", image) == nil && run("mount", "-o", "loop", image, mount) == nil {
		return disk{"an ext4 image of its own", mount, image}, nil
	}
	if run("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", diskMB), "none", mount) == nil {
		return disk{kind: "a file system in memory of its own", mount: mount}, nil
	}
	return disk{kind: "the disk of the folder, which is never full"}, nil
}

func (d disk) remove() error {
	if d.mount == "" {
		return nil
	}
	// Something of the last processes may hold it for a moment.
	var out []byte
	var err error
	for range 50 {
		if out, err = exec.Command("umount", d.mount).CombinedOutput(); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("umount %s: %w: %s", d.mount, err, out)
}

const fillerName = "filler"

// fill takes all the room that is left, for so long.
func (d disk) fill(ctx context.Context, hold time.Duration) error {
	name := filepath.Join(d.mount, fillerName)
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	// Room that is only reserved costs no writing; what that leaves is written.
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return err
	}
	for size := int64(st.Bavail) * st.Bsize; size >= 1<<20; size /= 2 {
		if unix.Fallocate(int(f.Fd()), 0, 0, size) == nil {
			break
		}
	}
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	block := make([]byte, 1<<20)
	for size := len(block); size >= 512; {
		if _, err := f.Write(block[:size]); err != nil {
			size /= 2 // the rest may still fit
		}
	}
	select {
	case <-time.After(hold):
	case <-ctx.Done():
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Remove(name)
}
