package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Stat returns the size of a chat's log and when it was last written to, without
// opening it (fault not_found).
func (s *Store) Stat(chat wire.ChatID) (bytes int64, at time.Time, err error) {
	if err := checkChat(chat); err != nil {
		return 0, time.Time{}, err
	}
	st, err := s.disk.Stat(logName(chat))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, time.Time{}, fault.New(fault.NotFound, "There is no such chat.").Because(err)
	}
	if err != nil {
		return 0, time.Time{}, fault.Disk("look at log", err)
	}
	return st.Size(), st.ModTime(), nil
}

// DiskUse is what the files of a chat's log take, in bytes.
type DiskUse struct {
	Log   int64 // the events
	Blobs int64 // the bodies
	// Shared is the part of Blobs that other chats have too: removing this one
	// does not free it.
	Shared  int64
	Rewound int64 // what rewinds and clears took out and is still kept
	Bad     int64 // what repairs took out
}

// DiskUse returns what a chat's log takes on the disk (fault not_found).
func (s *Store) DiskUse(chat wire.ChatID) (DiskUse, error) {
	var u DiskUse
	var err error
	if u.Log, _, err = s.Stat(chat); err != nil {
		return u, err
	}
	if st, err := s.disk.Stat(badName(chat)); err == nil {
		u.Bad = st.Size()
	}
	err = s.sizes(blobsName(chat), func(st fs.FileInfo) {
		u.Blobs += st.Size()
		if sys, ok := st.Sys().(*syscall.Stat_t); ok && sys.Nlink > 1 {
			u.Shared += st.Size()
		}
	})
	if err != nil {
		return u, err
	}
	return u, s.sizes(rewoundName(chat), func(st fs.FileInfo) {
		if strings.HasSuffix(st.Name(), ".jsonl") {
			u.Rewound += st.Size()
		}
	})
}

// sizes visits the plain files of a folder, which may not be there.
func (s *Store) sizes(dir string, visit func(fs.FileInfo)) error {
	entries, err := s.disk.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Disk("look at the chat's files", err)
	}
	for _, e := range entries {
		// A file may go while it is looked at.
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() {
			visit(st)
		}
	}
	return nil
}

// DiskSpace returns how many bytes the disk of the data folder has left for its
// user, and in all; 0 where that cannot be told.
func (s *Store) DiskSpace() (free, size int64) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(s.dir, &st); err != nil {
		return 0, 0
	}
	block := int64(st.Bsize) //nolint:unconvert // of another type on macOS
	users, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		users = nil // a system where nobody is another
	}
	return freeBlocks(&st, os.Geteuid(), string(users)) * block, int64(st.Blocks) * block
}

// freeBlocks returns how many blocks a user can write. What a disk keeps back for root
// is room for root alone, and not for the root of a container who is another outside of
// it, as users tells (user_namespaces(7)).
func freeBlocks(st *syscall.Statfs_t, user int, users string) int64 {
	inside, outside := 0, 0
	if _, err := fmt.Sscan(users, &inside, &outside); user == 0 && (err != nil || inside == 0 && outside == 0) {
		return int64(st.Bfree)
	}
	return int64(st.Bavail)
}
