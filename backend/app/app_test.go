package app_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"signalbox/backend/access"
	"signalbox/backend/app"
	"signalbox/backend/config"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// settings are those of a daemon of its own.
func settings(t *testing.T, flags map[string]string) *config.Config {
	t.Helper()
	home := t.TempDir()
	all := map[string]string{"addr": "127.0.0.1:0", "data": filepath.Join(home, "data")}
	for k, v := range flags {
		all[k] = v
	}
	cfg, err := config.Load(config.Input{Flags: all, Environ: []string{"HOME=" + home}, Agents: app.AgentIDs()})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// serve runs a daemon until the test ends. The result is what it told a person.
func serve(t *testing.T, cfg *config.Config) (*app.App, string) {
	t.Helper()
	var out bytes.Buffer
	a, err := app.Open(cfg, app.Options{Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Out: &out})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background()) // outlives the test's own, which ends before the cleanup
	done := make(chan error, 1)                           // one value, from Run
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-done, a.Close()); err != nil {
			t.Error(err)
		}
	})
	<-a.Ready()
	return a, out.String()
}

func get(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func wantFault(t *testing.T, err error, code fault.Code, parts ...string) {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != code {
		t.Fatalf("got %v, want a fault %q", err, code)
	}
	for _, p := range parts {
		if !strings.Contains(f.Message+" "+f.Hint, p) {
			t.Errorf("%q, %q lacks %q", f.Message, f.Hint, p)
		}
	}
}

func TestApp_servesAndTellsAPersonWhere(t *testing.T) {
	t.Parallel()
	a, said := serve(t, settings(t, nil))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if body := get(t, client, a.URL()+"/api/health"); !strings.Contains(body, `"ok"`) {
		t.Errorf("health says %s", body)
	}
	for _, part := range []string{a.URL() + "\n", a.URL() + "/setup#", "30 minutes"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q lacks %q", said, part)
		}
	}
}

func TestApp_printsNoLinkOnceThereIsAnAccount(t *testing.T) {
	t.Parallel()
	cfg := settings(t, nil)
	err := app.WithAccounts(cfg, slog.New(slog.DiscardHandler), func(a app.Accounts) error {
		_, err := a.AddUser(t.Context(), "Ada", "correct horse", access.Admin)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, said := serve(t, cfg); strings.Contains(said, "setup") {
		t.Errorf("it says %q", said)
	}
}

func TestClient_speaksWithTheRunningDaemon(t *testing.T) {
	t.Parallel()
	// A path that has no room in a unix socket's address.
	cfg := settings(t, map[string]string{"data": filepath.Join(t.TempDir(), strings.Repeat("deep/", 30))})
	c := app.NewClient(cfg.Data)
	_, err := c.Status(t.Context())
	wantFault(t, err, fault.Unavailable, "No daemon is running")
	if !errors.Is(err, app.ErrNotRunning) {
		t.Errorf("%v is not ErrNotRunning", err)
	}

	a, _ := serve(t, cfg)
	s, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.URL != a.URL() || s.PID != os.Getpid() || s.Accounts {
		t.Errorf("status %+v", s)
	}
	link, err := c.SetupLink(t.Context())
	if err != nil || !strings.HasPrefix(link, a.URL()+"/setup#") {
		t.Errorf("link %q, %v", link, err)
	}
	_, err = c.AddUser(t.Context(), "Ada", "short", access.Admin)
	wantFault(t, err, fault.Invalid, "at least 10")
	if _, err := c.AddUser(t.Context(), "Ada", "correct horse", access.Admin); err != nil {
		t.Fatal(err)
	}
	_, err = c.SetupLink(t.Context())
	wantFault(t, err, fault.Conflict, "set up already")
	if err := c.SetPassword(t.Context(), "Ada", "another horse"); err != nil {
		t.Error(err)
	}
	wantFault(t, c.SetPassword(t.Context(), "Bob", "another horse"), fault.NotFound, "Bob")

	// The running daemon holds the folder.
	err = app.WithAccounts(cfg, slog.New(slog.DiscardHandler), func(app.Accounts) error { return nil })
	wantFault(t, err, fault.Unavailable)
	_, err = app.Open(cfg, app.Options{})
	wantFault(t, err, fault.Unavailable)
	if _, err := c.Status(t.Context()); err != nil {
		t.Errorf("the refused daemon took the first one's socket: %v", err)
	}
}

func TestOpen_sayWhatIsWrongWithTheAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cfg := settings(t, map[string]string{"addr": l.Addr().String()})
	_, err = app.Open(cfg, app.Options{})
	wantFault(t, err, fault.Unavailable, "is in use", "--addr")
	// What was taken before is given back.
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	serve(t, cfg)
}

func TestOpen_sayWhatIsWrongWithTheFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		_, err := app.Open(settings(t, map[string]string{"data": dir}), app.Options{})
		wantFault(t, err, fault.Unavailable, dir, "is a file", "--data")
	}
}

func TestApp_servesTLSAndTakesUpARenewedCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	flags := map[string]string{"tls_cert": cert, "tls_key": key}
	_, err := app.Open(settings(t, flags), app.Options{})
	wantFault(t, err, fault.Invalid, "certificate", "tls_cert")

	first := writeCertificate(t, cert, key, "first")
	a, _ := serve(t, settings(t, flags))
	if !strings.HasPrefix(a.URL(), "https://127.0.0.1:") {
		t.Errorf("URL %q", a.URL())
	}
	serial := func() string {
		c, err := tls.Dial("tcp", a.Addr(), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	if got := serial(); got != first {
		t.Errorf("served %q, want %q", got, first)
	}
	second := writeCertificate(t, cert, key, "second")
	if got := serial(); got != second {
		t.Errorf("after the renewal it served %q, want %q", got, second)
	}
	// In the middle of a renewal the one before serves.
	if err := os.WriteFile(cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := serial(); got != second {
		t.Errorf("with a broken file it served %q, want %q", got, second)
	}
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true,
	}}
	if body := get(t, client, a.URL()+"/api/health"); !strings.Contains(body, `"ok"`) {
		t.Errorf("health over TLS says %s", body)
	}
}

func TestExamine_saysWhatIsThere(t *testing.T) {
	t.Parallel()
	cfg := settings(t, nil)
	cfg.Providers = map[wire.AgentID]config.Provider{"claude": {Path: "/no/such/claude"}}
	found, err := app.Examine(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	bad, err := app.PrintFindings(&out, found)
	if err != nil || bad {
		t.Errorf("bad %v, %v in %s", bad, err, out.String())
	}
	for _, part := range []string{"agent demo", "ready", "agent claude", "not installed", "data folder", "address", "processes"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%s lacks %q", out.String(), part)
		}
	}
	if _, err := os.Stat(cfg.Data); err == nil {
		t.Error("looking made the data folder")
	}
}
