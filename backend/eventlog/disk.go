package eventlog

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"signalbox/backend/fault"
)

// disk is the file system below the folder of chats. Names are relative and use
// slashes. It stands behind an interface so that tests can fill it up, take it
// away and cut the power.
type disk interface {
	OpenFile(name string, flag int) (file, error)
	Mkdir(name string) error
	Rename(from, to string) error
	Link(from, to string) error
	Remove(name string) error
	ReadDir(name string) ([]fs.DirEntry, error)
	Stat(name string) (fs.FileInfo, error)
	Touch(name string, t time.Time) error
	// SyncDir makes the entries of a folder durable.
	SyncDir(name string) error
	// SyncAll makes everything on the file system durable at once; where that
	// can't be done it returns errors.ErrUnsupported.
	SyncAll() error
	Close() error
}

// file is an open file of a disk.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
	// Datasync is Sync without what is not needed to read the data again.
	Datasync() error
	Stat() (fs.FileInfo, error)
}

// rootDisk is the disk of the operating system. The root keeps names below the
// folder, also where an agent has put a symbolic link into its own.
type rootDisk struct {
	root *os.Root
	dir  *os.File // the folder itself, to name its file system
}

func openRootDisk(dir string) (*rootDisk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &rootDisk{root: root, dir: f}, nil
}

// OpenFile implements disk. Only a plain file is opened: an agent that puts a
// pipe, a folder or a link into its chat's place must not make the daemon wait
// there, or lead it to another chat.
func (d *rootDisk) OpenFile(name string, flag int) (file, error) {
	// A file may be replaced by another between the look at its name and its
	// opening; one that never holds still is somebody's game.
	const looks = 100
	for range looks {
		f, err := d.openPlain(name, flag)
		if !errors.Is(err, errReplaced) {
			return f, err
		}
	}
	return nil, notPlain(name)
}

// errReplaced means that a name stood for two files while it was opened.
var errReplaced = errors.New("replaced while it was opened")

func (d *rootDisk) openPlain(name string, flag int) (file, error) {
	was, err := d.root.Lstat(name)
	if err == nil && !was.Mode().IsRegular() {
		return nil, notPlain(name)
	}
	if err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	f, err := d.root.OpenFile(name, flag|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	is, err := f.Stat()
	switch {
	case err != nil:
	case !is.Mode().IsRegular():
		err = notPlain(name)
	case was != nil && !os.SameFile(was, is):
		err = errReplaced
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return osFile{f}, nil
}

func notPlain(name string) error {
	return &fs.PathError{Op: "open", Path: name, Err: fault.ErrNotPlain}
}

func (d *rootDisk) Mkdir(name string) error      { return d.root.Mkdir(name, 0o700) }
func (d *rootDisk) Rename(from, to string) error { return d.root.Rename(from, to) }
func (d *rootDisk) Link(from, to string) error   { return d.root.Link(from, to) }
func (d *rootDisk) Remove(name string) error     { return d.root.Remove(name) }

func (d *rootDisk) ReadDir(name string) ([]fs.DirEntry, error) {
	return fs.ReadDir(d.root.FS(), name)
}

func (d *rootDisk) Stat(name string) (fs.FileInfo, error) { return d.root.Stat(name) }

func (d *rootDisk) Touch(name string, t time.Time) error { return d.root.Chtimes(name, t, t) }

func (d *rootDisk) SyncDir(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d *rootDisk) SyncAll() error { return syncAll(d.dir) }

func (d *rootDisk) Close() error { return errors.Join(d.dir.Close(), d.root.Close()) }

type osFile struct{ *os.File }

func (f osFile) Datasync() error { return datasync(f.File) }

// readName returns the first limit bytes of a small file.
func readName(d disk, name string, limit int64) ([]byte, error) {
	f, err := d.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.NewSectionReader(f, 0, limit))
	return b, errors.Join(err, f.Close())
}
