package demo_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestMain_withoutLeaveNothingIsWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kept.txt"), []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := play(t, dir, strings.Join(everyWord, " "), second, no)
	if diff := cmp.Diff(map[string]string{"kept.txt": "kept"}, tree(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, end := range got.of("tool_end") {
		if end.OK || !strings.Contains(end.Output, no.Reason) {
			t.Errorf("%s ended with ok %t, %q", end.Name, end.OK, end.Output)
		}
	}
	if !strings.Contains(got.text(), no.Reason) {
		t.Error("the answer does not say why nothing was done")
	}
}

func TestMain_editIsRealAndSaysWhatItChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := play(t, dir, "edit", second, yes)
	if names := toolNames(first); !cmp.Equal(names, []string{"Write", "Edit"}) {
		t.Errorf("the first time it uses %v", names)
	}
	again := play(t, dir, "edit", second, yes)
	if names := toolNames(again); !cmp.Equal(names, []string{"Edit"}) {
		t.Errorf("the second time it uses %v", names)
	}
	want := map[string]string{"signalbox-demo.md": "# Notes of the demo agent\n\nThis file was written by a script.\nChanged so far: 2 times\n"}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	var detail struct {
		Patch []struct {
			OldStart, OldLines, NewStart, NewLines int
			Lines                                  []string
		} `json:"structuredPatch"`
	}
	if err := json.Unmarshal(again.of("tool_end")[0].Detail, &detail); err != nil {
		t.Fatal(err)
	}
	wantLines := []string{" # Notes of the demo agent", " ", " This file was written by a script.", "-Changed so far: 1 times", "+Changed so far: 2 times"}
	if len(detail.Patch) != 1 {
		t.Fatalf("detail: %+v", detail)
	}
	if diff := cmp.Diff(wantLines, detail.Patch[0].Lines); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
	if h := detail.Patch[0]; h.OldStart != 1 || h.OldLines != 4 || h.NewStart != 1 || h.NewLines != 4 {
		t.Errorf("hunk: %+v", h)
	}
}

func toolNames(p played) []string {
	var names []string
	for _, l := range p.of("tool_start") {
		names = append(names, l.Name)
	}
	return names
}

// T12: a link in the folder leads nowhere.
func TestMain_linksAreNotFollowed(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.txt")
	if err := os.WriteFile(secret, []byte("secret\nChanged so far: 7 times\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"signalbox-demo.md", "signalbox-demo-approved.md"} {
		if err := os.Symlink(secret, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	got := play(t, dir, "edit approve", second, yes)
	want := map[string]string{"secret.txt": "secret\nChanged so far: 7 times\n"}
	if diff := cmp.Diff(want, tree(t, outside)); diff != "" {
		t.Errorf("outside (-want +got):\n%s", diff)
	}
	for _, l := range got {
		if strings.Contains(l.Output+l.Delta+string(l.Input), "secret\n") {
			t.Errorf("the text from outside is shown: %+v", l)
		}
	}
	if files := tree(t, dir); strings.HasPrefix(files["signalbox-demo-approved.md"], "->") {
		t.Error("the link was not replaced by the file")
	}
}

func TestMain_whatIsInTheWayIsSaid(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(dir string) error
		want string
	}{
		{"a folder with the name", func(dir string) error {
			return os.MkdirAll(filepath.Join(dir, "signalbox-demo.md", "x"), 0o755)
		}, "not a file"},
		{"a file that is too large", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "signalbox-demo.md"), make([]byte, 300<<10), 0o644)
		}, "more than"},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		if err := tt.make(dir); err != nil {
			t.Fatal(err)
		}
		before := tree(t, dir)
		got := play(t, dir, "edit", second, yes)
		if got.end().Status != "ok" || !strings.Contains(got.text(), tt.want) {
			t.Errorf("%s: status %q, text %q", tt.name, got.end().Status, got.text())
		}
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Errorf("%s: files (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestMain_hostilePromptsAreOnlyWords(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := filepath.Join(base, "work")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	prompts := []string{
		"edit ../../etc/passwd; shell rm -rf ..; approve /etc/shadow",
		"\x00\x1b[31m\r\n edit \u2028 \u202e $(touch pwned) `touch pwned`",
		strings.Repeat("edit ", 200_000),
		strings.Repeat("\x01", 1<<20),
	}
	for _, text := range prompts {
		if got := play(t, dir, text, second, yes); got.end().Status != "ok" {
			t.Errorf("%.40q: status %q", text, got.end().Status)
		}
	}
	for name := range tree(t, base) {
		if name != "work/signalbox-demo.md" && name != "work/signalbox-demo-approved.md" {
			t.Errorf("%s was written", name)
		}
	}
}

// T2 and its kind: names that are not UTF-8 are still text in the log.
func TestMain_oddNamesInTheFolderAreShownAsText(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("the file system refuses names that are not UTF-8")
	}
	dir := t.TempDir()
	for _, name := range []string{"bad\xff\xfename", "世界🚀"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := play(t, dir, "shell", second, yes).of("tool_end")[0].Output
	if !utf8.ValidString(out) || !strings.Contains(out, "bad\uFFFD") || !strings.Contains(out, "世界🚀") {
		t.Errorf("output %q", out)
	}
}
