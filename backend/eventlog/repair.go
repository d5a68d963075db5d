package eventlog

import (
	"encoding/json"
	"io"
	"os"

	"signalbox/backend/wire"
)

// repair is what is wrong with a file. In every case the log then gets a new
// epoch: events that clients have seen may be gone.
type repair struct {
	headTo int64 // up to here the file's beginning is a broken line
	tornTo int64 // from the log's size up to here it ends in what can't be read
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
		return diskFault("keep damaged part of log", err)
	}
	defer bad.Close() //nolint:errcheck // synced below
	st, err := bad.Stat()
	if err != nil {
		return diskFault("keep damaged part of log", err)
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
	return diskFault("keep damaged part of log", err)
}
