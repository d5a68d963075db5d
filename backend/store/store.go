package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"time"

	"signalbox/backend/fault"
)

// Options configure a Store.
type Options struct {
	Log *slog.Logger // default discards
}

// Store is the index. Use [Open].
type Store struct {
	path  string
	log   *slog.Logger
	write *sql.DB // one connection
	read  *sql.DB
	// patience and largePages are those of a search.
	patience   time.Duration
	largePages int

	mu    sync.Mutex
	known map[string]struct{} // words that are in the index
}

// Open opens the index at path, which is made if it is not there. One that
// cannot be read as an index is put aside under another name first.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	s := &Store{path: path, log: opts.Log, patience: patience, largePages: largePages}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	err := s.open(ctx)
	if err == nil {
		return s, nil
	}
	if !Damaged(err) {
		return nil, explain("open the index", err)
	}
	s.log.Warn("index put aside and begun anew", "path", path, "err", err)
	if err := PutAside(path); err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		return nil, explain("open the index", err)
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if err := makePlain(s.path); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.write, err = connect(s.path, "&_txlock=immediate", 1); err != nil {
		return err
	}
	if err := migrate(ctx, s.write); err != nil {
		return err
	}
	s.read, err = connect(s.path, "&_pragma=query_only(1)", 4)
	return err
}

// connect opens a pool of connections; the first use of each opens the file.
func connect(path, more string, most int) (*sql.DB, error) {
	name := (&url.URL{Scheme: "file", Path: path}).String() +
		"?_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)" +
		"&_pragma=cache_size(-8192)&_pragma=mmap_size(0)&_pragma=temp_store(memory)" + more
	db, err := sql.Open(driver, name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(most)
	db.SetConnMaxIdleTime(time.Minute)
	return db, nil
}

// makePlain makes the file for its owner alone, and refuses what is no file.
func makePlain(path string) error {
	st, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		return f.Close()
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return &fs.PathError{Op: "open", Path: path, Err: fault.ErrNotPlain}
	}
	return nil
}

// siblings are the files that SQLite keeps beside the database.
var siblings = []string{"", "-wal", "-shm"}

// PutAside gives a damaged index at path another name; what was put aside before
// goes. It must not be open.
func PutAside(path string) error {
	for _, s := range siblings {
		err := os.Rename(path+s, path+".damaged"+s)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Disk("put the damaged index aside", err)
		}
	}
	return nil
}

// Remove deletes the index at path. It must not be open.
func Remove(path string) error {
	for _, s := range siblings {
		if err := os.Remove(path + s); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Disk("remove the index", err)
		}
	}
	return nil
}

// Close closes the index. Calls that are under way fail.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// inTx runs f in a transaction that writes.
func (s *Store) inTx(ctx context.Context, doing string, f func(*sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return explain(doing, err)
	}
	if err := f(tx); err != nil {
		return explain(doing, errors.Join(err, tx.Rollback()))
	}
	return explain(doing, tx.Commit())
}

// migrate brings the file to the version of this program.
func migrate(ctx context.Context, db *sql.DB) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	steps, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	if version > len(steps) {
		// The file holds nothing of its own: the logs fill another.
		return fmt.Errorf("%w: it is of version %d, this program knows %d", errLater, version, len(steps))
	}
	for i, name := range steps[version:] {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return err
		}
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, string(text))
		if err == nil {
			_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version+i+1))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, errors.Join(err, tx.Rollback()))
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// Bytes returns what the index at path takes on the disk.
func Bytes(path string) int64 {
	var n int64
	for _, s := range siblings {
		if st, err := os.Lstat(path + s); err == nil {
			n += st.Size()
		}
	}
	return n
}
