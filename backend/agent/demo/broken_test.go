package demo_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// brokenAgent plays an agent with a fault and returns its exit code.
func brokenAgent(fault string) int {
	in := bufio.NewReader(os.Stdin)
	if fault != "deaf" && fault != "sleeper" {
		if _, err := in.ReadBytes('\n'); err != nil {
			return 3
		}
	}
	tool := `{"type":"tool_start","tool":"tool-1","name":"Bash","input":{}}`
	switch fault {
	case "dies":
		fmt.Println(tool)
		fmt.Fprintln(os.Stderr, "first line\npanic: out of words")
		return 7
	case "exits 0":
		return 0
	case "killed":
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			return 3
		}
	case "garbage":
		fmt.Println("Welcome!")
		fmt.Println(`{"type":"future","x":1}`)
		fmt.Println(`{"type":"end","status":"ok"}`)
		fmt.Println(`{"type":"text","item":"late","delta":"after the end"}`)
		fmt.Println(`{"type":"end","status":"failed"}`)
		return 0
	case "dies while it asks":
		fmt.Println(`{"type":"ask","id":"ask-1","kind":"command","title":"x"}`)
		return 7
	case "deaf":
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
		exe, err := os.Executable()
		if err != nil {
			return 3
		}
		grandchild := exec.Command(exe, "broken-agent", "sleeper")
		grandchild.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := grandchild.Start(); err != nil {
			return 3
		}
		fmt.Println(tool)
		return waitForever()
	case "sleeper":
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		return waitForever()
	}
	return 3
}

// waitForever returns 0 after a time that no test waits for.
func waitForever() int {
	<-time.After(time.Hour)
	return 0
}
