// Package workdir finds files of a chat's working directory by parts of their
// names.
//
// It owns nothing and keeps nothing between calls. What lies in the directory may
// be anything, so that nothing leads out of it: links are named only where they
// stay inside, and never followed into. Names alone are read, but for .gitignore.
// A search has an end in entries and in time; what it found until then counts, and
// it says so. A Finder may be used by many goroutines; a few search at once, the
// others wait for their turn.
package workdir

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"signalbox/backend/fault"
)

// File is a file or a folder of a working directory.
type File struct {
	Path string `json:"path"` // from the working directory on, with slashes
	Dir  bool   `json:"dir,omitempty"`
}

// Found is what fits a search, the best first.
type Found struct {
	Files []File `json:"files"`
	// More says that there may be more than these.
	More bool `json:"more,omitempty"`
}

// Options bound a [Finder]; the zero value has the defaults.
type Options struct {
	Entries int           // that are looked at; default 50,000
	Time    time.Duration // that a search takes; default 1 s
}

// Finder searches. Use [New].
type Finder struct {
	opts Options
	gate chan struct{} // holds one for each search that goes on
}

// searches are those that go on at once.
const searches = 4

// New returns a finder.
func New(opts Options) *Finder {
	if opts.Entries == 0 {
		opts.Entries = 50_000
	}
	if opts.Time == 0 {
		opts.Time = time.Second
	}
	return &Finder{opts: opts, gate: make(chan struct{}, searches)}
}

// Find returns the files of the directory, at most so many, in whose paths the
// query is found, or at least its characters one after the other. An empty one
// finds those that lie nearest. A directory that is not there is a fault
// not_found.
func (f *Finder) Find(ctx context.Context, dir, query string, most int) (Found, error) {
	select {
	case f.gate <- struct{}{}:
		defer func() { <-f.gate }()
	case <-ctx.Done():
		return Found{}, context.Cause(ctx)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return Found{}, fault.New(fault.NotFound, "The chat's working directory is missing.").
			WithHint("Make the folder again, or start a new chat.").Because(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Found{}, fmt.Errorf("open working directory: %w", err)
	}
	defer root.Close() //nolint:errcheck // only read
	bounded, cancel := context.WithTimeout(ctx, f.opts.Time)
	defer cancel()

	query = strings.ToLower(strings.TrimPrefix(query, "./"))
	var hits []hit
	whole := walk(bounded, root, f.opts.Entries, func(file File) {
		if rank, ok := rankOf(strings.ToLower(file.Path), query); ok {
			hits = append(hits, hit{file, rank})
		}
	})
	if ctx.Err() != nil {
		return Found{}, context.Cause(ctx)
	}
	slices.SortFunc(hits, compare)
	found := Found{Files: []File{}, More: !whole || len(hits) > most}
	for _, h := range hits[:min(most, len(hits))] {
		found.Files = append(found.Files, h.File)
	}
	return found, nil
}

type hit struct {
	File
	rank int
}

// compare puts the better hit first, then the one that lies nearer.
func compare(a, b hit) int {
	return cmp.Or(
		cmp.Compare(a.rank, b.rank),
		cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")),
		strings.Compare(a.Path, b.Path),
	)
}

// rankOf says how well a path fits a query, both in lower case: less is better.
func rankOf(file, query string) (int, bool) {
	name := path.Base(file)
	switch {
	case query == "":
		return 0, true
	case name == query || file == query:
		return 0, true
	case strings.HasPrefix(name, query) || strings.HasPrefix(file, query):
		return 1, true
	case strings.Contains(name, query):
		return 2, true
	case strings.Contains(file, query):
		return 3, true
	case holds(file, query):
		return 4, true
	}
	return 0, false
}

// holds reports whether the characters of query come one after the other in s.
func holds(s, query string) bool {
	for _, r := range query {
		i := strings.IndexRune(s, r)
		if i < 0 {
			return false
		}
		s = s[i+1:]
	}
	return true
}
