package proc

import (
	"bufio"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// slim gives back what this process needed to begin and does not need to wait:
// the garbage, and its view of the pages of the binary, most of which were only
// run once. They are shared and come back when they are touched, but until then
// count as this process's in every list that people look at: 10 MB of 14.
func slim() {
	debug.FreeOSMemory()
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close() //nolint:errcheck // only read
	var m mapping
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		f := strings.Fields(lines.Text())
		switch {
		case len(f) >= 5 && strings.Contains(f[0], "-"):
			m = newMapping(f)
		case len(f) == 3 && (f[0] == "Anonymous:" || f[0] == "Swap:"):
			// Pages of its own, such as relocated addresses, would be lost.
			m.same = m.same && f[1] == "0"
		case len(f) > 0 && f[0] == "VmFlags:" && m.same: // the last line of a mapping
			// It is advice: an error changes nothing.
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.begin, m.end-m.begin, unix.MADV_DONTNEED)
		}
	}
}

// mapping is a part of this process's memory.
type mapping struct {
	begin, end uintptr
	same       bool // as a file, and can't be written
}

func newMapping(f []string) mapping {
	from, to, _ := strings.Cut(f[0], "-")
	begin, err1 := strconv.ParseUint(from, 16, 64)
	end, err2 := strconv.ParseUint(to, 16, 64)
	file := len(f) >= 6 && strings.HasPrefix(f[5], "/")
	return mapping{uintptr(begin), uintptr(end), err1 == nil && err2 == nil && file && !strings.Contains(f[1], "w")}
}
