//go:build linux

package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// binaries are built once for all cases.
type binaries struct{ signalbox, agent string }

//go:embed testdata/profile.go.txt
var profileSource []byte

// build builds the daemon and the stand-in; with profile the daemon can be
// profiled.
func build(ctx context.Context, dir string, profile bool) (binaries, error) {
	b := binaries{signalbox: filepath.Join(dir, "signalbox"), agent: filepath.Join(dir, "fakeagent")}
	var flags []string
	if profile {
		overlay, err := profileOverlay(dir)
		if err != nil {
			return b, err
		}
		flags = []string{"-overlay", overlay}
	}
	for out, pkg := range map[string]string{b.signalbox: "signalbox/cmd/signalbox", b.agent: "signalbox/cmd/fakeagent"} {
		// As scripts/build does it.
		args := append(append([]string{"build", "-trimpath", "-ldflags", "-s -w", "-o", out}, flags...), pkg)
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if msg, err := cmd.CombinedOutput(); err != nil {
			return b, fmt.Errorf("build %s: %w\n%s", pkg, err, msg)
		}
	}
	return b, nil
}

// profileOverlay returns the file that adds the profile's source to the daemon's.
func profileOverlay(dir string) (string, error) {
	source, overlay := filepath.Join(dir, "profile.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(source, profileSource, 0o600); err != nil {
		return "", err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(cwd, "cmd", "signalbox", "profile.go"): source,
	}})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, b, 0o600)
}

// profileVariable is that of profile.go.txt.
const profileVariable = "BENCH_PROFILE"

// daemon is a running daemon with one account, and its client.
type daemon struct {
	cmd  *exec.Cmd
	gone chan struct{} // closed when it has ended, with exit
	exit error
	up   time.Duration // from the start of the process to the first answer
	idle float64       // its memory before anybody signed in, in MB
	user client
}

const (
	account  = "bench"
	password = "a password of the bench"
)

// launch says how a daemon is started.
type launch struct {
	bin      binaries
	data     string
	addr     string            // default a free one
	agentEnv map[string]string // the environment of the stand-in for Claude Code
	// cookie is that of an earlier start: with it nobody signs in again, which
	// leaves the memory of a hash to the collector.
	cookie  string
	profile string    // the folder for profiles
	boot    string    // a file with the id of the boot that it is to believe in; needs root
	errput  io.Writer // takes the errors that the daemon logs; default stderr
}

// start starts a daemon and returns when it answers.
func start(ctx context.Context, l launch) (_ *daemon, err error) {
	data := l.data
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	settings := filepath.Join(data, "signalbox.toml")
	var toml strings.Builder
	fmt.Fprintf(&toml, "[providers.claude]\npath = %q\n\n[providers.claude.env]\n", l.bin.agent)
	for k, v := range l.agentEnv {
		fmt.Fprintf(&toml, "%s = %q\n", k, v)
	}
	if err := os.WriteFile(settings, []byte(toml.String()), 0o600); err != nil {
		return nil, err
	}
	addr := l.addr
	if addr == "" {
		if addr, err = freeAddr(); err != nil {
			return nil, err
		}
	}
	if l.errput == nil {
		l.errput = os.Stderr
	}
	env := append(os.Environ(), "SIGNALBOX_DATA="+data, "SIGNALBOX_ADDR="+addr, "SIGNALBOX_CONFIG="+settings, profileVariable+"="+l.profile)

	if _, err := os.Stat(filepath.Join(data, "users.json")); errors.Is(err, os.ErrNotExist) {
		add := exec.CommandContext(ctx, l.bin.signalbox, "user", "add", account, "--admin", "--password-stdin")
		add.Env, add.Stdin = env, strings.NewReader(password+"\n")
		if out, err := add.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("add the account: %w\n%s", err, out)
		}
	}

	d := &daemon{user: client{base: "http://" + addr, cookie: l.cookie, http: &http.Client{}}}
	d.cmd = exec.CommandContext(ctx, l.bin.signalbox)
	if l.boot != "" {
		const script = `mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$1"`
		d.cmd = exec.CommandContext(ctx, "unshare", "--mount", "--propagation", "slave", "sh", "-c", script, l.boot, l.bin.signalbox)
	}
	d.cmd.Env = env
	d.cmd.Cancel = func() error { return d.cmd.Process.Signal(syscall.SIGTERM) }
	d.cmd.WaitDelay = 30 * time.Second
	errput, err := d.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	d.gone = make(chan struct{})
	go func() {
		d.exit = d.cmd.Wait()
		close(d.gone)
	}()
	go func() { // ends with the process, whose stderr it keeps from filling
		for s := bufio.NewScanner(errput); s.Scan(); {
			if strings.Contains(s.Text(), `"level":"ERROR"`) || strings.Contains(s.Text(), "panic") {
				fmt.Fprintln(l.errput, s.Text())
			}
		}
	}()
	if err := d.answers(ctx); err != nil {
		return nil, errors.Join(err, d.stop())
	}
	d.up = time.Since(began)
	if d.idle, err = residentMB(d.cmd.Process.Pid); err != nil {
		return nil, errors.Join(err, d.stop())
	}
	if l.cookie != "" {
		return d, nil
	}
	err = d.user.call(ctx, http.MethodPost, "/api/login", map[string]string{"name": account, "password": password}, nil)
	if err != nil {
		return nil, errors.Join(err, d.stop())
	}
	return d, nil
}

// answers returns when the daemon answers, trying as fast as it is refused.
func (d *daemon) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.user.base+"/api/health", nil)
		if err != nil {
			return err
		}
		res, err := d.user.http.Do(req)
		if err == nil {
			return res.Body.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the daemon does not answer: %w", err)
		case <-d.gone:
			return errors.New("the daemon ended at its start")
		case <-time.After(time.Millisecond):
		}
	}
}

// stop ends the daemon as an operator does.
func (d *daemon) stop() error {
	_ = d.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	<-d.gone
	if d.exit != nil {
		return fmt.Errorf("the daemon ended with %w", d.exit)
	}
	return nil
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
