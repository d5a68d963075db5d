// Package id mints the ids of chats, runs and people: a prefix that tells the
// kind and a ULID, so that ids sort by the time at which they were made.
//
// All functions may be called from many goroutines at once.
package id

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

var source = struct {
	sync.Mutex

	entropy *ulid.MonotonicEntropy
	last    uint64 // milliseconds of the newest id
}{entropy: ulid.Monotonic(rand.Reader, 0)}

// New returns prefix and a new ULID. Ids of one process rise also when the
// clock is set back.
func New(prefix string) string {
	source.Lock()
	defer source.Unlock()
	source.last = max(source.last, ulid.Timestamp(time.Now()))
	return prefix + ulid.MustNew(source.last, source.entropy).String()
}
