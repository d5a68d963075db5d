package proc_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// roles are the programs that tests start.
var roles = map[string]func(args []string){
	"cat":    func([]string) { must(io.Copy(os.Stdout, os.Stdin)) },
	"hold":   hold,
	"spawn":  spawn,
	"double": double,
	"chain":  chain,
	"flood":  flood,
	"line":   line,
	"pump":   pump,
	"tty":    tty,
	"signal": onSignal,
	"exit":   func(a []string) { syscall.Exit(number(a[0])) },
	"env":    func([]string) { fmt.Println(strings.Join(os.Environ(), "\n")) },
	"fds":    fds,
}

func must[T any](v T, err error) T {
	if err != nil {
		die(err)
	}
	return v
}

func number(s string) int { return must(strconv.Atoi(s)) }

func stubborn() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
}

// hold says that it is there and stays for ever, deaf to what it can be deaf to.
// It has no terminal use and no time limit: the tests are about ending it.
func hold(args []string) {
	stubborn()
	fmt.Println("pid", os.Getpid())
	if len(args) > 0 && args[0] == "stopped" {
		must(0, syscall.Kill(os.Getpid(), syscall.SIGSTOP))
	}
	select {}
}

// spawn starts hold in each of the ways that its arguments name, waits for each
// to be there, and stays, or exits with "exit", or waits for stdin to close with
// "stdin".
func spawn(args []string) {
	out := os.Stdout
	for _, way := range args {
		switch way {
		case "exit":
			syscall.Exit(0)
		case "stdin":
			must(io.Copy(io.Discard, os.Stdin))
			syscall.Exit(0)
		case "stubborn":
			stubborn()
			continue
		}
		r, w := must2(os.Pipe())
		cmd := exec.Command(self(), "hold")
		cmd.Stdout, cmd.Stderr = w, os.Stderr
		switch way {
		case "group":
		case "session":
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		case "pgid":
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		case "stopped":
			cmd.Args = append(cmd.Args, "stopped")
		case "double":
			cmd.Args = []string{self(), "double"}
		case "bare": // no environment, so no mark
			cmd.Args = []string{self(), "double"}
			cmd.Env = []string{}
		case "holding": // keeps our stdout open
			cmd.ExtraFiles = []*os.File{out}
		case "chain":
			cmd.Args = []string{self(), "chain", "100000"}
		default:
			die(fmt.Errorf("no way %q", way))
		}
		must(0, cmd.Start())
		must(0, w.Close())
		said, err := bufio.NewReader(r).ReadString('\n')
		must(0, err)
		fmt.Fprint(out, said)
	}
	fmt.Fprintln(out, "ready")
	select {}
}

// double makes itself an orphan in a session of its own.
func double([]string) {
	cmd := exec.Command(self(), "hold")
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	must(0, cmd.Start())
}

// chain starts itself and ends, so that no look finds it where the look before
// did. It is bounded.
func chain(args []string) {
	stubborn()
	fmt.Println("pid", os.Getpid())
	left := number(args[0])
	if left == 0 {
		return
	}
	must(syscall.ForkExec(self(), []string{self(), "chain", strconv.Itoa(left - 1)},
		&syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true}}))
}

// flood writes as many KiB of lines to stderr, then a line to stdout.
func flood(args []string) {
	block := bytes.Repeat([]byte("a line of the flood\n"), 1024/20+1)
	for range number(args[0]) {
		must(os.Stderr.Write(block))
	}
	fmt.Println("done")
}

// line prints a JSON line whose text has as many bytes for each argument, then
// one more.
func line(args []string) {
	block := bytes.Repeat([]byte("x"), 1<<20)
	for _, a := range args {
		must(os.Stdout.WriteString(`{"text":"`))
		for n := number(a); n > 0; n -= len(block) {
			must(os.Stdout.Write(block[:min(n, len(block))]))
		}
		must(os.Stdout.WriteString("\"}\n"))
	}
	fmt.Println(`{"text":"next"}`)
}

// pump prints as many lines of 300 bytes, each with a write of its own if there
// is a second argument.
func pump(args []string) {
	line := append(bytes.Repeat([]byte("x"), 299), '\n')
	if len(args) == 1 {
		line = bytes.Repeat(line, 100)
	}
	for n := number(args[0]) * 300; n > 0; n -= len(line) {
		must(os.Stdout.Write(line[:min(n, len(line))]))
	}
}

// tty tells what it sees of its terminal and waits for its hang-up.
func tty([]string) {
	f := must(os.OpenFile("/dev/tty", os.O_RDWR, 0))
	for range 4096 {
		must(f.WriteString("nobody reads this line of the terminal\n"))
	}
	if n, err := f.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		fmt.Println("somebody typed", n, err)
	}
	flags := must(unix.FcntlInt(1, unix.F_GETFL, 0))
	fmt.Println("leader", must(unix.Getsid(0)) == os.Getpid(), "nonblock", flags&unix.O_NONBLOCK != 0)
	c := make(chan os.Signal, 1)
	signal.Ignore(syscall.SIGTERM)
	signal.Notify(c, syscall.SIGHUP)
	fmt.Println("ready")
	<-c
	if len(os.Args) > 2 {
		must(0, os.WriteFile(os.Args[2], []byte("hung up"), 0o600))
	}
}

// onSignal exits with 7 at the signal and is deaf to the others.
func onSignal(args []string) {
	stubborn()
	c := make(chan os.Signal, 1)
	signal.Notify(c, map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM}[args[0]])
	fmt.Println("ready")
	<-c
	syscall.Exit(7)
}

// fds prints the descriptors that it was given.
func fds([]string) {
	for fd := range 256 {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			fmt.Println(fd)
		}
	}
}

func must2[A, B any](a A, b B, err error) (A, B) {
	if err != nil {
		die(err)
	}
	return a, b
}

func self() string { return must(os.Executable()) }
