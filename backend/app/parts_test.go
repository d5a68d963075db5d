package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// recorder notes the order in which parts start and stop.
type recorder struct {
	mu  sync.Mutex
	log []string
}

func (r *recorder) add(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, s)
}

func (r *recorder) part(name string, fail <-chan error, slow time.Duration) part {
	return part{name, func(ctx context.Context) error {
		select {
		case err := <-fail:
			return err
		case <-ctx.Done():
		}
		time.Sleep(slow) // the bubble's clock
		r.add(name)
		return nil
	}}
}

func TestRunParts_stopsInReverse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var rec recorder
		ctx, cancel := context.WithCancel(t.Context())
		ready := false
		done := make(chan error, 1)
		go func() {
			done <- runParts(ctx, time.Minute, func() { ready = true },
				rec.part("log", nil, 0), rec.part("door", nil, time.Second), rec.part("hub", nil, 3*time.Second))
		}()
		synctest.Wait()
		if !ready {
			t.Error("not ready although all parts run")
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if want := []string{"hub", "door", "log"}; !slices.Equal(rec.log, want) {
			t.Errorf("stopped in the order %v, want %v", rec.log, want)
		}
	})
}

func TestRunParts_aPartThatFailsStopsTheOthers(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for _, tt := range []struct {
		name string
		err  error
	}{{"with an error", boom}, {"without", nil}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var rec recorder
				fail := make(chan error, 1)
				done := make(chan error, 1)
				go func() {
					done <- runParts(t.Context(), time.Minute, func() {},
						rec.part("log", nil, 0), rec.part("door", fail, 0), rec.part("hub", nil, 0))
				}()
				synctest.Wait()
				fail <- tt.err
				err := <-done
				if err == nil || (tt.err != nil && !errors.Is(err, tt.err)) {
					t.Errorf("got %v", err)
				}
				if want := []string{"hub", "log"}; !slices.Equal(rec.log, want) {
					t.Errorf("stopped %v, want %v", rec.log, want)
				}
			})
		})
	}
}

func TestRunParts_givesUpOnOneThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var rec recorder
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		err := runParts(ctx, 20*time.Second, func() {}, rec.part("log", nil, 0), rec.part("hub", nil, time.Hour))
		if !errors.Is(err, errLate) {
			t.Errorf("got %v, want %v", err, errLate)
		}
		if d := time.Since(began); d != 20*time.Second {
			t.Errorf("gave up after %s", d)
		}
		time.Sleep(time.Hour) // the hub's, which ends with the process otherwise
	})
}
