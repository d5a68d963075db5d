package eventlog

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// tempPrefix begins the names of bodies that are still being written.
const tempPrefix = "new-"

// BlobWriter writes one body beside a log. It ends by Commit or Abort. One
// goroutine uses it.
type BlobWriter struct {
	log  *Log
	name string
	file file
	hash hash.Hash
	n    int64
	err  error
}

// NewBlob begins a body beside the log.
func (l *Log) NewBlob() (*BlobWriter, error) {
	l.pub.Lock()
	gone := l.gone
	l.pub.Unlock()
	if gone {
		return nil, errStopping()
	}
	d := l.store.disk
	if err := d.Mkdir(blobsName(l.chat)); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fault.Disk("create folder of bodies", err)
	}
	name := blobsName(l.chat) + "/" + tempPrefix + rand.Text()
	f, err := d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, fault.Disk("create body", err)
	}
	return &BlobWriter{log: l, name: name, file: f, hash: sha256.New()}, nil
}

// Write appends p to the body.
func (b *BlobWriter) Write(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.file.WriteAt(p, b.n)
	_, _ = b.hash.Write(p[:n]) // a hash does not fail
	b.n += int64(n)
	if err != nil {
		b.err = fault.Disk("write body", err)
	}
	return n, b.err
}

// Commit puts the body in place under its hash. The next sync of the log makes
// it durable. After an error the body is gone.
func (b *BlobWriter) Commit() (wire.BlobRef, error) {
	if b.err != nil {
		return wire.BlobRef{}, errors.Join(b.err, b.Abort())
	}
	if b.file == nil {
		return wire.BlobRef{}, ErrClosed
	}
	sum := hex.EncodeToString(b.hash.Sum(nil))
	ref := wire.BlobRef{SHA256: sum, Bytes: b.n}
	d, name := b.log.store.disk, blobsName(b.log.chat)+"/"+sum
	if st, err := d.Stat(name); err == nil && st.Size() == b.n && d.Touch(name, time.Now()) == nil {
		// It is there already. The time keeps it from being taken for an old
		// one that nothing refers to.
		err = b.Abort()
		b.log.bodyPut(sum)
		return ref, err
	}
	err := b.file.Close()
	b.file = nil
	if err == nil {
		err = d.Rename(b.name, name)
	}
	if err != nil {
		return wire.BlobRef{}, fault.Disk("keep body", errors.Join(err, d.Remove(b.name)))
	}
	b.log.bodyPut(sum)
	return ref, nil
}

// Abort removes the body; it does nothing after Commit.
func (b *BlobWriter) Abort() error {
	if b.file == nil {
		return nil
	}
	err := errors.Join(b.file.Close(), b.log.store.disk.Remove(b.name))
	b.file = nil
	return fault.Disk("remove body", err)
}

// putBlob puts a whole body beside the log.
func (l *Log) putBlob(text string) (wire.BlobRef, error) {
	b, err := l.NewBlob()
	if err != nil {
		return wire.BlobRef{}, err
	}
	// Without its own way of writing, which would copy the whole text.
	if _, err := io.Copy(b, struct{ io.Reader }{strings.NewReader(text)}); err != nil {
		return wire.BlobRef{}, errors.Join(err, b.Abort())
	}
	return b.Commit()
}

// bodyPut adds a body to what the next sync makes durable.
func (l *Log) bodyPut(sum string) {
	l.pub.Lock()
	l.blobs = append(l.blobs, sum)
	l.pub.Unlock()
	l.store.sync.mark(l)
}

// OpenBlob opens a body by its hash (fault not_found, invalid).
func (l *Log) OpenBlob(sum string) (io.ReadSeekCloser, error) {
	if !isHash(sum) {
		return nil, fault.New(fault.Invalid, "%.80q is not a SHA-256 hash in lower-case hex.", sum)
	}
	f, err := l.store.disk.OpenFile(blobsName(l.chat)+"/"+sum, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fault.ErrNotPlain) {
		return nil, fault.New(fault.NotFound, "This chat has no such body.").Because(err)
	}
	if err != nil {
		return nil, fault.Disk("open body", err)
	}
	st, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fault.Disk("open body", err), f.Close())
	}
	return blobReader{io.NewSectionReader(f, 0, st.Size()), f}, nil
}

type blobReader struct {
	*io.SectionReader
	io.Closer
}

func isHash(s string) bool {
	return len(s) == hex.EncodedLen(sha256.Size) && strings.Trim(s, "0123456789abcdef") == ""
}
