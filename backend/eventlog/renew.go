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
	l.pub.Lock()
	if err := l.store.disk.Rename(nextName(l.chat), logName(l.chat)); err != nil {
		l.pub.Unlock()
		return errors.Join(err, f.Close())
	}
	old := l.file
	l.file, l.readOnly = f, false
	moved := start - l.start
	l.start, l.size = start, size
	l.renewLocked()
	for _, fo := range l.followers {
		if fo.off >= 0 {
			fo.off += moved
		}
	}
	l.pub.Unlock()
	l.header = h
	l.ragged = false
	if old != nil {
		err = old.Close()
	}
	l.store.pool.opened(l)
	return errors.Join(err, l.store.disk.SyncDir(string(l.chat)))
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
