package eventlog

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"signalbox/backend/fault"
)

// The marker is a file that stands in a chat's folder while its log may hold
// events that clients saw and a loss of power would take. It names the boot, so
// that the end of the daemon alone is told from that of the machine.

// loadMarker looks whether the log was left open; stale tells that the machine
// was started since.
func (l *Log) loadMarker(fix *repair) (stale bool, err error) {
	b, err := readName(l.store.disk, markerName(l.chat), 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	st, err := l.store.disk.Stat(markerName(l.chat))
	if err != nil {
		return false, err
	}
	l.marked = true
	if strings.TrimSpace(string(b)) != l.store.boot {
		fix.openSince = st.ModTime()
		return true, nil
	}
	// The daemon ended and the machine did not: all is there, but what was not
	// synced then is still to be. A file that was just put in place is to be
	// durable before anybody sees its epoch.
	if err := l.store.disk.SyncDir(string(l.chat)); err != nil {
		l.entries = true // nothing can be written; the next sync tries again
	}
	l.blobs, err = l.blobsSince(st.ModTime())
	return false, err
}

// markLocked makes the marker, durable before the first append.
func (l *Log) markLocked() error {
	if l.markSafe {
		return nil
	}
	d, name := l.store.disk, markerName(l.chat)
	// Not cut first: a marker of this boot must stay one at every moment.
	f, err := d.OpenFile(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return fault.Disk("mark log as open", err)
	}
	id := []byte(l.store.boot + "\n")
	_, err = f.WriteAt(id, 0)
	if err == nil {
		err = f.Truncate(int64(len(id)))
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = d.SyncDir(string(l.chat))
	}
	if err == nil && l.last == 0 {
		err = d.SyncDir(".") // the end of the daemon may have come before Create did it
	}
	if err != nil {
		if !l.marked {
			// Nothing was appended, so no marker must be found.
			err = errors.Join(err, d.Remove(name))
		}
		return fault.Disk("mark log as open", err)
	}
	l.marked, l.markSafe = true, true
	return nil
}

// unmarkLocked removes the marker, once all is durable.
func (l *Log) unmarkLocked() error {
	if !l.marked {
		return nil
	}
	err := l.store.disk.Remove(markerName(l.chat))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Disk("mark log as closed", err)
	}
	l.marked, l.markSafe = false, false
	return nil
}
