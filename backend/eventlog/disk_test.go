package eventlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"signalbox/backend/eventlog"
)

// testDisk is a real disk that can run full, refuse, end in the middle of a step
// and lose what was not synced. It does not sync for real, so tests are fast.
type testDisk struct {
	eventlog.Disk

	dir     string // the folder of the chats
	scratch string // keeps what a loss of power may bring back

	mu    sync.Mutex
	steps int                         // changes so far
	left  int                         // changes until it is dead; -1 for never
	dead  bool                        // the process has ended: nothing changes any more
	space int64                       // bytes that still fit; -1 for no limit
	fail  func(op, name string) error // may refuse a step
	saved int
	// durable is what of a file with unsynced changes is safe, by inode.
	durable map[uint64][]byte
	// undo takes back the changes of folders that are not synced, in order.
	undo []change
}

type change struct {
	folders []string
	undo    func() error
}

var errDead = errors.New("the process has ended")

func newTestDisk(dir, scratch string) (*testDisk, error) {
	chats := filepath.Join(dir, "chats")
	if err := os.MkdirAll(chats, 0o700); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return nil, err
	}
	real, err := eventlog.RealDisk(dir)
	return &testDisk{Disk: real, dir: chats, scratch: scratch, left: -1, space: -1, durable: map[uint64][]byte{}}, err
}

// step counts a change and tells whether it may be made.
func (d *testDisk) step(op, name string) error {
	if d.dead {
		return errDead
	}
	if d.fail != nil {
		if err := d.fail(op, name); err != nil {
			return &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	d.steps++
	if d.left == 0 {
		d.dead = true
		return errDead
	}
	if d.left > 0 {
		d.left--
	}
	return nil
}

func (d *testDisk) path(name string) string { return filepath.Join(d.dir, filepath.FromSlash(name)) }

// keep returns a link to a file that outlives its name.
func (d *testDisk) keep(name string) (string, error) {
	d.saved++
	link := filepath.Join(d.scratch, fmt.Sprint(d.saved))
	return link, os.Link(d.path(name), link)
}

func (d *testDisk) did(undo func() error, names ...string) {
	c := change{undo: undo}
	for _, n := range names {
		c.folders = append(c.folders, filepath.Dir(n))
	}
	d.undo = append(d.undo, c)
}

func (d *testDisk) OpenFile(name string, flag int) (eventlog.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := os.Lstat(d.path(name))
	isNew := errors.Is(err, fs.ErrNotExist)
	if flag&os.O_CREATE != 0 && isNew {
		if err := d.step("create", name); err != nil {
			return nil, err
		}
		d.did(func() error { return os.Remove(d.path(name)) }, name)
	}
	if flag&os.O_TRUNC != 0 && !isNew {
		if err := d.step("truncate", name); err != nil {
			return nil, err
		}
		if err := d.dirty(d.path(name)); err != nil {
			return nil, err
		}
	}
	if flag&(os.O_RDWR|os.O_WRONLY) != 0 && d.fail != nil {
		if err := d.fail("open", name); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	f, err := d.Disk.OpenFile(name, flag)
	if err != nil {
		return nil, err
	}
	if flag&os.O_CREATE != 0 && isNew {
		if st, err := f.Stat(); err == nil {
			d.durable[inode(st)] = nil
		}
	}
	return &testFile{File: f, disk: d, name: name}, nil
}

func inode(st fs.FileInfo) uint64 { return st.Sys().(*syscall.Stat_t).Ino }

// dirty remembers what is durable of a file that is about to be changed.
func (d *testDisk) dirty(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if _, ok := d.durable[inode(st)]; ok {
		return nil
	}
	b, err := os.ReadFile(path)
	d.durable[inode(st)] = b
	return err
}

func (d *testDisk) Mkdir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := os.Lstat(d.path(name)); err == nil {
		return fs.ErrExist
	}
	if err := d.step("mkdir", name); err != nil {
		return err
	}
	d.did(func() error { return os.RemoveAll(d.path(name)) }, name)
	return d.Disk.Mkdir(name)
}

func (d *testDisk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("rename", from); err != nil {
		return err
	}
	old, err := d.keep(to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	had := err == nil
	d.did(func() error {
		err := os.Rename(d.path(to), d.path(from))
		if had {
			err = errors.Join(err, os.Link(old, d.path(to)))
		}
		return err
	}, from, to)
	return d.Disk.Rename(from, to)
}

func (d *testDisk) Link(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("link", to); err != nil {
		return err
	}
	err := d.Disk.Link(from, to)
	if err == nil {
		d.did(func() error { return os.Remove(d.path(to)) }, to)
	}
	return err
}

func (d *testDisk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	st, err := os.Lstat(d.path(name))
	if err != nil {
		return err
	}
	if err := d.step("remove", name); err != nil {
		return err
	}
	if st.IsDir() {
		return d.Disk.Remove(name)
	}
	old, err := d.keep(name)
	if err != nil {
		return err
	}
	d.did(func() error { return os.Link(old, d.path(name)) }, name)
	return d.Disk.Remove(name)
}

func (d *testDisk) Touch(name string, at time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("touch", name); err != nil {
		return err
	}
	return d.Disk.Touch(name, at)
}

func (d *testDisk) SyncDir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("syncdir", name); err != nil {
		return err
	}
	var left []change
	for _, c := range d.undo {
		in := false
		for _, f := range c.folders {
			in = in || f == filepath.Clean(name)
		}
		if !in {
			left = append(left, c)
		}
	}
	d.undo = left
	return nil
}

func (d *testDisk) SyncAll() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("syncall", "."); err != nil {
		return err
	}
	d.undo = nil
	clear(d.durable)
	return nil
}

// losePower takes away a part of what was not synced: of the changes to folders
// all from some one on, of each file some of its end.
func (d *testDisk) losePower(r *rand.Rand) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = true
	keep := r.IntN(len(d.undo) + 1)
	for i := len(d.undo) - 1; i >= keep; i-- {
		if err := d.undo[i].undo(); err != nil {
			return fmt.Errorf("lose power: %w", err)
		}
	}
	return filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		safe, changed := d.durable[inode(st)]
		if !changed {
			return nil
		}
		delete(d.durable, inode(st))
		now, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(now, safe) {
			now = now[:len(safe)+r.IntN(len(now)-len(safe)+1)]
		} else if r.IntN(2) == 0 {
			now = safe
		}
		return os.WriteFile(path, now, 0o600)
	})
}

