package skill

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"signalbox/backend/chat"
)

// maxNames are the entries of a folder that are counted at all.
const maxNames = 20_000

// scan makes one list.
type scan struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call
	places Places
	list   *List
	names  map[string]bool // that are listed
}

// folder looks into the folder dir of root. elsewhere opens a folder of it that is
// a link out of root; nil where such a one is not followed.
func (s *scan) folder(from Source, root *os.Root, dir string, elsewhere func(string) (*os.Root, error)) {
	names, more := namesIn(root, dir)
	s.list.More = s.list.More || more
	for _, name := range names {
		if s.ctx.Err() != nil {
			return
		}
		if len(s.list.Skills) >= maxSkills {
			s.list.More = true
			return
		}
		text, err := readSkill(root, path.Join(dir, name))
		if err != nil && elsewhere != nil && !errors.Is(err, fs.ErrNotExist) {
			text, err = readElsewhere(name, elsewhere)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, noFolder) {
			continue // what lies there is something else
		}
		if err == nil {
			err = s.add(from, name, text)
		}
		if err != nil && len(s.list.Skipped) < maxSkipped {
			s.list.Skipped = append(s.list.Skipped, Skipped{Folder: line(name, maxFolderName), Source: from, Why: why(err)})
		}
	}
}

// add lists a skill, unless one of its name is there already. One that is called
// as its folder is one whatever its SKILL.md says: the error then tells why it has
// no description.
func (s *scan) add(from Source, folder string, text []byte) error {
	about, unread := parse(text)
	if !s.places.Strict && errors.Is(unread, noFront) {
		unread = nil
	}
	switch {
	case unread != nil && !s.places.ByFolder:
		return unread
	case s.places.Strict && (about.Name == "" || about.Description == ""):
		return missing
	}
	name := about.Name
	if s.places.ByFolder || name == "" {
		name = folder
	}
	if err := chat.CheckSkills([]string{name}); err != nil {
		return badName
	}
	if about.hidden() || s.names[name] {
		return nil
	}
	s.names[name] = true
	s.list.Skills = append(s.list.Skills, Skill{Name: name, Description: line(about.Description, maxDescription), Source: from})
	return unread
}

func (s *scan) sort() {
	slices.SortFunc(s.list.Skills, func(a, b Skill) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
}

// namesIn returns what is in a folder, by name, and whether that is not all.
func namesIn(root *os.Root, dir string) (names []string, more bool) {
	f, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, false
	}
	defer f.Close() //nolint:errcheck // only read
	names, err = f.Readdirnames(maxNames)
	if err != nil {
		return nil, false
	}
	slices.Sort(names)
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, ".") })
	if len(names) > maxFolders {
		return names[:maxFolders], true
	}
	return names, false
}

const file = "SKILL.md"

// readSkill returns the beginning of the SKILL.md of a folder.
func readSkill(root *os.Root, folder string) ([]byte, error) {
	f, err := root.OpenFile(path.Join(folder, file), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, noFolder
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notPlain
	}
	return io.ReadAll(io.LimitReader(f, maxFront))
}

func readElsewhere(name string, open func(string) (*os.Root, error)) ([]byte, error) {
	root, err := open(name)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // only read
	return readSkill(root, ".")
}

// reason is why a folder is no skill, for people.
type reason string

func (r reason) Error() string { return string(r) }

// The reasons. That of [noFolder] nobody is told.
const (
	noFolder reason = "It is no folder."
	notPlain reason = "SKILL.md is not a file."
	badName  reason = "Its name cannot be that of a skill: letters, digits, dots, colons, hyphens and underscores can."
	noFront  reason = "SKILL.md does not begin with a block between lines of ---."
	noEnd    reason = "The block at the beginning of SKILL.md has no end, or more than 16 kB."
	noUTF8   reason = "SKILL.md is not text in UTF-8."
	noText   reason = "The name or the description in SKILL.md is not text."
	missing  reason = "SKILL.md lacks a name or a description."
)

func why(err error) string {
	if r, ok := errors.AsType[reason](err); ok {
		return r.Error()
	}
	if errors.Is(err, fs.ErrPermission) {
		return "SKILL.md may not be read by the daemon's user."
	}
	return "SKILL.md cannot be read, or is a link that leads out of its folder."
}
