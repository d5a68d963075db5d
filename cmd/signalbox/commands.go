package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"signalbox/backend/app"
	"signalbox/backend/fault"
)

// program is one call of the command line.
type program struct {
	settings settings
	err      error // of the command that was called
}

// root returns the grammar of the command line. An error of its execution is one
// of the command line itself.
func (p *program) root() *cobra.Command {
	root := p.command("signalbox", "Work with coding agents in the browser, together", nil, p.serve)
	root.Long = root.Short + ". Without a command it starts the daemon."
	root.Version = app.Build()
	root.SilenceErrors, root.SilenceUsage = true, true
	p.settings = addSettings(root)
	root.AddCommand(
		p.command("serve", "Start the daemon (the default)", cobra.NoArgs, p.serve),
		p.command("status", "Say whether the daemon is running, and where", cobra.NoArgs, p.status),
		p.command("setup-link", "Print a new link to make the first account", cobra.NoArgs, p.setupLink),
		p.users(),
		p.doctor(),
		p.command("config", "Print the settings and where each comes from", cobra.NoArgs, p.config),
		p.backup(),
		p.command("restore FILE", "Make an empty data folder what a backup holds; - is standard input",
			one("FILE"), p.restore),
		p.command("reindex", "Make the search index anew", cobra.NoArgs, p.reindex),
		p.command("healthcheck", "Succeed if the daemon answers, for containers", cobra.NoArgs, p.healthcheck),
		p.command("version", "Print the version", cobra.NoArgs, showVersion),
	)
	return root
}

// command returns a command that does do, whose error is kept apart from those
// of the command line.
func (p *program) command(use, short string, args cobra.PositionalArgs, do func(args []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: args,
		Run: func(_ *cobra.Command, args []string) { p.err = do(args) },
	}
}

// one says that a command takes one argument, which what names.
func one(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s takes one %s, and got %d", cmd.CommandPath(), what, len(args))
		}
		return nil
	}
}

// patience bounds a command that asks the daemon.
const patience = 30 * time.Second

func (p *program) serve([]string) (err error) {
	cfg, err := p.settings.load()
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

func (p *program) status([]string) error {
	return p.ask(func(ctx context.Context, c *app.Client) error {
		st, err := c.Status(ctx)
		if err != nil {
			return err
		}
		return st.Print(os.Stdout)
	})
}

func (p *program) setupLink([]string) error {
	return p.ask(func(ctx context.Context, c *app.Client) error {
		link, err := c.SetupLink(ctx)
		if err != nil {
			return err
		}
		fmt.Println(link)
		return nil
	})
}

func (p *program) doctor() *cobra.Command {
	deep := false
	cmd := p.command("doctor", "Say what is missing on this machine, and how to get it", cobra.NoArgs,
		func([]string) error { return p.examine(deep) })
	cmd.Flags().BoolVar(&deep, "deep", false,
		"also play short turns through each agent, offline, and say which behaviours hold; it takes a minute or two")
	return cmd
}

// deepPatience bounds the turns of all agents.
const deepPatience = 10 * time.Minute

func (p *program) examine(deep bool) error {
	cfg, err := p.settings.load()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	found, err := app.Examine(ctx, cfg)
	if err != nil {
		return err
	}
	if deep {
		exe, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find the program: %w", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), deepPatience)
		defer cancel()
		turns, err := app.ExamineDeeply(ctx, cfg, exe)
		if err != nil {
			return err
		}
		found = append(found, turns...)
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

func (p *program) config([]string) error {
	cfg, err := p.settings.load()
	if err != nil {
		return err
	}
	return cfg.Print(os.Stdout)
}

func (p *program) healthcheck([]string) error {
	return p.ask(func(ctx context.Context, c *app.Client) error {
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

func showVersion([]string) error {
	fmt.Println("signalbox", app.Build())
	return nil
}

// ask gives f a client for the daemon of the data folder.
func (p *program) ask(f func(context.Context, *app.Client) error) error {
	cfg, err := p.settings.load()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return f(ctx, app.NewClient(cfg.Data))
}
