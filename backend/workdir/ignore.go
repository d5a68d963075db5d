package workdir

import (
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

// ignored are the rules that hold in a folder, the last one wins.
type ignored []rule

// with returns the rules with those of the folder itself.
func (i ignored) with(root *os.Root, dir string) ignored {
	f, err := root.OpenFile(path.Join(dir, ".gitignore"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return i
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return i
	}
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return i
	}
	own := i[:len(i):len(i)]
	for l := range strings.Lines(string(text)) {
		if r, ok := parseRule(dir, strings.TrimRight(l, "\r\n")); ok && len(own) < maxRules {
			own = append(own, r)
		}
	}
	return own
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
func (i ignored) has(file File) bool {
	for n := len(i) - 1; n >= 0; n-- {
		if i[n].fits(file) {
			return !i[n].keep
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
