package attachment_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/attachment"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/internal/id"
	"signalbox/backend/wire"
)

// newLog returns the log of a chat and the chat's folder.
func newLog(t *testing.T) (*eventlog.Log, string) {
	t.Helper()
	store, err := eventlog.Open(t.TempDir(), eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	chat := wire.ChatID(id.New("c_"))
	log, err := store.Create(chat)
	if err != nil {
		t.Fatal(err)
	}
	return log, store.Dir(chat)
}

// bodies lists what lies beside the log, unfinished or not.
func bodies(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSave(t *testing.T) {
	t.Parallel()
	cut := errors.New("the connection broke")
	tests := []struct {
		name  string
		body  io.Reader
		media string
		code  fault.Code // of a refusal
	}{
		{name: "text", body: strings.NewReader("hello"), media: "text/plain"},
		{name: "a picture", body: bytes.NewReader(picture(t)), media: "image/png"},
		{name: "a page", body: strings.NewReader("<!DOCTYPE html><script>alert(1)</script>"), media: "text/html"},
		{name: "bytes", body: bytes.NewReader([]byte{0, 1, 2, 3}), media: "application/octet-stream"},
		{name: "the largest", body: io.LimitReader(zeros{}, attachment.MaxBytes), media: "application/octet-stream"},
		{name: "one byte more", body: io.LimitReader(zeros{}, attachment.MaxBytes+1), code: fault.TooLarge},
		{name: "without end", body: zeros{}, code: fault.TooLarge},
		{name: "empty", body: strings.NewReader(""), code: fault.Invalid},
		{name: "cut at once", body: iotest.ErrReader(cut), code: fault.Invalid},
		{name: "cut later", body: io.MultiReader(io.LimitReader(zeros{}, 1<<20), iotest.ErrReader(cut)), code: fault.Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			log, dir := newLog(t)
			got, err := attachment.Save(log, "a/b/name.txt", tt.body)
			if tt.code != "" {
				if fault.CodeOf(err) != tt.code {
					t.Errorf("error %v, want %s", err, tt.code)
				}
				if left := bodies(t, dir); len(left) > 0 {
					t.Errorf("it left %q", left)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Media != tt.media || got.Name != "name.txt" || got.Bytes == 0 {
				t.Errorf("saved %+v, want %s", got, tt.media)
			}
			if diff := cmp.Diff([]string{got.SHA256}, bodies(t, dir)); diff != "" {
				t.Errorf("beside the log (-want +got):\n%s", diff)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                               "file",
		"a.txt":                          "a.txt",
		"../../etc/passwd":               "passwd",
		`C:\Users\ann\a.txt`:             "a.txt",
		"..":                             "file",
		"/":                              "file",
		".bashrc":                        "bashrc",
		"a\x00b\nc.txt":                  "ab c.txt",
		"\u202egpj.exe":                  "gpj.exe",
		"\xff\xfe.txt":                   "txt",
		"Grüße 世界 🚀.md":                  "Grüße 世界 🚀.md",
		`a<b>:"|?*.txt`:                  "ab.txt",
		strings.Repeat("x", 300) + ".go": strings.Repeat("x", 117) + ".go",
		strings.Repeat("世", 100):         strings.Repeat("世", 40),
	} {
		if got := attachment.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// What a prompt says of a file is what its bytes say.
func TestCheck(t *testing.T) {
	t.Parallel()
	log, _ := newLog(t)
	saved, err := attachment.Save(log, "a.txt", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := attachment.Check(log, []wire.Attachment{{Name: "../b.txt", Media: "image/png", SHA256: saved.SHA256, Bytes: 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := []wire.Attachment{{Name: "b.txt", Media: "text/plain", SHA256: saved.SHA256, Bytes: 5}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checked (-want +got):\n%s", diff)
	}
	for name, list := range map[string][]wire.Attachment{
		"an unknown hash": {{Name: "a.txt", SHA256: strings.Repeat("0", 64)}},
		"no hash":         {{Name: "a.txt", SHA256: "../../meta.json"}},
		"one file twice":  {saved, saved},
		"too many":        make([]wire.Attachment, attachment.MaxFiles+1),
	} {
		if _, err := attachment.Check(log, list); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v, want a fault invalid", name, err)
		}
	}
}

// Agents get copies: what they write to one changes no body, and the next prompt
// gets the file as it was sent.
func TestLay(t *testing.T) {
	t.Parallel()
	log, dir := newLog(t)
	text, err := attachment.Save(log, "a.txt", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	shot, err := attachment.Save(log, "shot.png", bytes.NewReader(picture(t)))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		files, err := attachment.Lay(log, filepath.Join(dir, "files"), []wire.Attachment{text, shot})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(files[0].Path); err != nil || string(b) != "hello" || filepath.Base(files[0].Path) != "a.txt" {
			t.Errorf("%s holds %q, %v", files[0].Path, b, err)
		}
		if diff := cmp.Diff([]agent.Image{{Path: files[1].Path, Media: "image/png"}}, attachment.Images(files)); diff != "" {
			t.Errorf("pictures (-want +got):\n%s", diff)
		}
		words := attachment.Words(files, true)
		if !strings.Contains(words, files[0].Path+" (text/plain, 5 bytes)") || !strings.Contains(words, files[1].Path+" (image/png") {
			t.Errorf("words %q", words)
		}
		if err := os.WriteFile(files[0].Path, []byte("changed"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text.SHA256 = strings.Repeat("0", 64)
	if _, err := attachment.Lay(log, filepath.Join(dir, "files"), []wire.Attachment{text}); fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("a file that is gone: %v, want a fault that names it", err)
	}
	if files, err := attachment.Lay(log, filepath.Join(dir, "none"), nil); err != nil || attachment.Words(files, true) != "" {
		t.Errorf("no files: %v, %v", files, err)
	}
}
