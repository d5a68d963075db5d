package eventlog

import (
	"errors"
	"io"
	"os"
)

// renewFileLocked writes the log's file anew from what can be read of it, after
// a sync that failed.
func (l *Log) renewFileLocked() error {
	if l.closed {
		return errStopping()
	}
	s, err := l.snap()
	if err != nil {
		return err
	}
	h := l.header
	h.Chat, h.Created, h.Epoch, h.High = l.chat, l.created, l.epoch, max(l.last, l.header.High)
	f, start, size, err := writeNext(l.store.disk, l.chat, h, []piece{{s.file, s.start, s.size}}, nil)
	if err != nil {
		return err
	}
	return l.swapLocked(f, h, func() {
		moved := start - l.start
		l.start, l.size = start, size
		for _, fo := range l.followers {
			if fo.off >= 0 {
				fo.off += moved
			}
		}
	})
}

// renewBlob writes a body anew from what can be read of it.
func (l *Log) renewBlob(sum string) error {
	d, name := l.store.disk, blobsName(l.chat)+"/"+sum
	old, err := d.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer old.Close() //nolint:errcheck // only read
	st, err := old.Stat()
	if err != nil {
		return err
	}
	b, err := l.NewBlob()
	if err != nil {
		return err
	}
	if _, err := io.Copy(b, io.NewSectionReader(old, 0, st.Size())); err != nil {
		return errors.Join(err, b.Abort())
	}
	err = errors.Join(b.file.Sync(), b.file.Close())
	b.file = nil
	if err == nil {
		err = d.Rename(b.name, name)
	}
	return err
}
