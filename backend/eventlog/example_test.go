package eventlog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

const exampleChat = wire.ChatID("c_01M8PCT4V00123456789ABCDEF")

// The example of docs/formats.md is read as the text says, by the boot that left
// it open.
func TestFormats_example(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "chats"), os.DirFS(filepath.Join("testdata", "example"))); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, dir, eventlog.Options{BootID: "f3c1a0de-6f0b-4c1e-9d0f-2f6f5d6f7a10"})
	l, err := s.Log(exampleChat)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.End(); got != *at(3, 11) {
		t.Errorf("End = %v, want 3:11", got)
	}
	evs := all(t, l)
	if diff := cmp.Diff([]uint64{1, 2, 3, 4, 5, 9, 10, 11}, seqs(evs)); diff != "" {
		t.Errorf("seqs (-want +got)\n%s", diff)
	}
	for raw, err := range l.Events(3) {
		if err != nil {
			t.Fatal(err)
		}
		env, ev, err := wire.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		ref := env.Refs["/output"]
		whole := readBlob(t, l, ref.SHA256)
		if int64(len(whole)) != ref.Bytes || !strings.HasPrefix(whole, ev.(wire.ToolUseEnd).Output) || hashOf(whole) != ref.SHA256 {
			t.Errorf("body of %d bytes does not fit %v", len(whole), ref)
		}
		break
	}
	f, sessions, err := s.ForkRewound(exampleChat, newChat(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(span(1, 8), seqs(all(t, f))); diff != "" || sessions["claude"] != "5d0ab7d6" {
		t.Errorf("what the rewind took out, sessions %v (-want +got)\n%s", sessions, diff)
	}
}

// The lines that docs/formats.md shows are those of the example.
func TestFormats_document(t *testing.T) {
	t.Parallel()
	doc := readFile(t, "..", "..", "docs", "formats.md")
	folder := filepath.Join("testdata", "example", string(exampleChat))
	example := readFile(t, folder, "events.jsonl") + readFile(t, folder, "events.bad") + readFile(t, folder, "rewound", "2.jsonl")
	shown := 0
	for line := range strings.Lines(doc) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "{") && !strings.HasPrefix(line, `"`) || strings.Contains(line, "…") {
			continue
		}
		shown++
		if !strings.Contains(example, line) {
			t.Errorf("docs/formats.md shows a line that the example does not have:\n%s", line)
		}
	}
	if shown < 6 {
		t.Errorf("docs/formats.md shows %d lines of the example", shown)
	}
}
