package eventlog

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Fork copies the events up to and with upto (0: all) to a new chat, with links
// to the bodies that they refer to. The lines stay as they are. The new log
// begins at epoch 1, or at that of the last epoch event it was given.
func (s *Store) Fork(from, to wire.ChatID, upto uint64) (*Log, error) {
	src, err := s.Log(from)
	if err != nil {
		return nil, err
	}
	v, err := src.own()
	if err != nil {
		return nil, err
	}
	defer v.file.Close() //nolint:errcheck // only read
	if upto > v.last {
		return nil, fault.New(fault.Invalid, "The chat has no event %d.", upto)
	}
	end := place{off: v.size, prev: v.last}
	if upto > 0 {
		if end, err = src.find(v, upto); err != nil {
			return nil, fault.Disk("fork chat", err)
		}
	}
	return s.fork(src, to, []piece{{v.file, v.start, end.off}}, end.prev)
}

// ForkRewound makes a new chat from a log as it was before the cut that began
// the given epoch (see [Log.Rewound]; 0 is the newest), and returns the sessions
// that were kept with the tail.
func (s *Store) ForkRewound(from, to wire.ChatID, epoch uint64) (*Log, map[wire.AgentID]string, error) {
	src, err := s.Log(from)
	if err != nil {
		return nil, nil, err
	}
	v, err := src.own()
	if err != nil {
		return nil, nil, err
	}
	defer v.file.Close() //nolint:errcheck // only read
	u, err := src.undo(v, epoch)
	if err != nil {
		return nil, nil, fault.Disk("fork chat", err)
	}
	defer u.close()
	l, err := s.fork(src, to, u.pieces, u.last)
	return l, u.tail.Sessions, err
}

// fork makes the chat to from pieces of src whose last event is last.
func (s *Store) fork(src *Log, to wire.ChatID, pieces []piece, last uint64) (_ *Log, err error) {
	s.create.Lock()
	defer s.create.Unlock()
	if err := s.makeFolder(to); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.removeFolder(to)
		}
	}()
	h := header{Chat: to, Epoch: 1, Created: now(), High: last}
	refs, err := collect(pieces, &h)
	if err != nil {
		return nil, fault.Disk("fork chat", err)
	}
	if err := src.flushBlobs(src.takeBlobs()); err != nil {
		return nil, fault.Disk("fork chat", err)
	}
	if err := s.linkBlobs(src.chat, to, refs); err != nil {
		return nil, fault.Disk("fork chat", err)
	}
	if err := s.writeNew(to, h, pieces); err != nil {
		return nil, fault.Disk("fork chat", err)
	}
	l, err := s.Log(to)
	if err == nil {
		s.changes.note(l)
	}
	return l, err
}

// collect returns the hashes that the lines of the pieces name, and raises the
// header's epoch to the last that they begin.
func collect(pieces []piece, h *header) (map[string]bool, error) {
	refs := map[string]bool{}
	for _, p := range pieces {
		for r, err := range rawForward(p.file, p.from, p.to) {
			if err != nil {
				return nil, err
			}
			addRefs(refs, r.raw)
			if hd, ok := peek(r.raw); !ok || !hd.isEpoch() {
				continue
			}
			if _, ok := readLine(r.raw); ok {
				epoch, _ := lineEpoch(r.raw)
				h.Epoch = max(1, epoch)
			}
		}
	}
	return refs, nil
}

// addRefs adds what looks like the hash of a body in a line.
func addRefs(refs map[string]bool, raw []byte) {
	key := []byte(`"sha256":"`)
	for {
		i := bytes.Index(raw, key)
		if i < 0 {
			return
		}
		raw = raw[i+len(key):]
		if len(raw) > 64 && isHash(string(raw[:64])) {
			refs[string(raw[:64])] = true
		}
	}
}

// linkBlobs gives the bodies to another chat, and makes that durable.
func (s *Store) linkBlobs(from, to wire.ChatID, refs map[string]bool) error {
	if len(refs) == 0 {
		return nil
	}
	if err := s.disk.Mkdir(blobsName(to)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for sum := range refs {
		old, name := blobsName(from)+"/"+sum, blobsName(to)+"/"+sum
		err := s.disk.Link(old, name)
		if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
			continue
		}
		// Not every file system has links.
		if err := s.copyBlob(old, name); err != nil {
			return err
		}
	}
	return s.disk.SyncDir(blobsName(to))
}

func (s *Store) copyBlob(from, to string) error {
	old, err := s.disk.OpenFile(from, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer old.Close() //nolint:errcheck // only read
	st, err := old.Stat()
	if err != nil {
		return err
	}
	f, err := s.disk.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.NewOffsetWriter(f, 0), io.NewSectionReader(old, 0, st.Size()))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// removeFolder removes the folder of a chat that could not be made.
func (s *Store) removeFolder(chat wire.ChatID) {
	if _, err := s.disk.Stat(logName(chat)); err == nil {
		return // made, but perhaps not durable: it stays
	}
	entries, _ := s.disk.ReadDir(blobsName(chat)) // none if it was not made
	for _, e := range entries {
		_ = s.disk.Remove(blobsName(chat) + "/" + e.Name()) // told below
	}
	_ = s.disk.Remove(blobsName(chat)) // may not be there
	if err := s.disk.Remove(string(chat)); err != nil {
		s.log.Warn("folder of a failed fork not removed", "chat", chat, "err", err)
	}
}
