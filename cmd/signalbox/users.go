package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/backend/access"
	"signalbox/backend/app"
	"signalbox/backend/fault"
)

// users is the command of accounts, which itself does nothing.
func (p *program) users() *cobra.Command {
	user := &cobra.Command{
		Use: "user", Short: "Make accounts, change passwords", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return errors.New("user: say what to do, add or password") },
	}
	user.AddCommand(p.addUser(), p.setPassword())
	return user
}

func (p *program) addUser() *cobra.Command {
	admin, viewer := false, false
	cmd := p.command("add NAME", "Make an account", one("NAME"), func(args []string) error {
		role := access.Member
		switch {
		case admin && viewer:
			return fault.New(fault.Invalid, "An account is --admin or --viewer, not both.")
		case admin:
			role = access.Admin
		case viewer:
			role = access.Viewer
		}
		return p.withPassword(func(ctx context.Context, a app.Accounts, password string) error {
			made, err := a.AddUser(ctx, args[0], password, role)
			if err != nil {
				return err
			}
			fmt.Printf("Made the account %q (%s).\n", made.Name, role)
			return nil
		})
	})
	cmd.Flags().BoolVar(&admin, "admin", false, "may manage accounts")
	cmd.Flags().BoolVar(&viewer, "viewer", false, "may read, and not send")
	return passwordFromStdin(cmd)
}

func (p *program) setPassword() *cobra.Command {
	return passwordFromStdin(p.command("password NAME", "Change an account's password and end its sessions",
		one("NAME"), func(args []string) error {
			return p.withPassword(func(ctx context.Context, a app.Accounts, password string) error {
				if err := a.SetPassword(ctx, args[0], password); err != nil {
					return err
				}
				fmt.Printf("Changed the password of %q and ended its sessions.\n", args[0])
				return nil
			})
		}))
}

// passwordFromStdin makes who calls cmd say that the password comes on standard
// input: on the command line others would see it.
func passwordFromStdin(cmd *cobra.Command) *cobra.Command {
	const name = "password-stdin"
	cmd.Flags().Bool(name, false, "read the password from standard input")
	if err := cmd.MarkFlagRequired(name); err != nil {
		panic(err) // it was added above
	}
	return cmd
}

// withPassword gives f the accounts and the password on standard input.
func (p *program) withPassword(f func(ctx context.Context, a app.Accounts, password string) error) error {
	password, err := readPassword(os.Stdin)
	if err != nil {
		return err
	}
	return p.change(func(ctx context.Context, a app.Accounts) error { return f(ctx, a, password) })
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

// change gives f the accounts: the running daemon's or, where none runs, the
// data folder's own.
func (p *program) change(f func(context.Context, app.Accounts) error) error {
	cfg, err := p.settings.load()
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
