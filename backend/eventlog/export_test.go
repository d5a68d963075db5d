package eventlog

import (
	"errors"
	"path/filepath"

	"github.com/gofrs/flock"

	"signalbox/backend/wire"
)

type (
	Disk = disk
	File = file
)

const (
	RestAfter  = restAfter
	PageBytes  = pageBytes
	BatchBytes = batchBytes
	MaxMissing = maxMissing
)

// FreeBlocks is what a user has room for.
var FreeBlocks = freeBlocks

// RealDisk is the disk that Open uses.
func RealDisk(dir string) (Disk, error) { return openRootDisk(filepath.Join(dir, "chats")) }

// OpenOn opens a store on a disk of the test's own. The folder must be there.
func OpenOn(dir string, d Disk, opts Options) (*Store, error) {
	lock := flock.New(filepath.Join(dir, "lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(errors.New("lock taken"), err)
	}
	return newStore(filepath.Join(dir, "chats"), d, lock, opts), nil
}

// Kill ends the store as the end of its process does: nothing is synced, no
// marker is removed.
func (s *Store) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, sl := range s.logs {
		if l := sl.log; l != nil {
			l.mu.Lock()
			l.closed = true
			l.pub.Lock()
			if l.file != nil {
				_ = l.file.Close()
			}
			l.file, l.gone = nil, true
			l.wakeLocked()
			l.pub.Unlock()
			l.mu.Unlock()
		}
	}
	_ = s.disk.Close()
	_ = s.lock.Unlock()
	s.lock = nil
}

// OpenFiles counts the logs that have their file open.
func (s *Store) OpenFiles() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, sl := range s.logs {
		if sl.log != nil && sl.log.isOpen() {
			n++
		}
	}
	return n
}

// TailBytes is how much of the log's end is held in memory.
func (l *Log) TailBytes() int {
	l.pub.Lock()
	defer l.pub.Unlock()
	n := 0
	for _, c := range l.tail {
		n += cap(c.b)
	}
	return n
}

// Size is where the last event ends in the file.
func (l *Log) Size() int64 {
	l.pub.Lock()
	defer l.pub.Unlock()
	return l.size
}

// Waiting counts the followers that Append would wake.
func (l *Log) Waiting() int {
	l.pub.Lock()
	defer l.pub.Unlock()
	return len(l.waiting)
}

// ReadHeader returns the epoch and the high seq of a log's first line.
func ReadHeader(line []byte) (chat wire.ChatID, epoch, high uint64, ok bool) {
	h, ok, err := parseHeader(line)
	return h.Chat, h.Epoch, h.High, ok && err == nil
}

var HasReserved = hasReserved
