package store

import (
	"context"
	"strconv"
	"time"
)

// Limit lets the file have at most so many pages, as a disk that is full does; 0
// is no limit.
func (s *Store) Limit(ctx context.Context, pages int) error {
	if pages == 0 {
		pages = 1 << 30
	}
	var now int
	return s.write.QueryRowContext(ctx, "PRAGMA max_page_count = "+strconv.Itoa(pages)).Scan(&now)
}

// Large makes the index count as a large one, in which a search says after patience
// how far it came.
func (s *Store) Large(patience time.Duration) { s.largePages, s.patience = 0, patience }
