// Command signalbox is the daemon and its command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"signalbox/backend/agent/demo"
	"signalbox/backend/app"
	"signalbox/backend/config"
	"signalbox/backend/fault"
	"signalbox/backend/proc"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// Exit codes beside 0 and kong's own for a command line that is not understood.
const (
	exitFailed  = 1
	exitInvalid = 2 // settings or arguments that cannot be right
)

func run(args []string) int {
	// Started by the daemon for each run: nothing else may slow them down.
	if len(args) > 0 {
		switch args[0] {
		case "supervise":
			return proc.Supervise()
		case "demo-agent":
			return demo.Main(context.Background(), os.Stdin, os.Stdout, args[1:])
		}
	}

	var cli cli
	parser, err := kong.New(&cli,
		kong.Name("signalbox"),
		kong.Description("Work with coding agents in the browser, together. Without a command it starts the daemon."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	)
	if err != nil {
		panic(err) // the grammar below is wrong
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "signalbox: %v\nRun `signalbox --help` for what there is.\n", err)
		return exitInvalid
	}
	if err := ctx.Run(&cli.Settings); err != nil {
		return explain(err)
	}
	return 0
}

// explain writes what went wrong, for people, and returns the exit code.
func explain(err error) int {
	var quiet silent
	if errors.As(err, &quiet) {
		return int(quiet)
	}
	code := exitFailed
	for _, err := range split(err) {
		f, ok := errors.AsType[*fault.Error](err)
		if !ok {
			fmt.Fprintf(os.Stderr, "signalbox: %v\n", err)
			continue
		}
		fmt.Fprintf(os.Stderr, "signalbox: %s\n", f.Message)
		if f.Hint != "" {
			fmt.Fprintf(os.Stderr, "  %s\n", f.Hint)
		}
		if f.Code == fault.Invalid {
			code = exitInvalid
		}
	}
	return code
}

// split takes apart errors that were joined.
func split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // the joint itself is meant
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, split(e)...)
	}
	return all
}

// silent is an exit code whose reason was printed already.
type silent int

func (silent) Error() string { return "failed" }

// settings are the flags that set a setting, for one start.
type settings struct {
	Config         string  `help:"Settings file." placeholder:"FILE"`
	Addr           *string `help:"Address to listen on (127.0.0.1:7333)." placeholder:"HOST:PORT"`
	Data           *string `help:"Data folder." placeholder:"DIR"`
	URL            *string `name:"url" help:"How browsers reach the daemon, if not at its address." placeholder:"URL"`
	Roots          *string `help:"Folders below which projects may lie." placeholder:"DIR:DIR"`
	TrustedProxies *string `help:"Reverse proxies that are believed about whom they ask for." placeholder:"NET,NET"`
	LogLevel       *string `help:"Least level to log: debug, info, warn or error." placeholder:"LEVEL"`
	AllowPublic    *bool   `help:"Allow an address that other machines reach, without TLS."`
	TLSCert        *string `name:"tls-cert" help:"Certificate, PEM." placeholder:"FILE"`
	TLSKey         *string `name:"tls-key" help:"Its key, PEM." placeholder:"FILE"`
}

func (s *settings) load() (*config.Config, error) {
	flags := map[string]string{}
	for name, value := range map[string]*string{
		"addr": s.Addr, "data": s.Data, "url": s.URL, "roots": s.Roots, "log_level": s.LogLevel,
		"trusted_proxies": s.TrustedProxies,
		"tls_cert":        s.TLSCert, "tls_key": s.TLSKey,
	} {
		if value != nil {
			flags[name] = *value
		}
	}
	if s.AllowPublic != nil {
		flags["allow_public"] = fmt.Sprint(*s.AllowPublic)
	}
	return config.Load(config.Input{Flags: flags, Environ: os.Environ(), File: s.Config, Agents: app.AgentIDs()})
}
