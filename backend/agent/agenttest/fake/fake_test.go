package fake_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signalbox/backend/agent/agenttest/fake"
)

// testdata holds the captures.
const testdata = "../../claude/testdata/two-way"

func TestMain(m *testing.M) {
	if fake.Wanted() {
		syscall.Exit(fake.Main())
	}
	goleak.VerifyTestMain(m)
}

// run plays s with stdin and returns stdout and the exit code.
func run(t *testing.T, s fake.Script, stdin []byte) ([]byte, int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-p")
	for name, value := range s.Env() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdin = bytes.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout = &out
	_ = cmd.Run() // a code is no fault here
	return out.Bytes(), cmd.ProcessState.ExitCode()
}

// Every capture comes out as it was taken, byte for byte, when the client
// writes what it wrote then.
func TestCapture_byteForByte(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(testdata, "*.seq"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for _, file := range files {
		base, err := filepath.Abs(strings.TrimSuffix(file, ".seq"))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(base), func(t *testing.T) {
			t.Parallel()
			stdin, err := os.ReadFile(base + ".stdin.jsonl")
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(base + ".jsonl")
			if err != nil {
				t.Fatal(err)
			}
			got, code := run(t, fake.Script{Capture: base}, stdin)
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes came out, %d were captured", len(got), len(want))
			}
			words, err := os.ReadFile(base + ".exit")
			if err != nil {
				t.Fatal(err)
			}
			var wanted int
			if n, err := fmt.Sscan(string(words), &wanted); n == 0 || err != nil || wanted < 0 {
				wanted = -1
			}
			if code != wanted {
				t.Errorf("exit code %d, want %d", code, wanted)
			}
		})
	}
}

const prompt = `{"type":"user","message":{"role":"user","content":[{"type":"text","text":"go"}]}}` + "\n"

// The lines that are made up are as many as were asked for, and each is JSON.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 17, 18, 19, 1000} {
		out, code := run(t, fake.Script{Lines: n, Stamp: true}, []byte(prompt))
		lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		if code != 0 || len(lines) != n+2 {
			t.Errorf("%d lines and exit code %d, want %d between a beginning and an end", len(lines), code, n)
		}
		for _, line := range lines {
			if !json.Valid(line) {
				t.Fatalf("no JSON: %.100s", line)
			}
		}
	}
}

func TestLines_rate(t *testing.T) {
	t.Parallel()
	began := time.Now()
	run(t, fake.Script{Lines: 51, Rate: 100}, []byte(prompt))
	if d := time.Since(began); d < 500*time.Millisecond {
		t.Errorf("51 lines at 100 a second took %v", d)
	}
}

func TestStopAfter_mid(t *testing.T) {
	t.Parallel()
	code := 7
	out, got := run(t, fake.Script{StopAfter: 100, Exit: &code}, []byte(prompt))
	if len(out) != 100 || got != code {
		t.Errorf("%d bytes and exit code %d, want 100 and %d", len(out), got, code)
	}
}

// A write that is cut waits until the test lets it go on.
func TestSplit_gate(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	for name, value := range (fake.Script{Text: "a—b", SplitText: []int{2}, Gate: gate}).Env() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdin = strings.NewReader(prompt)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(gate, os.O_WRONLY, 0) // returns when the cut is reached
	if err != nil {
		t.Fatal(err)
	}
	before := make([]byte, 1<<16)
	n, err := stdout.Read(before)
	for err == nil && !bytes.HasSuffix(before[:n], []byte("a\xe2")) {
		var more int
		more, err = stdout.Read(before[n:])
		n += more
	}
	if err != nil {
		t.Fatalf("before the gate opened came %q, %v", before[:n], err)
	}
	if _, err := f.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	var rest bytes.Buffer
	if _, err := rest.ReadFrom(stdout); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(rest.Bytes(), []byte("\x80\x94b")) {
		t.Errorf("after the gate opened came %.40q", rest.Bytes())
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
