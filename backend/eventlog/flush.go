package eventlog

import (
	"errors"
	"os"
)

func (l *Log) takeBlobs() []string {
	l.pub.Lock()
	defer l.pub.Unlock()
	b := l.blobs
	l.blobs = nil
	return b
}

// flush syncs the bodies, then the log that names them; done tells that the
// whole file system was synced. What could not be synced is written anew by the
// next flush, since the system may report the loss only once.
func (l *Log) flush(blobs []string, done bool) error {
	var err error
	if !done {
		err = l.flushBlobs(blobs)
	}
	l.pub.Lock()
	suspect := l.suspect
	l.pub.Unlock()
	switch {
	case suspect:
		l.mu.Lock()
		defer l.mu.Unlock()
		return errors.Join(err, l.renewFileLocked())
	case done:
		return err
	default:
		return errors.Join(err, l.flushFile())
	}
}

// flushFile syncs the log's file.
func (l *Log) flushFile() error {
	l.pub.Lock()
	f, entries := l.file, l.entries
	l.pub.Unlock()
	if entries {
		if err := l.store.disk.SyncDir(string(l.chat)); err != nil {
			return err
		}
		l.pub.Lock()
		l.entries = false
		l.pub.Unlock()
	}
	if f == nil {
		return nil // only a file in which all is durable is closed
	}
	err := f.Datasync()
	if err == nil || errors.Is(err, os.ErrClosed) {
		return nil // closed: another file took its place, synced
	}
	l.pub.Lock()
	l.suspect = true
	l.pub.Unlock()
	l.store.log.Error("log may not be durable", "chat", l.chat, "err", err)
	return err
}

// flushBlobs makes bodies and their names durable. One that can't be synced is
// written anew.
func (l *Log) flushBlobs(blobs []string) error {
	if len(blobs) == 0 {
		return nil
	}
	d, dir := l.store.disk, blobsName(l.chat)
	var errs []error
	for _, sum := range blobs {
		f, err := d.OpenFile(dir+"/"+sum, os.O_RDWR)
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil {
			errs = append(errs, err, l.renewBlob(sum))
		}
	}
	errs = append(errs, d.SyncDir(dir), d.SyncDir(string(l.chat)))
	err := errors.Join(errs...)
	if err != nil {
		l.pub.Lock()
		l.blobs = append(l.blobs, blobs...)
		l.pub.Unlock()
	}
	return err
}
