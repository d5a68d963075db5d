package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Options configure [Write].
type Options struct {
	Version  string // of the program
	SkipWork bool   // leave out the chats' working folders
}

// Write writes a backup of the data folder dir, whose logs are logs, to w.
func Write(ctx context.Context, w io.Writer, dir string, logs *eventlog.Store, opts Options) (Summary, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Summary{}, fault.Disk("open data folder", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Summary{}, fault.Disk("open data folder", err)
	}
	defer root.Close() //nolint:errcheck // only read
	gz, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return Summary{}, err
	}
	b := &writer{ctx: ctx, root: root, dir: dir, logs: logs, opts: opts, tar: tar.NewWriter(gz), sums: map[string]sum{}}
	if err := b.write(); err != nil {
		return Summary{}, fmt.Errorf("write backup: %w", err)
	}
	if err := errors.Join(b.tar.Close(), gz.Close()); err != nil {
		return Summary{}, fault.Disk("write backup", err)
	}
	return b.done, nil
}

// writer is one call of Write.
type writer struct {
	ctx  context.Context //nolint:containedctx // of the one call
	root *os.Root
	dir  string
	logs *eventlog.Store
	opts Options
	tar  *tar.Writer
	sums map[string]sum
	done Summary
}

func (b *writer) write() error {
	err := b.json(beginName, begin{Format: format, Version: b.opts.Version, Created: wire.Time{Time: time.Now()}, Data: b.dir})
	if err != nil {
		return err
	}
	chats, err := b.logs.Chats()
	if err != nil {
		return err
	}
	if err := b.folder(".", func(name string) bool { return name == "chats" }); err != nil {
		return err
	}
	for _, chat := range chats {
		if err := b.chat(chat); err != nil {
			return fmt.Errorf("chat %s: %w", chat, err)
		}
	}
	return b.json(endName, manifest{Files: b.sums})
}

// chat writes a chat: its log first, as the other files hold what that refers to.
func (b *writer) chat(chat wire.ChatID) error {
	log, err := b.logs.Log(chat)
	if fault.CodeOf(err) == fault.NotFound {
		return nil // deleted meanwhile, or never made
	}
	if err != nil {
		return err
	}
	s, err := log.Snapshot(b.ctx)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // only read
	dir := "chats/" + string(chat)
	name := dir + "/events.jsonl"
	if err := b.file(name, 0o600, time.Now(), s.Bytes, s); err != nil {
		return err
	}
	b.done.Chats++
	return b.folder(dir, func(n string) bool { return n == name })
}

// folder writes what lies in a folder, but for what skip names.
func (b *writer) folder(dir string, skip func(string) bool) error {
	return fs.WalkDir(b.root.FS(), dir, func(name string, e fs.DirEntry, err error) error {
		if b.ctx.Err() != nil {
			return context.Cause(b.ctx)
		}
		gone := errors.Is(err, fs.ErrNotExist)
		switch {
		case err != nil && !gone && !inWork(name):
			return fault.Disk("read data folder", err)
		case err != nil:
			b.changed(name)
			return nil
		case name == dir:
			return nil
		case skip(name), leftOut(name), b.opts.SkipWork && path.Base(name) == "work" && inWork(name+"/x"):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		return b.entry(name, e)
	})
}

func (b *writer) entry(name string, e fs.DirEntry) error {
	switch {
	case e.IsDir():
		return b.header(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o700})
	case e.Type()&fs.ModeSymlink != 0 && inWork(name):
		to, err := b.root.Readlink(name)
		if err != nil {
			b.changed(name)
			return nil
		}
		return b.header(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to})
	case !e.Type().IsRegular():
		return nil // pipes and sockets belong to processes
	}
	f, err := b.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) || err != nil && inWork(name) {
		b.changed(name)
		return nil
	}
	if err != nil {
		return fault.Disk("read data folder", err)
	}
	defer f.Close() //nolint:errcheck // only read
	st, err := f.Stat()
	if err != nil {
		return fault.Disk("read data folder", err)
	}
	if !st.Mode().IsRegular() {
		return nil
	}
	return b.file(name, st.Mode().Perm(), st.ModTime(), st.Size(), f)
}

// file writes a file of a known size. What shrank meanwhile is filled up.
func (b *writer) file(name string, perm fs.FileMode, at time.Time, size int64, r io.Reader) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(perm), ModTime: at, Size: size}
	if err := b.header(h); err != nil {
		return err
	}
	hash := sha256.New()
	w := io.MultiWriter(b.tar, hash)
	n, err := io.CopyN(w, r, size)
	if errors.Is(err, io.EOF) {
		b.changed(name)
		_, err = io.CopyN(w, zeros{}, size-n)
	}
	if err != nil {
		return fault.Disk("copy "+name, err)
	}
	b.sums[name] = sum{Bytes: size, SHA256: hex.EncodeToString(hash.Sum(nil))}
	b.done.Files++
	b.done.Bytes += size
	return nil
}

func (b *writer) header(h *tar.Header) error {
	h.Format = tar.FormatPAX
	return fault.Disk("write backup", b.tar.WriteHeader(h))
}

func (b *writer) json(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	err = b.header(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(text)), ModTime: time.Now()})
	if err != nil {
		return err
	}
	_, err = b.tar.Write(text)
	return fault.Disk("write backup", err)
}

// changed notes a file that is not in the backup as it was at one moment.
func (b *writer) changed(name string) {
	const most = 100
	if len(b.done.Changed) < most {
		b.done.Changed = append(b.done.Changed, name)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
