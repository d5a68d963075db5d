package auth

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"sync/atomic"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"signalbox/backend/fault"
)

// Cost is the work of hashing one password with argon2id. A hash keeps the cost
// that it was made with.
type Cost struct {
	MemoryKiB uint32 // default 32 MiB
	Passes    uint32 // default 3
	Lanes     uint8  // default 1
}

const (
	shortest = 10   // characters of a password
	longest  = 1024 // bytes of a password
)

func checkPassword(p string) error {
	switch n := utf8.RuneCountInString(p); {
	case len(p) > longest:
		return fault.New(fault.Invalid, "The password has %d bytes; at most %d are allowed.", len(p), longest)
	case n < shortest:
		return fault.New(fault.Invalid, "The password has %d characters; it needs at least %d.", n, shortest).
			WithHint("A few words in a row are easy to keep in mind.")
	}
	return nil
}

// hasher hashes and compares passwords, a few at a time: each takes tens of MiB
// and a core.
type hasher struct {
	params argon2id.Params
	// decoy is a hash of no password, with which an unknown name is compared.
	decoy string
	// slots has an element for each hash that may be made at once.
	slots chan struct{}
	// waiting counts callers that have or want a slot.
	waiting atomic.Int32
}

const (
	hashesAtOnce  = 2
	hashesWaiting = 32
)

func newHasher(c Cost) *hasher {
	h := &hasher{
		params: argon2id.Params{
			Memory: cmp.Or(c.MemoryKiB, 32*1024), Iterations: cmp.Or(c.Passes, 3),
			Parallelism: cmp.Or(c.Lanes, 1), SaltLength: 16, KeyLength: 32,
		},
		slots: make(chan struct{}, hashesAtOnce),
	}
	secret, key := newSecret()
	enc := base64.RawStdEncoding
	h.decoy = fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", h.params.Memory, h.params.Iterations,
		h.params.Parallelism, enc.EncodeToString([]byte(secret)[:h.params.SaltLength]), enc.EncodeToString(key[:]))
	return h
}

func (h *hasher) hash(ctx context.Context, password string) (hash string, err error) {
	slotErr := h.inSlot(ctx, func() { hash, err = argon2id.CreateHash(password, &h.params) })
	return hash, cmp.Or(slotErr, err)
}

// compare reports whether hash is that of password. A password that is too long
// is compared as the empty one, which no hash is of.
func (h *hasher) compare(ctx context.Context, password, hash string) (ok bool, err error) {
	if len(password) > longest {
		password = ""
	}
	slotErr := h.inSlot(ctx, func() { ok, err = argon2id.ComparePasswordAndHash(password, hash) })
	return ok, cmp.Or(slotErr, err)
}

func (h *hasher) inSlot(ctx context.Context, work func()) error {
	defer h.waiting.Add(-1)
	if h.waiting.Add(1) > hashesAtOnce+hashesWaiting {
		return fault.New(fault.Unavailable, "Too many people are signing in at this moment.").
			WithHint("Try again in a few seconds.")
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
		work()
		return nil
	case <-ctx.Done():
		return fault.New(fault.Canceled, "The request was given up.").Because(context.Cause(ctx))
	}
}
