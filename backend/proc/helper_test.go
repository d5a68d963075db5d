package proc_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func logger(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

// testMark is a variable that marks all processes of a test.
func testMark(t *testing.T) string {
	h := fnv.New64a()
	fmt.Fprint(h, t.Name(), os.Getpid())
	return "PROC_TEST=" + strconv.FormatUint(h.Sum64(), 16)
}

// nobodyLeft waits until no process of the test is there.
func nobodyLeft(t *testing.T) {
	t.Helper()
	eventually(t, func() string {
		var left []string
		for _, p := range marked(t) {
			left = append(left, p.String())
		}
		if len(left) == 0 {
			return ""
		}
		return "still there: " + strings.Join(left, ", ")
	})
}

// eventually waits until why returns nothing.
func eventually(t *testing.T, why func() string) {
	t.Helper()
	deadline := time.After(time.Minute)
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		reason := why()
		if reason == "" {
			return
		}
		select {
		case <-deadline:
			t.Error(reason)
			return
		case <-again.C:
		}
	}
}

type process struct {
	pid  int
	args string
}

func (p process) String() string { return fmt.Sprintf("%d %s", p.pid, p.args) }

// marked returns the living processes of the test.
func marked(t *testing.T) []process {
	t.Helper()
	envs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []process
	for _, env := range envs {
		b, err := os.ReadFile(env)
		if err != nil || !bytes.Contains(append([]byte{0}, b...), []byte("\x00"+testMark(t)+"\x00")) {
			continue
		}
		pid, err := strconv.Atoi(strings.Split(env, "/")[2])
		if err != nil || pid == os.Getpid() {
			continue
		}
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		found = append(found, process{pid, strings.ReplaceAll(string(args), "\x00", " ")})
	}
	return found
}

func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b[bytes.LastIndexByte(b, ')'):]), " ")
	return !strings.HasPrefix(rest, "Z")
}
