package app

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"

	"signalbox/backend/fault"
)

// certificate is the TLS certificate of two files, read again when they change:
// a renewal needs no restart.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu     sync.Mutex
	loaded *tls.Certificate
	from   time.Time // when the newer of the files was written
}

func newCertificate(cert, key string, log *slog.Logger) (*certificate, error) {
	c := &certificate{cert: cert, key: key, log: log}
	if err := c.load(); err != nil {
		return nil, fault.New(fault.Invalid, "The certificate cannot be used: %v.", err).
			WithHint("Check tls_cert and tls_key: PEM files that belong together and that Signalbox may read.").Because(err)
	}
	return c, nil
}

func (c *certificate) load() error {
	from, err := c.written()
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.loaded, c.from = &pair, from
	return nil
}

func (c *certificate) written() (newest time.Time, err error) {
	for _, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return time.Time{}, err
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return newest, nil
}

// get returns the certificate for a connection. If the files cannot be read
// again, as in the middle of a renewal, the one before serves.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from, err := c.written(); err != nil || !from.Equal(c.from) {
		if err == nil {
			err = c.load()
		}
		if err != nil {
			c.log.Warn("certificate not renewed", "err", err)
		}
	}
	return c.loaded, nil
}
