package workdir

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

const (
	batch    = 1000 // entries of a folder that are read at once
	maxDepth = 40
)

// never are the folders that hold nothing which people name.
var never = map[string]bool{".git": true, ".hg": true, ".svn": true, "node_modules": true}

// walk shows every file and folder, the nearest first, and returns whether it came
// to the end before ctx did and before so many entries.
func walk(ctx context.Context, root *os.Root, most int, show func(File)) bool {
	type folder struct {
		path   string
		ignore *ignored // that holds above it
	}
	whole, rules := true, ignores{root: root}
	for queue := []folder{{path: "."}}; len(queue) > 0; queue = queue[1:] {
		dir := queue[0]
		entries, all := read(ctx, root, dir.path, most)
		most -= len(entries)
		whole = whole && all
		ignore := rules.of(dir.path, dir.ignore)
		for _, e := range entries {
			if ctx.Err() != nil {
				return false
			}
			file, ok := look(root, dir.path, e)
			if !ok || ignore.has(file) {
				continue
			}
			show(file)
			if file.Dir && e.IsDir() {
				if strings.Count(file.Path, "/") >= maxDepth {
					whole = false
					continue
				}
				queue = append(queue, folder{file.Path, ignore})
			}
		}
		if most <= 0 {
			return whole && len(queue) == 1
		}
	}
	return whole
}

// read returns what is in a folder, by name, at most so much of it.
func read(ctx context.Context, root *os.Root, dir string, most int) (entries []fs.DirEntry, all bool) {
	f, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, true // it may not be read, or is gone
	}
	defer f.Close() //nolint:errcheck // only read
	for ctx.Err() == nil && len(entries) < most {
		some, err := f.ReadDir(min(batch, most-len(entries)))
		entries = append(entries, some...)
		if err != nil {
			all = errors.Is(err, io.EOF)
			break
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, all
}

// look returns the entry of a folder as people may name it.
func look(root *os.Root, dir string, e fs.DirEntry) (File, bool) {
	name := e.Name()
	if never[name] || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return File{}, false
	}
	file := File{Path: path.Join(dir, name), Dir: e.IsDir()}
	switch {
	case e.IsDir() || e.Type().IsRegular():
		return file, true
	case e.Type()&fs.ModeSymlink != 0:
		info, err := root.Stat(file.Path) // an error where it leads out
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			return File{}, false
		}
		file.Dir = info.IsDir()
		return file, true
	}
	return File{}, false
}
