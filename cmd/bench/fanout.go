//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// bareVariable makes this program the bare server: "clients events size".
const bareVariable = "SIGNALBOX_BENCH_BARE"

// serveBare writes events to each client, a write each, as fast as they are
// taken: the least that a server can do which sends every event at once.
func serveBare(spec string) error {
	var clients, events, size int
	if _, err := fmt.Sscan(spec, &clients, &events, &size); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	conns := make([]net.Conn, clients)
	for i := range conns {
		if conns[i], err = l.Accept(); err != nil {
			return err
		}
	}
	event := []byte(strings.Repeat("x", size-1) + "\n")
	for range events {
		for _, c := range conns {
			if _, err := c.Write(event); err != nil {
				return err
			}
		}
	}
	for _, c := range conns {
		err = errors.Join(err, c.Close())
	}
	return err
}

// bareFanout returns the deliveries a second of the bare server.
func bareFanout(ctx context.Context, clients, events int) (_ float64, err error) {
	const size = 300
	exe, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), bareVariable+"="+strings.Join([]string{strconv.Itoa(clients), strconv.Itoa(events), strconv.Itoa(size)}, " "))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, cmd.Wait()) }()
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return 0, err
	}
	conns := make([]net.Conn, clients)
	for i := range conns {
		if conns[i], err = net.Dial("tcp", strings.TrimSpace(addr)); err != nil {
			return 0, err
		}
		defer conns[i].Close()
	}
	errs := make([]error, clients)
	var wg sync.WaitGroup
	began := time.Now()
	for i, c := range conns {
		wg.Go(func() {
			n, err := io.Copy(io.Discard, c)
			if err == nil && n != int64(events*size) {
				err = fmt.Errorf("a client got %d bytes of %d", n, events*size)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	return rate(clients*events, time.Since(began)), errors.Join(errs...)
}
