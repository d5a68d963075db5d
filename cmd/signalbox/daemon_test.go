package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

// startLimit and stopLimit are generous: they bound a test that hangs.
const (
	startLimit = time.Minute
	stopLimit  = time.Minute
)

// daemon is a signalbox process under test.
type daemon struct {
	cmd    *exec.Cmd
	url    string // where it serves
	token  string // of the set-up link; empty when there is an account
	secret string // of the session that the test signed in with

	drained sync.WaitGroup // the reader of stdout
	stderr  *bytes.Buffer  // to be read after wait
}

// start starts the daemon and returns when it says that it serves.
func start(env []string, dir string, args ...string) (*daemon, error) {
	return startAs(exec.Command("signalbox", args...), env, dir)
}

// startAs starts a daemon by a command that becomes one.
func startAs(cmd *exec.Cmd, env []string, dir string) (*daemon, error) {
	d := &daemon{cmd: cmd, stderr: new(bytes.Buffer)}
	d.cmd.Env, d.cmd.Dir, d.cmd.Stderr = env, dir, d.stderr
	stdout, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	late := time.AfterFunc(startLimit, func() { _ = d.cmd.Process.Kill() })
	defer late.Stop()

	greeted := make(chan error, 1) // one value, from the reader
	d.drained.Go(func() { greeted <- d.greeting(stdout) })
	if err := <-greeted; err != nil {
		return nil, errors.Join(err, d.wait())
	}
	return d, nil
}

var (
	served = regexp.MustCompile(`^Signalbox \S+ is at (\S+)$`)
	linked = regexp.MustCompile(`/setup#(\S+)$`)
)

// greeting reads what the daemon tells a person, and goes on reading behind it.
func (d *daemon) greeting(stdout io.Reader) error {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if m := served.FindStringSubmatch(lines.Text()); m != nil {
			d.url = m[1]
			// The link, if any, is printed at once after the address.
			for d.needsLink() && d.token == "" && lines.Scan() {
				if m := linked.FindStringSubmatch(lines.Text()); m != nil {
					d.token = m[1]
				}
			}
			d.drained.Go(func() { _, _ = io.Copy(io.Discard, stdout) })
			return nil
		}
	}
	return errors.New("the daemon ended without serving")
}

func (d *daemon) needsLink() bool {
	var setup struct{ Open bool }
	_, err := d.call(context.Background(), http.MethodGet, "/api/setup", nil, &setup)
	return err == nil && setup.Open
}

// wait waits for the daemon's end.
func (d *daemon) wait() error {
	late := time.AfterFunc(stopLimit, func() { _ = d.cmd.Process.Kill() })
	defer late.Stop()
	d.drained.Wait()
	if err := d.cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, d.stderr)
	}
	return nil
}

// call sends JSON and decodes the answer into out; it returns the answer's text.
func (d *daemon) call(ctx context.Context, method, path string, in, out any) (string, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return "", err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, d.url+path, body)
	if err != nil {
		return "", err
	}
	req.Header.Set("Origin", d.url)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if d.secret != "" {
		req.Header.Set("Authorization", "Bearer "+d.secret)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	for _, c := range res.Cookies() {
		if c.Name == "signalbox_session" {
			d.secret = c.Value
		}
	}
	if res.StatusCode >= 300 {
		return string(text), fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text)
	}
	if out == nil || len(text) == 0 {
		return string(text), nil
	}
	return string(text), json.Unmarshal(text, out)
}

const (
	userName = "Ada"
	password = "correct horse battery"
)

// setUp makes the first account and signs in.
func (d *daemon) setUp(ctx context.Context) error {
	_, err := d.call(ctx, http.MethodPost, "/api/setup",
		map[string]string{"token": d.token, "name": userName, "password": password}, nil)
	return err
}

// newChat makes a chat that the demo agent answers.
func (d *daemon) newChat(ctx context.Context) (string, error) {
	var chat struct{ ID string }
	_, err := d.call(ctx, http.MethodPost, "/api/chats",
		map[string]any{"selected": map[string]string{"agent": "demo"}}, &chat)
	return chat.ID, err
}

// prompt sends a prompt and returns the run.
func (d *daemon) prompt(ctx context.Context, chat, text string) (string, error) {
	var result struct{ Run string }
	_, err := d.call(ctx, http.MethodPost, "/api/chats/"+chat+"/messages", map[string]string{"text": text}, &result)
	return result.Run, err
}

// answer sends a prompt and returns the events of its run, to its end.
func (d *daemon) answer(ctx context.Context, chat, text string) (string, error) {
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/api/chats/"+chat+"/messages", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Authorization", "Bearer "+d.secret)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text2, err := io.ReadAll(res.Body)
	if err == nil && !strings.Contains(string(text2), `"type":"complete"`) {
		err = fmt.Errorf("the answer has no end: %s", text2)
	}
	return string(text2), err
}
