package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRun_printsItsAddressAndAnswersThere(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	ended := make(chan error, 1) // one value, when run has returned
	go func() { ended <- run(ctx, w, "127.0.0.1:0", false) }()
	line, err := bufio.NewReader(r).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var printed struct{ URL string }
	if err := json.Unmarshal(line, &printed); err != nil {
		t.Fatalf("line %q: %v", line, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, printed.URL+"/requests", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("status %d, close: %v", resp.StatusCode, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("run = %v", err)
	}
}

func TestRun_refusesAnAddressThatOthersReach(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "example.org:80", "nonsense"} {
		if err := run(t.Context(), io.Discard, addr, false); err == nil {
			t.Errorf("run(%q) listened", addr)
		}
	}
}

func TestRun_listsTheScenarios(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, "", true); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "edit ") || !strings.Contains(out.String(), "once-429") {
		t.Errorf("list:\n%s", out.String())
	}
}
