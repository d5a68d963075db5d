package eventlog_test

import (
	"slices"
	"syscall"
	"testing"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// Whoever follows all chats learns which changed, each once, however often.
func TestStore_tellsWhichChatsChanged(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), eventlog.Options{})
	id, b := newChat(), newChat()
	a, err := s.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.TakeChanged(); len(got) > 0 {
		t.Fatalf("changed before anything did: %v", got)
	}
	for range 3 {
		add(t, a, prompt(t, "hello"))
	}
	if _, err := s.Fork(id, b, 0); err != nil {
		t.Fatal(err)
	}
	<-s.Changed()
	if got := s.TakeChanged(); !slices.Contains(got, b) || len(got) != 2 {
		t.Errorf("changed = %v, want both chats", got)
	}
	if got := s.TakeChanged(); len(got) > 0 {
		t.Errorf("told twice: %v", got)
	}
	add(t, a, prompt(t, "again"))
	<-s.Changed()
	if got := s.TakeChanged(); len(got) != 1 {
		t.Errorf("changed = %v, want the one that was appended to", got)
	}
}

func TestStore_DiskUse(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), eventlog.Options{})
	id := newChat()
	l, err := s.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	blob := func(l *eventlog.Log, text string) wire.BlobRef {
		w, err := l.NewBlob()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		ref, err := w.Commit()
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	ref := blob(l, "0123456789")
	add(t, l, prompt(t, "one"), draft(t, wire.System{Level: wire.LevelInfo, Code: "x", Ref: &ref}), prompt(t, "two"))
	use, err := s.DiskUse(id)
	if err != nil || use.Log == 0 || use.Blobs != 10 || use.Shared != 0 || use.Rewound != 0 {
		t.Errorf("use = %+v, %v", use, err)
	}
	fork := newChat()
	if _, err := s.Fork(id, fork, 0); err != nil {
		t.Fatal(err)
	}
	if use, err = s.DiskUse(fork); err != nil || use.Blobs != 10 || use.Shared != 10 {
		t.Errorf("use of the fork = %+v, %v; want its body shared", use, err)
	}
	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	if use, err = s.DiskUse(id); err != nil || use.Rewound == 0 {
		t.Errorf("use after a rewind = %+v, %v", use, err)
	}
	if err := l.DropRewound(); err != nil {
		t.Fatal(err)
	}
	if use, err = s.DiskUse(id); err != nil || use.Rewound != 0 || use.Log == 0 {
		t.Errorf("use after the tail was dropped = %+v, %v", use, err)
	}
	if err := l.Rewind(1, nil); err != nil {
		t.Errorf("the log cannot be rewound any more: %v", err)
	}
	if free, size := s.DiskSpace(); free <= 0 || size < free {
		t.Errorf("disk has %d of %d bytes free", free, size)
	}
	if _, err := s.DiskUse(newChat()); err == nil {
		t.Error("a chat that does not exist has a size")
	}
}

// A disk that is full for others has room for root.
func TestDiskSpace_isTheUsers(t *testing.T) {
	t.Parallel()
	st := syscall.Statfs_t{Bfree: 7, Bavail: 2}
	for _, tt := range []struct {
		name  string
		user  int
		users string
		want  int64
	}{
		{"root", 0, "         0          0 4294967295\n", 7},
		{"root, where nobody is another", 0, "", 7},
		{"another", 1000, "         0          0 4294967295\n", 2},
		{"root of a container that another runs", 0, "         0       1000          1\n         1     100000      65536\n", 2},
		{"root who is nobody", 0, "      1000       1000          1\n", 2},
	} {
		if got := eventlog.FreeBlocks(&st, tt.user, tt.users); got != tt.want {
			t.Errorf("%s: %d free blocks, want %d", tt.name, got, tt.want)
		}
	}
}
