// Modelserver runs the scripted model API of package scripted for tests in
// other processes, such as journeys in a browser.
//
// It prints one line of JSON, {"url":"http://127.0.0.1:…"}, once it answers, and
// runs until SIGINT or SIGTERM.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"signalbox/backend/model/scripted"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on; it must be a loopback address")
	list := flag.Bool("list", false, "print the scenarios and exit")
	flag.Parse()
	if err := run(ctx, os.Stdout, *addr, *list); err != nil {
		fmt.Fprintln(os.Stderr, "modelserver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, addr string, list bool) error {
	if list {
		for _, sc := range scripted.Standard() {
			if _, err := fmt.Fprintf(out, "%-18s %s\n", sc.Name, sc.Note); err != nil {
				return err
			}
		}
		return nil
	}
	if host, _, err := net.SplitHostPort(addr); err != nil {
		return fmt.Errorf("read -addr: %w", err)
	} else if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("-addr %q is not a loopback address such as 127.0.0.1:0", addr)
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if err := json.NewEncoder(out).Encode(map[string]string{"url": "http://" + ln.Addr().String()}); err != nil {
		return err
	}
	return scripted.New(scripted.Options{}).Serve(ctx, ln)
}
