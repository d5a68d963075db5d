package store

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"signalbox/backend/fault"
)

const driver = "sqlite"

//go:embed migrations/*.sql
var migrations embed.FS

// errLater means that a later version of Signalbox wrote the index.
var errLater = errors.New("the index is of a later version")

// Damaged reports whether err means that the file is no index that can be used,
// so that only beginning anew helps.
func Damaged(err error) bool {
	if errors.Is(err, errLater) {
		return true
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch primary(e) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT,
		sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_SCHEMA:
		// The statements are this package's own and its tests run them: where one
		// does not fit, the tables are not what it made.
		return true
	}
	return false
}

// primary is the code without what extends it.
func primary(e *sqlite.Error) int { return e.Code() & 0xff }

// explain turns what SQLite reports into what a person can act on.
func explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return fault.Disk(doing, err)
	}
	cause := fmt.Errorf("%s: %w", doing, err)
	switch primary(e) {
	case sqlite3.SQLITE_INTERRUPT:
		return cause
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return fault.New(fault.Unavailable, "The search index can't be written: the disk is full or fails. The chats are safe.").
			WithHint("Make room on the disk of the data folder; the index goes on by itself.").Because(cause)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return fault.New(fault.Unavailable, "The search index can't be written. The chats are safe.").
			WithHint("Give the user of the daemon the right to write to index.db in the data folder.").Because(cause)
	default:
		return fault.New(fault.Unavailable, "The search index can't be used. The chats are safe.").
			WithHint("It is made anew by `signalbox reindex`.").Because(cause)
	}
}
