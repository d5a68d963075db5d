package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"signalbox/backend/access"
	"signalbox/backend/app"
	"signalbox/backend/fault"
)

// cli is the grammar of the command line.
type cli struct {
	Settings settings `embed:""`

	Serve       serve       `cmd:"" default:"withargs" help:"Start the daemon (the default)."`
	Status      status      `cmd:"" help:"Say whether the daemon is running, and where."`
	SetupLink   setupLink   `cmd:"" help:"Print a new link to make the first account."`
	User        users       `cmd:"" help:"Make accounts, change passwords."`
	Doctor      doctor      `cmd:"" help:"Say what is missing on this machine, and how to get it."`
	Config      showConfig  `cmd:"" name:"config" help:"Print the settings and where each comes from."`
	Backup      backupCmd   `cmd:"" help:"Save all that the data folder holds into one file, also while the daemon runs."`
	Restore     restoreCmd  `cmd:"" help:"Make an empty data folder what a backup holds."`
	Reindex     reindex     `cmd:"" help:"Make the search index anew."`
	Healthcheck healthcheck `cmd:"" help:"Succeed if the daemon answers, for containers."`
	Version     showVersion `cmd:"" help:"Print the version."`
}

// patience bounds a command that asks the daemon.
const patience = 30 * time.Second

type serve struct{}

func (serve) Run(s *settings) (err error) {
	cfg, err := s.load()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals()...)
	defer stop()
	a, err := app.Open(cfg, app.Options{Log: app.NewLogger(os.Stderr, cfg.LogLevel), Out: os.Stdout})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	// A second signal ends the process at once.
	defer context.AfterFunc(ctx, stop)()
	return a.Run(ctx)
}

// stopSignals are the signals that stop the daemon in good order. The end of its
// terminal is one, unless it was started to outlive that, as by nohup.
func stopSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

type status struct{}

func (status) Run(s *settings) error {
	return ask(s, func(ctx context.Context, c *app.Client) error {
		st, err := c.Status(ctx)
		if err != nil {
			return err
		}
		return st.Print(os.Stdout)
	})
}

type setupLink struct{}

func (setupLink) Run(s *settings) error {
	return ask(s, func(ctx context.Context, c *app.Client) error {
		link, err := c.SetupLink(ctx)
		if err != nil {
			return err
		}
		fmt.Println(link)
		return nil
	})
}

type users struct {
	Add      addUser     `cmd:"" help:"Make an account."`
	Password setPassword `cmd:"" help:"Change an account's password and end its sessions."`
}

type addUser struct {
	Name          string `arg:"" help:"The name to sign in with."`
	Admin         bool   `help:"May manage accounts." xor:"role"`
	Viewer        bool   `help:"May read, and not send." xor:"role"`
	PasswordStdin bool   `help:"Read the password from standard input." required:""`
}

func (u addUser) Run(s *settings) error {
	password, err := readPassword(os.Stdin)
	if err != nil {
		return err
	}
	role := access.Member
	switch {
	case u.Admin:
		role = access.Admin
	case u.Viewer:
		role = access.Viewer
	}
	return change(s, func(ctx context.Context, a app.Accounts) error {
		p, err := a.AddUser(ctx, u.Name, password, role)
		if err != nil {
			return err
		}
		fmt.Printf("Made the account %q (%s).\n", p.Name, role)
		return nil
	})
}

type setPassword struct {
	Name          string `arg:"" help:"The account's name."`
	PasswordStdin bool   `help:"Read the password from standard input." required:""`
}

func (u setPassword) Run(s *settings) error {
	password, err := readPassword(os.Stdin)
	if err != nil {
		return err
	}
	return change(s, func(ctx context.Context, a app.Accounts) error {
		if err := a.SetPassword(ctx, u.Name, password); err != nil {
			return err
		}
		fmt.Printf("Changed the password of %q and ended its sessions.\n", u.Name)
		return nil
	})
}

// readPassword reads one line, of which the end is not part of the password.
func readPassword(r io.Reader) (string, error) {
	const most = 64 << 10
	line, err := bufio.NewReader(io.LimitReader(r, most)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	if line == "" {
		return "", fault.New(fault.Invalid, "There is no password on standard input.").
			WithHint("Pipe it in, as in: signalbox user add NAME --password-stdin < file")
	}
	return line, nil
}

type doctor struct {
	Deep bool `help:"Also play short turns through each agent, offline, and say which behaviours hold. It takes a minute or two."`
}

// deepPatience bounds the turns of all agents.
const deepPatience = 10 * time.Minute

func (d doctor) Run(s *settings) error {
	cfg, err := s.load()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	found, err := app.Examine(ctx, cfg)
	if err != nil {
		return err
	}
	if d.Deep {
		exe, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find the program: %w", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), deepPatience)
		defer cancel()
		deep, err := app.ExamineDeeply(ctx, cfg, exe)
		if err != nil {
			return err
		}
		found = append(found, deep...)
	}
	bad, err := app.PrintFindings(os.Stdout, found)
	if err != nil {
		return err
	}
	if bad {
		return silent(exitFailed)
	}
	return nil
}

type showConfig struct{}

func (showConfig) Run(s *settings) error {
	cfg, err := s.load()
	if err != nil {
		return err
	}
	return cfg.Print(os.Stdout)
}

type healthcheck struct{}

func (healthcheck) Run(s *settings) error {
	return ask(s, func(ctx context.Context, c *app.Client) error {
		st, err := c.Status(ctx)
		if err != nil {
			return err
		}
		url := "http://" + st.Listen + "/api/health"
		if st.TLS {
			url = "https://" + st.Listen + "/api/health"
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		// It is our own daemon, which the control socket has just named, and its
		// certificate is for the name that browsers use.
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // see above
		res, err := client.Do(req)
		if err != nil {
			return fault.New(fault.Unavailable, "The daemon does not answer at %s.", st.Listen).Because(err)
		}
		defer res.Body.Close() //nolint:errcheck // only read
		if res.StatusCode != http.StatusOK {
			return fault.New(fault.Unavailable, "The daemon answers %s at %s.", res.Status, st.Listen)
		}
		return nil
	})
}

type showVersion struct{}

func (showVersion) Run() error {
	fmt.Println("signalbox", app.Build())
	return nil
}

// ask gives f a client for the daemon of the data folder.
func ask(s *settings, f func(context.Context, *app.Client) error) error {
	cfg, err := s.load()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return f(ctx, app.NewClient(cfg.Data))
}

// change gives f the accounts: the running daemon's or, where none runs, the
// data folder's own.
func change(s *settings, f func(context.Context, app.Accounts) error) error {
	cfg, err := s.load()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client := app.NewClient(cfg.Data)
	if _, err := client.Status(ctx); err == nil {
		return f(ctx, client)
	} else if !errors.Is(err, app.ErrNotRunning) {
		return err
	}
	return app.WithAccounts(cfg, app.NewLogger(os.Stderr, cfg.LogLevel), func(a app.Accounts) error { return f(ctx, a) })
}
