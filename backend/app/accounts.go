package app

import (
	"context"
	"errors"
	"log/slog"

	"signalbox/backend/access"
	"signalbox/backend/auth"
	"signalbox/backend/config"
	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// Accounts makes and changes accounts: a [Client] or, where no daemon runs, the
// accounts of the data folder itself.
type Accounts interface {
	AddUser(ctx context.Context, name, password string, role access.Role) (wire.Person, error)
	SetPassword(ctx context.Context, name, password string) error
}

// WithAccounts gives f the accounts of a data folder that no daemon serves, and
// holds the folder meanwhile (fault unavailable if one does).
func WithAccounts(cfg *config.Config, log *slog.Logger, f func(Accounts) error) (err error) {
	if err := prepareFolder(cfg.Data, log); err != nil {
		return err
	}
	logs, err := eventlog.Open(cfg.Data, eventlog.Options{Log: log})
	if err != nil {
		return folderFault(cfg.Data, err)
	}
	defer func() { err = errors.Join(err, logs.Close()) }()
	a, err := auth.Open(cfg.Data, auth.Options{Log: log})
	if err != nil {
		return err
	}
	return f(a)
}
