// Package latest tells a reader which things changed, not how: each at most once,
// however often it changed meanwhile, in the order of their first change. So what
// waits for a slow reader is bounded by how many things there are.
//
// A Set may be used by many goroutines at once.
package latest

import "sync"

// Set is the things that changed since they were taken. Use [New].
type Set[K comparable] struct {
	// woken holds one value when the set may not be empty. Who notes a change
	// sends and never waits: a full channel says all there is to say.
	woken chan struct{}

	mu      sync.Mutex
	changed map[K]struct{}
	order   []K // the keys of changed, first change first
}

// New returns an empty set.
func New[K comparable]() *Set[K] {
	return &Set[K]{woken: make(chan struct{}, 1), changed: map[K]struct{}{}}
}

// Woken returns a channel that has a value once something was noted.
func (s *Set[K]) Woken() <-chan struct{} { return s.woken }

// Note says that the thing changed.
func (s *Set[K]) Note(k K) {
	s.mu.Lock()
	if _, ok := s.changed[k]; !ok {
		s.changed[k] = struct{}{}
		s.order = append(s.order, k)
	}
	s.mu.Unlock()
	s.wake()
}

// Take returns up to n things that changed and forgets that they did.
func (s *Set[K]) Take(n int) []K {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(len(s.order), n)
	taken := append([]K(nil), s.order[:n]...)
	s.order = append(s.order[:0], s.order[n:]...)
	for _, k := range taken {
		delete(s.changed, k)
	}
	if len(s.order) > 0 {
		s.wake()
	}
	return taken
}

func (s *Set[K]) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}
