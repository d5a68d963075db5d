//go:build !linux

package main

import (
	"fmt"
	"os/exec"
	"strings"
)

// processes returns the parent of each process that lives.
func processes() (map[int]int, error) {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,stat=").Output()
	if err != nil {
		return nil, err
	}
	parents := map[int]int{}
	for line := range strings.Lines(string(out)) {
		var pid, parent int
		var state string
		if _, err := fmt.Sscan(line, &pid, &parent, &state); err != nil {
			return nil, err
		}
		if !strings.HasPrefix(state, "Z") {
			parents[pid] = parent
		}
	}
	return parents, nil
}
