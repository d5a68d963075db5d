package backup

import (
	"archive/tar"
	"bytes"
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
	"strings"

	"signalbox/backend/fault"
)

// manifestLimit bounds the two entries that are read into memory.
const manifestLimit = 256 << 20

// Restore makes the data folder dir from a backup. The folder must be empty or
// not there (fault conflict); after an error it is as it was.
func Restore(ctx context.Context, r io.Reader, dir string) (_ Summary, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return Summary{}, fault.Disk("make data folder", err)
	}
	made, err := emptyFolder(dir)
	if err != nil {
		return Summary{}, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Summary{}, fault.Disk("open data folder", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, empty(root))
		}
		err = errors.Join(err, root.Close())
		if err != nil && made {
			_ = os.Remove(dir) // there is nothing in it; the first error counts
		}
	}()
	if err := root.WriteFile(Unfinished, nil, 0o600); err != nil {
		return Summary{}, fault.Disk("restore backup", err)
	}
	b := &reader{ctx: ctx, root: root, sums: map[string]sum{}, chats: map[string]bool{}}
	if err := b.read(r); err != nil {
		return Summary{}, err
	}
	if err := b.move(dir); err != nil {
		return Summary{}, err
	}
	if err := b.links(); err != nil {
		return Summary{}, err
	}
	if err := root.Remove(Unfinished); err != nil {
		return Summary{}, fault.Disk("restore backup", err)
	}
	b.done.Chats = len(b.chats)
	return b.done, fault.Disk("restore backup", syncFolder(root))
}

// emptyFolder sees to it that there is a folder with nothing in it.
func emptyFolder(dir string) (made bool, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, fault.Disk("make data folder", os.MkdirAll(dir, 0o700))
	case err != nil:
		return false, fault.Disk("look into data folder", err)
	case len(entries) > 0:
		return false, fault.New(fault.Conflict, "The data folder %s is not empty.", dir).
			WithHint("Name an empty one with --data, or move what is there away first. Nothing was changed.")
	}
	return false, nil
}

// empty removes all that a failed restore left.
func empty(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		err = errors.Join(err, root.RemoveAll(e.Name()))
	}
	return err
}

func syncFolder(root *os.Root) error {
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// reader is one call of Restore.
type reader struct {
	ctx   context.Context //nolint:containedctx // of the one call
	root  *os.Root
	from  string // where the data folder was
	sums  map[string]sum
	chats map[string]bool
	late  []tar.Header // links, made once no file can be written through one
	done  Summary
}

func (b *reader) read(r io.Reader) error {
	gz, err := gzip.NewReader(r)
	if err != nil {
		return fault.New(fault.Invalid, "This is no backup of Signalbox.").
			WithHint("Name a file that `signalbox backup` wrote.").Because(err)
	}
	in := tar.NewReader(gz)
	for first := true; ; first = false {
		if b.ctx.Err() != nil {
			return context.Cause(b.ctx)
		}
		h, err := in.Next()
		if err != nil {
			return errDamaged("it breaks off").Because(err)
		}
		switch {
		case first:
			if b.from, err = checkBegin(h, in); err != nil {
				return err
			}
		case h.Name == endName:
			if err := b.check(in); err != nil {
				return err
			}
			// What follows the manifest is checked by nothing but the checksum of
			// the compression, which stands at the very end.
			if _, err := io.Copy(io.Discard, gz); err != nil {
				return errDamaged("its end cannot be read").Because(err)
			}
			return nil
		default:
			if err := b.entry(h, in); err != nil {
				return err
			}
		}
	}
}

// checkBegin reads the first entry, and returns where the data folder was.
func checkBegin(h *tar.Header, r io.Reader) (data string, err error) {
	var v begin
	if h.Name != beginName || json.NewDecoder(io.LimitReader(r, 64<<10)).Decode(&v) != nil || v.Format < 1 {
		return "", fault.New(fault.Invalid, "This is no backup of Signalbox.").
			WithHint("Name a file that `signalbox backup` wrote.")
	}
	if v.Format > format {
		return "", fault.New(fault.Unavailable, "This backup was written by a newer version of Signalbox (%.40s).", v.Version).
			WithHint("Restore it with that version. Nothing was restored.")
	}
	return v.Data, nil
}

// move lets the chats' metadata name the folders of chats where they are now: it
// holds them as absolute paths.
func (b *reader) move(to string) error {
	if !filepath.IsAbs(b.from) || b.from == to {
		return nil
	}
	old, err := json.Marshal(b.from + "/chats/")
	if err != nil {
		return err
	}
	now, err := json.Marshal(to + "/chats/")
	if err != nil {
		return err
	}
	for id := range b.chats {
		name := "chats/" + id + "/meta.json"
		text, err := b.root.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is made again from the log
		}
		if err == nil {
			// A path begins where its string does.
			text = bytes.ReplaceAll(text, old[:len(old)-1], now[:len(now)-1])
			err = b.root.WriteFile(name, text, 0o600)
		}
		if err != nil {
			return fault.Disk("restore "+name, err)
		}
	}
	return nil
}

