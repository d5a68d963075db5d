package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"signalbox/backend/fault"
)

// What the system says at a start becomes words with one next step.
func TestStartFault(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tool := filepath.Join(dir, "tool")
	if err := os.WriteFile(tool, nil, 0o755); err != nil { //nolint:gosec // it is to be executable
		t.Fatal(err)
	}
	tests := []struct {
		stage stage
		errno syscall.Errno
		dir   string
		path  string
		code  fault.Code
		says  string
	}{
		{stageTerminal, syscall.ENOSPC, dir, tool, fault.Unavailable, "terminal"},
		{stageTerminal, syscall.ENOENT, dir, tool, fault.Unavailable, "terminal"},
		{stageSupervisor, syscall.EAGAIN, dir, tool, fault.Unavailable, "no more processes"},
		{stageSupervisor, syscall.EINVAL, dir, tool, fault.Internal, "supervisor"},
		{stageExec, syscall.EAGAIN, dir, tool, fault.Unavailable, "no more processes"},
		{stageExec, syscall.EMFILE, dir, tool, fault.Unavailable, "no file descriptors"},
		{stageExec, syscall.ENFILE, dir, tool, fault.Unavailable, "no file descriptors"},
		{stageExec, syscall.ENOMEM, dir, tool, fault.Unavailable, "memory"},
		{stageExec, syscall.E2BIG, dir, tool, fault.TooLarge, "more than the system takes"},
		{stageExec, syscall.ENOEXEC, dir, tool, fault.Unavailable, "can run"},
		{stageExec, syscall.ETXTBSY, dir, tool, fault.Unavailable, "being written"},
		{stageExec, syscall.EACCES, dir, tool, fault.Unavailable, "may not be run"},
		{stageExec, syscall.ENOENT, dir, tool, fault.Unavailable, "interpreter"},
		{stageExec, syscall.ENOENT, dir + "/gone", tool, fault.NotFound, "folder"},
		{stageExec, syscall.ENOENT, dir, tool + "gone", fault.NotFound, "program"},
		{stageExec, syscall.EIO, dir, tool, fault.Internal, "did not start"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.stage, " ", tt.errno), func(t *testing.T) {
			t.Parallel()
			err := startFault(Spec{Dir: tt.dir, Argv: []string{"tool"}}, tt.path, failureOf(tt.stage, tt.errno))
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Code != tt.code || !strings.Contains(f.Message, tt.says) {
				t.Fatalf("error %v, want %s with %q", err, tt.code, tt.says)
			}
			if f.Code != fault.Internal && f.Hint == "" {
				t.Errorf("no hint in %v", err)
			}
		})
	}
}
