package workdir_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/fault"
	"signalbox/backend/workdir"
)

// tree makes files in a new folder; a name that ends in a slash is a folder, and
// what follows " = " is what a file holds.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		name, text, _ := strings.Cut(name, " = ")
		at := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(at), 0o700))
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(at, 0o700))
			continue
		}
		must(t, os.WriteFile(at, []byte(text), 0o600))
	}
	return dir
}

func find(t *testing.T, dir, query string, most int) (paths []string, more bool) {
	t.Helper()
	found, err := workdir.New(workdir.Options{Time: time.Minute}).Find(t.Context(), dir, query, most)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Files {
		if f.Dir {
			f.Path += "/"
		}
		paths = append(paths, f.Path)
	}
	return paths, found.More
}

func TestFind_theBestFirst(t *testing.T) {
	t.Parallel()
	dir := tree(t, "main.go", "go.mod", "src/main.go", "src/domain/list.ts", "src/remain.ts", "docs/Main Page.md", "docs/mail/in.md", "empty/")
	tests := []struct {
		query string
		most  int
		want  []string
		more  bool
	}{
		{"", 4, []string{"docs/", "empty/", "go.mod", "main.go"}, true},
		{"main.go", 9, []string{"main.go", "src/main.go"}, false},
		{"MAIN", 9, []string{"main.go", "docs/Main Page.md", "src/main.go", "src/domain/", "src/remain.ts", "src/domain/list.ts", "docs/mail/in.md"}, false},
		{"src/d", 9, []string{"src/domain/", "src/domain/list.ts"}, false},
		{"./src/d", 1, []string{"src/domain/"}, true},
		{"sdl", 9, []string{"src/domain/list.ts"}, false},
		{"../", 9, nil, false},
		{"zzz", 9, nil, false},
	}
	for _, tt := range tests {
		got, more := find(t, dir, tt.query, tt.most)
		if diff := cmp.Diff(tt.want, got); diff != "" || more != tt.more {
			t.Errorf("%q, more %v (-want +got):\n%s", tt.query, more, diff)
		}
	}
}

func TestFind_leavesOutWhatGitIgnores(t *testing.T) {
	t.Parallel()
	dir := tree(t,
		".gitignore = # built\n/dist\n*.log\n!keep.log\nbuild/\nsrc/**/gen\n{a}\nspace\\ \n[bad\n!\n",
		".git/config", "node_modules/x/index.js", "a/node_modules/y.js",
		"dist/app.js", "src/dist/app.js", "x.log", "keep.log", "src/y.log", "build/out", "src/build/out", "src/build.go",
		"src/gen/a.go", "src/deep/gen/b.go", "gen/c.go", "{a}", "a/b", "sub/.gitignore = *.md\n!/README.md\n", "sub/notes.md", "sub/README.md", "notes.md",
	)
	got, _ := find(t, dir, "", 100)
	slices.Sort(got)
	want := []string{
		".gitignore", "a/", "a/b", "gen/", "gen/c.go", "keep.log", "notes.md", "src/", "src/build.go", "src/deep/",
		"src/dist/", "src/dist/app.js", "sub/", "sub/.gitignore", "sub/README.md",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A brace is a character, escaped or not: as a choice between patterns it could be
// matched for hours.
func TestFind_bracesChooseNothing(t *testing.T) {
	t.Parallel()
	dir := tree(t,
		".gitignore = "+strings.Repeat(`\{*,*\}`, 36)+"z\n\\{b,c\\}\n"+`\\{d,e\\}`+"\n",
		strings.Repeat(`\`, 60), "{b,c}", `\d`, "b",
	)
	got, more := find(t, dir, "", 100)
	slices.Sort(got)
	want := []string{".gitignore", strings.Repeat(`\`, 60), `\d`, "b"}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || more {
		t.Errorf("more %v (-want +got):\n%s", more, diff)
	}
}

// Nothing leads out of the directory, and nothing in it holds a search up.
func TestFind_staysInside(t *testing.T) {
	t.Parallel()
	outside := tree(t, "secret.txt", "deep/secret.txt", ".gitignore = *")
	dir := tree(t, "in/a.txt", "bad\x07name", "\xff", "pipes/")
	for name, to := range map[string]string{
		"out": outside, "out.txt": filepath.Join(outside, "secret.txt"), "up": "../..", "linked.txt": "in/a.txt",
		"linked": "in", "loop": "loop", "around": ".", ".gitignore": filepath.Join(outside, ".gitignore"),
	} {
		must(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipes", ".gitignore"), 0o600))
	got, more := find(t, dir, "", 100)
	slices.Sort(got)
	want := []string{"around/", "in/", "in/a.txt", "linked.txt", "linked/", "pipes/"}
	if diff := cmp.Diff(want, got); diff != "" || more {
		t.Errorf("more %v (-want +got):\n%s", more, diff)
	}
}

// However many rules a tree has, a search takes no more memory than some: those of a
// folder are not copied into each below it, and of very many the last ones do not count.
// It weighs what is allocated, so it runs alone.
func TestFind_boundsRules(t *testing.T) {
	many := strings.Repeat("nothing\n", 900)
	long := strings.Repeat(strings.Repeat("n", 250)+"\n", 300)
	for _, tt := range []struct {
		name    string
		top     string // the .gitignore of the whole
		each    string // that of each folder
		folders int
		shown   bool // what the last folder ignores
	}{
		{"many folders under many rules", many, "secret\n", 1000, false},
		{"many rules", "", "secret\n" + many, 70, true},
		{"many bytes", "", "secret\n" + long, 70, true},
	} {
		names := []string{".gitignore = " + tt.top}
		for i := range tt.folders {
			names = append(names, fmt.Sprintf("d%03d/.gitignore = %s", i, tt.each), fmt.Sprintf("d%03d/secret", i))
		}
		dir := tree(t, names...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, more := find(t, dir, "secret", tt.folders)
		runtime.ReadMemStats(&after)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 32 {
			t.Errorf("%s: %d MB", tt.name, mb)
		}
		last := fmt.Sprintf("d%03d/secret", tt.folders-1)
		if slices.Contains(got, "d000/secret") || slices.Contains(got, last) != tt.shown || more {
			t.Errorf("%s: %d files, more %v", tt.name, len(got), more)
		}
	}
}

func TestFind_hasAnEnd(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 300 {
		names = append(names, fmt.Sprintf("d%d/f%d", i%10, i))
	}
	deep := strings.Repeat("x/", 60)
	dir := tree(t, append(names, deep+"end")...)
	found, err := workdir.New(workdir.Options{Entries: 50}).Find(t.Context(), dir, "f", 1000)
	if err != nil || !found.More || len(found.Files) > 50 {
		t.Errorf("%d files, more %v, %v", len(found.Files), found.More, err)
	}
	if got, more := find(t, dir, "end", 10); len(got) > 0 || !more {
		t.Errorf("as deep as that there is %v, more %v", got, more)
	}
	late, err := workdir.New(workdir.Options{Time: 1}).Find(t.Context(), dir, "", 10)
	if err != nil || !late.More {
		t.Errorf("without time: %+v, %v", late, err)
	}
}

func TestFind_faults(t *testing.T) {
	t.Parallel()
	f := workdir.New(workdir.Options{})
	if _, err := f.Find(t.Context(), filepath.Join(t.TempDir(), "gone"), "", 1); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a folder that is gone: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Find(ctx, t.TempDir(), "", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that is gone: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
