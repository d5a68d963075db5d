package eventlog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// repair is what is wrong with a file. In every case the log then gets a new
// epoch: events that clients have seen may be gone.
type repair struct {
	headTo int64 // up to here the file's beginning is a broken line
	tornTo int64 // from the log's size up to here it ends in what can't be read
	// openSince, if set, is when a log was opened that the end of the machine
	// found open.
	openSince time.Time
}

// repairLocked puts the file right, with an epoch event that says so. What is
// taken out is kept in events.bad.
func (l *Log) repairLocked() error {
	fix := l.repair
	if fix == nil {
		return nil
	}
	if err := l.keepBadLocked("header", 0, fix.headTo); err != nil {
		return err
	}
	if err := l.keepBadLocked("tail", l.size, fix.tornTo); err != nil {
		return err
	}
	fix.headTo, fix.tornTo = 0, l.size // kept: not again if the rest fails
	if err := l.dropTornBlobs(fix.openSince); err != nil {
		return err
	}
	s, err := l.snap()
	if err != nil {
		return err
	}
	if err := l.replaceLocked(change{
		pieces: []piece{{s.file, s.start, s.size}},
		keep:   s.last,
		cause:  wire.CauseRepair,
	}); err != nil {
		return err
	}
	l.repair = nil
	l.store.log.Warn("log repaired", "chat", l.chat, "seq", s.last)
	return l.unmarkLocked()
}

// dropTornBlobs removes the bodies of which the end of the machine left only a
// part: those that do not have the hash that they are named by. It looks at what
// was written since the log was opened.
func (l *Log) dropTornBlobs(since time.Time) error {
	if since.IsZero() {
		return nil
	}
	blobs, err := l.blobsSince(since)
	if err != nil {
		return fault.Disk("look for torn bodies", err)
	}
	for _, sum := range blobs {
		name := blobsName(l.chat) + "/" + sum
		got, err := l.hashBlob(name)
		if err == nil && got != sum {
			err = l.store.disk.Remove(name)
		}
		if err != nil {
			return fault.Disk("look for torn bodies", err)
		}
	}
	return nil
}

// blobsSince returns the bodies that were written since a marker was made.
func (l *Log) blobsSince(marker time.Time) ([]string, error) {
	const slack = 10 * time.Minute // a body is older than the marker of its append
	entries, err := l.store.disk.ReadDir(blobsName(l.chat))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var sums []string
	for _, e := range entries {
		if st, err := e.Info(); err == nil && isHash(e.Name()) && !st.ModTime().Before(marker.Add(-slack)) {
			sums = append(sums, e.Name())
		}
	}
	return sums, nil
}

func (l *Log) hashBlob(name string) (string, error) {
	f, err := l.store.disk.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, math.MaxInt64)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// keepBadLocked adds a piece of the log's file to events.bad, after a line that
// tells what it is, and makes it durable.
func (l *Log) keepBadLocked(what string, from, to int64) error {
	if from >= to {
		return nil
	}
	s, err := l.snap()
	if err != nil {
		return err
	}
	d := l.store.disk
	bad, err := d.OpenFile(badName(l.chat), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return fault.Disk("keep damaged part of log", err)
	}
	defer bad.Close() //nolint:errcheck // synced below
	st, err := bad.Stat()
	if err != nil {
		return fault.Disk("keep damaged part of log", err)
	}
	note, err := json.Marshal(struct {
		Bad   string    `json:"bad"`
		At    wire.Time `json:"at"`
		Bytes int64     `json:"bytes"`
	}{what, now(), to - from})
	if err != nil {
		return err
	}
	w := io.NewOffsetWriter(bad, st.Size())
	_, err = w.Write(append(note, '\n'))
	if err == nil {
		_, err = io.Copy(w, io.NewSectionReader(s.file, from, to-from))
	}
	if err == nil {
		_, err = w.Write([]byte{'\n'})
	}
	if err == nil {
		err = bad.Sync()
	}
	if err == nil {
		err = d.SyncDir(string(l.chat))
	}
	return fault.Disk("keep damaged part of log", err)
}
