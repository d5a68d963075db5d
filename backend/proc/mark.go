package proc

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// The environment of supervised processes. markVar finds them again when nothing
// else does; its value is a hash, since the name of a data folder is no business
// of what runs in it.
const (
	markVar = "SIGNALBOX_INSTANCE"
	runVar  = "SIGNALBOX_RUN"
)

// mark is the value of markVar: "<instance>.<launcher>.<child>". A guard and its
// supervisors have none of the last part.
type mark string

func newMark(instance string) mark {
	var launcher [6]byte
	rand.Read(launcher[:]) //nolint:errcheck // never fails
	return instanceMark(instance) + mark(hex.EncodeToString(launcher[:])) + "."
}

func instanceMark(instance string) mark {
	sum := sha256.Sum256([]byte(instance))
	return mark(hex.EncodeToString(sum[:8])) + "."
}

func (m mark) child(id uint64) mark { return m + mark(strconv.FormatUint(id, 10)) }

// ours is true for guards and supervisors.
func (m mark) ours() bool { return strings.HasSuffix(string(m), ".") }

// covers says whether o is m, or is of a child and begins with m.
func (m mark) covers(o mark) bool {
	return o == m && !m.ours() || m.ours() && !o.ours() && strings.HasPrefix(string(o), string(m))
}

// markIn returns the mark in an environment as the system shows it, separated by
// NUL, or "".
func markIn(environ []byte) mark {
	for v := range strings.SplitSeq(string(environ), "\x00") {
		if m, ok := strings.CutPrefix(v, markVar+"="); ok {
			return mark(m)
		}
	}
	return ""
}

// environment returns env with the marks and with what keeps git and ssh from
// asking at a terminal that nobody sees. Of a name given twice the last wins.
func environment(env []string, run string, m mark) []string {
	defaults := []string{
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=",
		// With no askpass ssh asks at the terminal; this one always says no.
		"SSH_ASKPASS=" + falsePath,
		"SSH_ASKPASS_REQUIRE=force",
	}
	marks := []string{markVar + "=" + string(m)}
	if run != "" {
		marks = append(marks, runVar+"="+run)
	}
	all := make([]string, 0, len(defaults)+len(env)+len(marks))
	at := map[string]int{}
	for _, list := range [][]string{defaults, env, marks} {
		for _, v := range list {
			name, _, _ := strings.Cut(v, "=")
			if i, ok := at[name]; ok {
				all[i] = v
				continue
			}
			at[name] = len(all)
			all = append(all, v)
		}
	}
	return all
}

// lookup returns the last value of a name.
func lookup(env []string, name string) string {
	value := ""
	for _, v := range env {
		if s, ok := strings.CutPrefix(v, name+"="); ok {
			value = s
		}
	}
	return value
}
