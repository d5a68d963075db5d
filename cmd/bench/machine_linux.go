package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTimes counts the ticks of all processors since boot.
type cpuTimes struct{ total, steal uint64 }

// stealNow reads the first line of /proc/stat; zero where there is none.
func stealNow() cpuTimes {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return cpuTimes{}
	}
	line, _, _ := strings.Cut(string(b), "\n")
	var t cpuTimes
	for i, f := range strings.Fields(line) {
		n, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			continue
		}
		const stealField = 8
		if i == stealField {
			t.steal = n
		}
		t.total += n
	}
	return t
}

// fileSystem names the kind of file system that dir is on.
func fileSystem(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "?"
	}
	names := map[int64]string{
		unix.EXT4_SUPER_MAGIC: "ext4", unix.TMPFS_MAGIC: "tmpfs", unix.BTRFS_SUPER_MAGIC: "btrfs",
		unix.XFS_SUPER_MAGIC: "xfs", unix.OVERLAYFS_SUPER_MAGIC: "overlay",
	}
	if name, ok := names[int64(st.Type)]; ok {
		return name
	}
	return fmt.Sprintf("file system %#x", st.Type)
}

// residentMB returns the memory of a process, without its children, in MB.
func residentMB(pid int) (float64, error) { return statusMB(pid, "VmRSS:") }

// peakMB returns the most memory that a process ever had, in MB.
func peakMB(pid int) (float64, error) { return statusMB(pid, "VmHWM:") }

func statusMB(pid int, field string) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024, err
		}
	}
	return 0, fmt.Errorf("process %d has no %s", pid, field)
}

// readBytes returns how many bytes a process has read, from memory or disk.
func readBytes(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0, err
	}
	var n float64
	if _, err := fmt.Sscanf(string(b), "rchar: %g", &n); err != nil {
		return 0, fmt.Errorf("read the input of process %d: %w", pid, err)
	}
	return n, nil
}

// cpuTime returns the time that a process has used on the processors, without
// that of its children.
func cpuTime(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The command stands in parentheses and may hold anything.
	_, rest, ok := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	const utime, stime, tick = 11, 12, 10 * time.Millisecond
	if !ok || len(fields) <= stime {
		return 0, fmt.Errorf("read the times of process %d: %q", pid, b)
	}
	u, errU := strconv.ParseInt(fields[utime], 10, 64)
	s, errS := strconv.ParseInt(fields[stime], 10, 64)
	if errU != nil || errS != nil {
		return 0, fmt.Errorf("read the times of process %d: %q", pid, b)
	}
	return time.Duration(u+s) * tick, nil
}

// ownCPU returns the time that this process has used on the processors.
func ownCPU() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
