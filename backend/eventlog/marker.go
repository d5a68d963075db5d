package eventlog

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// The marker is a file that stands in a chat's folder while its log may hold
// events that clients saw and a loss of power would take. It names the boot, so
// that the end of the daemon alone is told from that of the machine.

// loadMarker looks whether the log was left open; stale tells that the machine
// was started since.
func (l *Log) loadMarker() (stale bool, err error) {
	b, err := readName(l.store.disk, markerName(l.chat), 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	l.marked = true
	return strings.TrimSpace(string(b)) != l.store.boot, nil
}

// markLocked makes the marker, durable before the first append.
func (l *Log) markLocked() error {
	if l.marked {
		return nil
	}
	d, name := l.store.disk, markerName(l.chat)
	f, err := d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return diskFault("mark log as open", err)
	}
	_, err = f.WriteAt([]byte(l.store.boot+"\n"), 0)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = d.SyncDir(string(l.chat))
	}
	if err != nil {
		// Without a marker nothing was appended, so none must be found.
		return diskFault("mark log as open", errors.Join(err, d.Remove(name)))
	}
	l.marked = true
	return nil
}

// unmarkLocked removes the marker, once all is durable.
func (l *Log) unmarkLocked() error {
	if !l.marked {
		return nil
	}
	err := l.store.disk.Remove(markerName(l.chat))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diskFault("mark log as closed", err)
	}
	l.marked = false
	return nil
}
