package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// part is something that runs as long as the daemon does.
type part struct {
	name string
	run  func(context.Context) error // returns when its context ends, or when it fails
}

// errLate is returned when the parts did not end in time.
var errLate = errors.New("the daemon did not stop in time")

// runParts starts the parts in order. When ctx ends, or one of them does, it
// stops them in reverse, each only after the ones above it are gone, for at most
// limit in all.
func runParts(ctx context.Context, limit time.Duration, ready func(), parts ...part) error {
	type running struct {
		part
		stop context.CancelFunc
		done chan error // one value, from the part's goroutine
	}
	var (
		all   []running
		ended = make(chan struct{}, len(parts)) // a token from each part that ends
	)
	for _, p := range parts {
		// A part's end is this function's to order, so its context does not end
		// with ctx; the values stay.
		own, stop := context.WithCancel(context.WithoutCancel(ctx))
		r := running{p, stop, make(chan error, 1)}
		go func() {
			r.done <- r.run(own)
			ended <- struct{}{}
		}()
		all = append(all, r)
	}
	ready()
	select {
	case <-ctx.Done():
	case <-ended:
	}
	stopping := ctx.Err() != nil

	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	var errs []error
	for _, r := range slices.Backward(all) {
		early := false
		select {
		case err := <-r.done:
			early = true
			r.done <- err
		default:
		}
		r.stop()
		select {
		case err := <-r.done:
			switch {
			case err != nil && !errors.Is(err, context.Canceled):
				errs = append(errs, fmt.Errorf("%s: %w", r.name, err))
			case early && !stopping:
				errs = append(errs, fmt.Errorf("%s ended by itself", r.name))
			}
		case <-deadline.C:
			for _, r := range all {
				r.stop()
			}
			return errors.Join(append(errs, fmt.Errorf("%w: %s is still at work", errLate, r.name))...)
		}
	}
	return errors.Join(errs...)
}
