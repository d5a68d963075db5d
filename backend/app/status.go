package app

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"signalbox/backend/wire"
)

func (a *App) status() Status {
	s := Status{
		Version: Build(), PID: os.Getpid(), URL: a.URL(), Listen: a.local(), TLS: a.cfg.TLSCert != "",
		Data: a.cfg.Data, Started: wire.Time{Time: a.born}, Accounts: !a.auth.NeedsSetup(),
	}
	for _, c := range a.chats.List("") {
		s.Chats++
		if c.Running {
			s.Running++
		}
	}
	return s
}

// Print writes the status for people.
func (s Status) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "running\t%s, process %d, for %s\n", s.Version, s.PID, time.Since(s.Started.Time).Round(time.Second))
	fmt.Fprintf(t, "address\t%s\n", s.URL)
	fmt.Fprintf(t, "data\t%s\n", s.Data)
	fmt.Fprintf(t, "chats\t%d, %d running\n", s.Chats, s.Running)
	if !s.Accounts {
		fmt.Fprintf(t, "accounts\tnone yet; run `signalbox setup-link` for the link to make the first\n")
	}
	return t.Flush()
}
