package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"signalbox/backend/wire"
)

const (
	// defaultPace is the time between two pieces of text.
	defaultPace = 30 * time.Millisecond
	// maxOrder bounds a line from the daemon: a prompt of 1 MB in which every
	// byte is escaped.
	maxOrder = 8 << 20
)

// Main is the agent's process. It plays one prompt and returns the exit code: 0
// when the daemon was told the end, whatever it was. SIGINT and SIGTERM, the end
// of ctx and the end of stdin stop it like an interrupt.
//
// A goroutine reads stdin and may outlive Main by one read, as the process ends
// right after it.
func Main(ctx context.Context, stdin io.Reader, stdout io.Writer, args []string) int {
	flags := flag.NewFlagSet("demo-agent", flag.ContinueOnError)
	pace := flags.Duration("pace", defaultPace, "time between two pieces of text; 0 for none")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := play(ctx, stdin, stdout, *pace); err != nil {
		fmt.Fprintln(os.Stderr, "demo-agent:", err)
		return 1
	}
	return 0
}

// play reads the start and plays it.
func play(ctx context.Context, stdin io.Reader, stdout io.Writer, pace time.Duration) error {
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	orders := make(chan order) // from the reader below, which closes it at the end of stdin
	go func() {
		defer close(orders)
		interrupt(readOrders(ctx, stdin, orders))
	}()
	start, err := firstOrder(ctx, orders)
	if err != nil {
		return err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	p, err := newPlayer(stdout, orders, cwd, pace)
	if err != nil {
		return err
	}
	return errors.Join(p.run(ctx, start), p.close())
}

// firstOrder waits for the start.
func firstOrder(ctx context.Context, orders <-chan order) (order, error) {
	select {
	case start, ok := <-orders:
		switch {
		case !ok:
			break
		case start.Type != orderStart:
			return order{}, fmt.Errorf("the first line is of type %q, not %q", start.Type, orderStart)
		default:
			return start, nil
		}
	case <-ctx.Done():
	}
	return order{}, fmt.Errorf("wait for a prompt: %w", context.Cause(ctx))
}

var (
	errInterrupted = errors.New("interrupted")
	errStdinEnded  = errors.New("the daemon closed the input")
)

// readOrders passes orders on until stdin ends, and returns why it stopped. It
// does not pass on an interrupt: it returns.
func readOrders(ctx context.Context, stdin io.Reader, orders chan<- order) error {
	lines := bufio.NewScanner(stdin)
	lines.Buffer(make([]byte, 0, 64<<10), maxOrder)
	for lines.Scan() {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return fmt.Errorf("read an order: %w", err)
		}
		if o.Type == orderInterrupt {
			return errInterrupted
		}
		select {
		case orders <- o:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read an order: %w", err)
	}
	return errStdinEnded
}

// status is the verdict that an ending of the script stands for.
func status(ctx context.Context, err error) wire.Status {
	switch {
	case err == nil:
		return wire.StatusOK
	case ctx.Err() != nil:
		return wire.StatusCancelled
	default:
		return wire.StatusFailed
	}
}