type testFile struct {
	eventlog.File

	disk *testDisk
	name string
}

func (f *testFile) Stat() (fs.FileInfo, error) { return f.File.Stat() }

func (f *testFile) dirty() error {
	st, err := f.File.Stat()
	if err != nil {
		return err
	}
	if _, ok := f.disk.durable[inode(st)]; ok {
		return nil
	}
	b := make([]byte, st.Size())
	if _, err := f.File.ReadAt(b, 0); err != nil && st.Size() > 0 {
		return err
	}
	f.disk.durable[inode(st)] = b
	return nil
}

func (f *testFile) WriteAt(p []byte, off int64) (int, error) {
	d := f.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("write", f.name); err != nil {
		if d.left == 0 && errors.Is(err, errDead) && len(p) > 0 && f.dirty() == nil {
			// The process ends in the middle of the write.
			d.left = -1
			n, _ := f.File.WriteAt(p[:rand.IntN(len(p))], off)
			return n, errDead
		}
		return 0, err
	}
	if err := f.dirty(); err != nil {
		return 0, err
	}
	if d.space >= 0 && int64(len(p)) > d.space {
		n, err := f.File.WriteAt(p[:d.space], off)
		d.space = 0
		return n, errors.Join(err, &fs.PathError{Op: "write", Path: f.name, Err: syscall.ENOSPC})
	}
	if d.space >= 0 {
		d.space -= int64(len(p))
	}
	return f.File.WriteAt(p, off)
}

func (f *testFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.disk.step("truncate", f.name); err != nil {
		return err
	}
	if err := f.dirty(); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *testFile) sync(op string) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.disk.step(op, f.name); err != nil {
		return err
	}
	st, err := f.File.Stat()
	if err == nil {
		delete(f.disk.durable, inode(st))
	}
	return err
}

func (f *testFile) Sync() error     { return f.sync("sync") }
func (f *testFile) Datasync() error { return f.sync("datasync") }