func (b *reader) entry(h *tar.Header, r io.Reader) error {
	name := strings.TrimSuffix(h.Name, "/")
	if err := checkName(name); err != nil {
		return err
	}
	if parts := strings.SplitN(name, "/", 3); parts[0] == "chats" && len(parts) > 1 {
		b.chats[parts[1]] = true
	}
	switch {
	case h.Typeflag == tar.TypeDir:
		return fault.Disk("restore "+name, b.root.MkdirAll(name, 0o700))
	case h.Typeflag == tar.TypeSymlink && inWork(name):
		b.late = append(b.late, *h)
		return nil
	case h.Typeflag == tar.TypeReg:
		return b.file(name, h, r)
	}
	return errDamaged("%.200q is neither a file nor a folder", name)
}

func (b *reader) file(name string, h *tar.Header, r io.Reader) (err error) {
	if _, twice := b.sums[name]; twice {
		return errDamaged("%.200q is in it twice", name)
	}
	if err := b.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return fault.Disk("restore "+name, err)
	}
	perm := fs.FileMode(h.Mode) & 0o700
	f, err := b.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm|0o600)
	if err != nil {
		return fault.Disk("restore "+name, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, hash), ctxReader{b.ctx, r})
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, tar.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return errDamaged("it breaks off in %.200q", name).Because(err)
	case err != nil:
		return fault.Disk("restore "+name, err)
	}
	if !inWork(name) {
		if err := f.Sync(); err != nil {
			return fault.Disk("restore "+name, err)
		}
	}
	b.sums[name] = sum{Bytes: n, SHA256: hex.EncodeToString(hash.Sum(nil))}
	b.done.Files++
	b.done.Bytes += n
	return nil
}

// check compares what was restored with the manifest.
func (b *reader) check(r io.Reader) error {
	var m manifest
	if err := json.NewDecoder(io.LimitReader(r, manifestLimit)).Decode(&m); err != nil {
		return errDamaged("its list of files cannot be read").Because(err)
	}
	for name, want := range m.Files {
		if got, ok := b.sums[name]; !ok || got != want {
			return errDamaged("%.200q is not what was saved", name)
		}
	}
	if len(b.sums) != len(m.Files) {
		return errDamaged("it holds files that were not saved")
	}
	return nil
}

// links makes the links in working folders. Nothing is written after that.
func (b *reader) links() error {
	for _, h := range b.late {
		err := b.root.MkdirAll(path.Dir(h.Name), 0o700)
		if err == nil {
			err = b.root.Symlink(h.Linkname, h.Name)
		}
		if err != nil {
			return fault.Disk(fmt.Sprintf("restore %s", h.Name), err)
		}
	}
	return nil
}

// ctxReader ends with its context.
type ctxReader struct {
	ctx context.Context //nolint:containedctx // of one copy
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}
