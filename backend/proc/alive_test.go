package proc_test

import (
	"os"
	"os/exec"
	"testing"

	"signalbox/backend/proc"
)

func TestProcess_Alive(t *testing.T) {
	t.Parallel()
	self, ok := proc.Find(os.Getpid())
	if !ok || self.Start == 0 || !self.Alive() {
		t.Errorf("this process = %+v, found %v, alive %v", self, ok, self.Alive())
	}
	later := self
	later.Start++
	if later.Alive() {
		t.Error("another process with the pid passes for it")
	}

	sleep := exec.CommandContext(t.Context(), "sleep", "600")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	p, ok := proc.Find(sleep.Process.Pid)
	if !ok || !p.Alive() {
		t.Errorf("a child = %+v, found %v", p, ok)
	}
	if err := sleep.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = sleep.Wait() // it was killed
	if _, ok := proc.Find(p.PID); ok || p.Alive() {
		t.Error("a process that ended lives")
	}
}
