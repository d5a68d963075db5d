package workdir

import (
	"bytes"
	"io"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	maxIgnoreFile = 64 << 10 // bytes of a .gitignore that are read
	maxRules      = 1000     // that hold in a folder
	maxPattern    = 256      // bytes
	// Of a whole walk:
	maxIgnoreBytes = 4 << 20
	maxIgnoreRules = 50_000
)

// rule is a line of a .gitignore.
type rule struct {
	base    string // the folder of the file
	pattern string
	plain   bool // it has nothing but a name in it
	anyDir  bool // it is matched with names, not with paths
	dirOnly bool
	keep    bool // it takes back
}

// ignored are the rules that hold in a folder, the last one wins: those of its own
// .gitignore after those above. A nil one has none.
type ignored struct {
	above *ignored
	rules []rule
	count int // with those above
}

// ignores reads the rules of one walk. A tree may have as many as it likes: of what is
// beyond the bounds nothing is left out.
type ignores struct {
	root         *os.Root
	bytes, rules int // that were read
}

// of returns the rules of a folder of which those above hold too.
func (i *ignores) of(dir string, above *ignored) *ignored {
	own := &ignored{above: above}
	if above != nil {
		own.count = above.count
	}
	for l := range strings.Lines(i.read(dir)) {
		if own.count == maxRules || i.rules == maxIgnoreRules {
			break
		}
		if r, ok := parseRule(dir, strings.TrimRight(l, "\r\n")); ok {
			own.rules = append(own.rules, r)
			own.count++
			i.rules++
		}
	}
	if len(own.rules) == 0 {
		return above
	}
	return own
}

// read returns the text of a folder's .gitignore, in whole lines.
func (i *ignores) read(dir string) string {
	most := min(maxIgnoreFile, maxIgnoreBytes-i.bytes)
	if most <= 0 || i.rules == maxIgnoreRules {
		return ""
	}
	f, err := i.root.OpenFile(path.Join(dir, ".gitignore"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(most)))
	if err != nil {
		return ""
	}
	i.bytes += len(text)
	if len(text) == most {
		text = text[:bytes.LastIndexByte(text, '\n')+1] // the last line may go on
	}
	return string(text)
}

func parseRule(base, l string) (rule, bool) {
	if !strings.HasSuffix(l, `\ `) {
		l = strings.TrimRight(l, " \t")
	}
	if l == "" || l[0] == '#' || len(l) > maxPattern {
		return rule{}, false
	}
	r := rule{base: base}
	if l, r.keep = strings.CutPrefix(l, "!"); l == "" {
		return rule{}, false
	}
	l, r.dirOnly = strings.CutSuffix(l, "/")
	r.anyDir = !strings.Contains(l, "/")
	r.pattern = bracesPlain(strings.TrimPrefix(l, "/"))
	r.plain = r.anyDir && !strings.ContainsAny(r.pattern, `*?[\`)
	return r, r.pattern != "" && doublestar.ValidatePattern(r.pattern)
}

// bracesPlain escapes the braces of a pattern, which mean nothing in such a file.
// Those that are escaped already stay so: one that chose between patterns could
// take as long to match as it likes.
func bracesPlain(pattern string) string {
	var b strings.Builder
	escaped := false
	for _, c := range []byte(pattern) {
		if !escaped && (c == '{' || c == '}') {
			b.WriteByte('\\')
		}
		escaped = !escaped && c == '\\'
		b.WriteByte(c)
	}
	return b.String()
}

// has reports whether the file is ignored.
func (i *ignored) has(file File) bool {
	for ; i != nil; i = i.above {
		for n := len(i.rules) - 1; n >= 0; n-- {
			if i.rules[n].fits(file) {
				return !i.rules[n].keep
			}
		}
	}
	return false
}

func (r rule) fits(file File) bool {
	if r.dirOnly && !file.Dir {
		return false
	}
	if r.plain {
		return path.Base(file.Path) == r.pattern
	}
	name := file.Path
	if r.anyDir {
		name = path.Base(name)
	} else if r.base != "." {
		name = strings.TrimPrefix(name, r.base+"/")
	}
	return doublestar.MatchUnvalidated(r.pattern, name)
}
