package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"syscall"

	"signalbox/backend/access"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Client speaks with the daemon that serves a data folder. Its methods fail with
// [ErrNotRunning] when there is none.
type Client struct{ dir string }

// ErrNotRunning says that no daemon serves the data folder.
var ErrNotRunning = errors.New("no daemon is running")

// NewClient returns a client for the daemon of the data folder dir.
func NewClient(dir string) *Client { return &Client{dir} }

// Status asks the daemon about itself.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var s Status
	err := c.do(ctx, http.MethodGet, "/status", nil, &s)
	return s, err
}

// SetupLink asks for a new link to make the first account.
func (c *Client) SetupLink(ctx context.Context) (string, error) {
	var l setupLink
	err := c.do(ctx, http.MethodPost, "/setup-link", nil, &l)
	return l.URL, err
}

// AddUser makes an account.
func (c *Client) AddUser(ctx context.Context, name, password string, role access.Role) (wire.Person, error) {
	var p wire.Person
	err := c.do(ctx, http.MethodPost, "/users", newUser{name, password, role}, &p)
	return p, err
}

// SetPassword changes an account's password.
func (c *Client) SetPassword(ctx context.Context, name, password string) error {
	return c.do(ctx, http.MethodPost, "/passwords", newUser{Name: name, Password: password}, &struct{}{})
}

func (c *Client) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	return c.send(ctx, method, path, body, func(res *http.Response) error {
		answer, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
		if err != nil {
			return fmt.Errorf("read the daemon's answer: %w", err)
		}
		if res.StatusCode != http.StatusOK {
			return refusal(res, answer)
		}
		return json.Unmarshal(answer, out)
	})
}

// stream gives f an answer that is not one JSON document.
func (c *Client) stream(ctx context.Context, path string, f func(*http.Response) error) error {
	return c.send(ctx, http.MethodGet, path, nil, f)
}

func (c *Client) send(ctx context.Context, method, path string, body io.Reader, f func(*http.Response) error) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://signalbox"+path, body)
	if err != nil {
		return err
	}
	transport := &http.Transport{DialContext: c.dial, DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return c.explain(err)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	return f(res)
}

// refusal is the daemon's error.
func refusal(res *http.Response, answer []byte) error {
	var f wire.Fault
	if err := json.Unmarshal(answer, &f); err != nil || f.Message == "" {
		return fmt.Errorf("the daemon answered %s", res.Status)
	}
	return &fault.Error{Code: fault.Code(f.Code), Message: f.Message, Hint: f.Hint}
}

func (c *Client) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	path, release, err := socketPath(c.dir)
	if err != nil {
		return nil, err
	}
	defer release()
	return new(net.Dialer).DialContext(ctx, "unix", path)
}

func (c *Client) explain(err error) error {
	f := fault.New(fault.Unavailable, "The daemon of %s cannot be reached: %s.", c.dir, cause(err)).Because(err)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOTDIR):
		f.Message = fmt.Sprintf("No daemon is running on %s.", c.dir)
		f.Err = ErrNotRunning
		f.Hint = "Start it with `signalbox`, or name its data folder with --data or SIGNALBOX_DATA."
	case errors.Is(err, fs.ErrPermission):
		f.Hint = "Run this as the user who runs the daemon."
	}
	return f
}
