// Package modeltest runs the scripted model API of package scripted for tests.
package modeltest

import (
	"context"
	"net"
	"testing"

	"signalbox/backend/model/scripted"
)

// Start runs a server on loopback until the test ends and returns it with its
// base address.
func Start(tb testing.TB, opts scripted.Options) (*scripted.Server, string) {
	tb.Helper()
	ln, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("listen for the scripted model: %v", err)
	}
	s := scripted.New(opts)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1) // one value, when Serve has returned
	go func() { served <- s.Serve(ctx, ln) }()
	tb.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			tb.Errorf("serve the scripted model: %v", err)
		}
	})
	return s, "http://" + ln.Addr().String()
}
