package auth

import (
	"fmt"
	"math"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"signalbox/backend/fault"
)

// Limited is the error for too many tries. It wraps a [fault.Error] with code
// rate_limited.
type Limited struct {
	// After is how long to wait until the next try is allowed.
	After time.Duration

	fault *fault.Error
}

// Error returns the message for the log.
func (l *Limited) Error() string { return l.fault.Error() }

// Unwrap returns the fault.
func (l *Limited) Unwrap() error { return l.fault }

func tooMany(after time.Duration) error {
	seconds := int(math.Ceil(after.Seconds()))
	return &Limited{After: after, fault: fault.New(fault.RateLimited, "Too many tries to sign in.").
		WithHint("%s", fmt.Sprintf("Try again in %d s.", seconds))}
}

// limiter counts tries by key: burst at once, then one for each interval.
type limiter struct {
	burst int
	every rate.Limit

	mu   sync.Mutex
	keys map[string]*rate.Limiter // at most limiterKeys
}

const limiterKeys = 4096

func newLimiter(burst int, interval time.Duration) *limiter {
	return &limiter{burst: burst, every: rate.Every(interval), keys: map[string]*rate.Limiter{}}
}

// take counts a try and returns 0, or does not count it and returns how long to
// wait.
func (l *limiter) take(key string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	lim, ok := l.keys[key]
	if !ok {
		if len(l.keys) >= limiterKeys {
			l.evictLocked(now)
		}
		lim = rate.NewLimiter(l.every, l.burst)
		l.keys[key] = lim
	}
	r := lim.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// forget begins anew with key, after a success.
func (l *limiter) forget(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.keys, key)
}

// evictLocked drops the keys that have all of their tries again, or the one that
// has most.
func (l *limiter) evictLocked(now time.Time) {
	fullest, most := "", -1.0
	for key, lim := range l.keys {
		switch tokens := lim.TokensAt(now); {
		case tokens >= float64(l.burst):
			delete(l.keys, key)
		case tokens > most:
			fullest, most = key, tokens
		}
	}
	if len(l.keys) >= limiterKeys {
		delete(l.keys, fullest)
	}
}

// network returns what of an address counts as one place: an IPv4 address, the
// first 64 bits of an IPv6 one, which one subscriber has whole.
func network(from string) string {
	ip, err := netip.ParseAddr(from)
	if err != nil {
		ap, err := netip.ParseAddrPort(from)
		if err != nil {
			return "unknown"
		}
		ip = ap.Addr()
	}
	ip = ip.Unmap()
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
