package eventlog

import (
	"context"
	"io"

	"signalbox/backend/wire"
)

// Snapshot is a log's file as it was at one moment, to be copied: what follows
// that moment is not in it, and what replaces the file does not disturb it.
type Snapshot struct {
	io.Reader
	Bytes int64
	Upto  wire.Position

	file file
}

// Snapshot returns the log up to an end that is durable. The caller closes it.
func (l *Log) Snapshot(ctx context.Context) (*Snapshot, error) {
	if err := l.Sync(ctx); err != nil {
		return nil, err
	}
	s, err := l.own()
	if err != nil {
		return nil, err
	}
	return &Snapshot{
		Reader: io.NewSectionReader(s.file, 0, s.size), Bytes: s.size,
		Upto: wire.Position{Epoch: s.epoch, Seq: s.last}, file: s.file,
	}, nil
}

// Close closes the file.
func (s *Snapshot) Close() error { return s.file.Close() }
