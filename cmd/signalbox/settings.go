package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"signalbox/backend/app"
	"signalbox/backend/config"
)

// settings are the flags that set a setting, for one start.
type settings struct {
	flags *pflag.FlagSet
}

// settingsFile names the flag for where the other settings are. Each of the
// others is the name of its setting, with - for _.
const settingsFile = "config"

// addSettings gives cmd and all below it the flags.
func addSettings(cmd *cobra.Command) settings {
	f := cmd.PersistentFlags()
	f.String(settingsFile, "", "read settings from `FILE`")
	f.String("addr", "", "listen at `HOST:PORT` (127.0.0.1:7333)")
	f.String("data", "", "keep all data in `DIR`")
	f.String("url", "", "let browsers reach the daemon at `URL`, where that is not its address")
	f.String("roots", "", "let projects lie below `DIR:DIR`")
	f.String("trusted-proxies", "", "believe reverse proxies in `NET,NET` about whom they ask for")
	f.String("log-level", "", "log what is at least `LEVEL`: debug, info, warn or error")
	f.Bool("allow-public", false, "allow an address that other machines reach, without TLS")
	f.String("tls-cert", "", "present the certificate in `FILE`, PEM")
	f.String("tls-key", "", "take the certificate's key from `FILE`, PEM")
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return nearestFlag(c.Flags(), err) })
	return settings{flags: f}
}

// load reads the settings from all of their places.
func (s settings) load() (*config.Config, error) {
	in := config.Input{Flags: map[string]string{}, Environ: os.Environ(), Agents: app.AgentIDs()}
	s.flags.VisitAll(func(f *pflag.Flag) {
		switch {
		case !f.Changed:
		case f.Name == settingsFile:
			in.File = f.Value.String()
		default:
			in.Flags[strings.ReplaceAll(f.Name, "-", "_")] = f.Value.String()
		}
	})
	return config.Load(in)
}

// nearestFlag adds to an error about a flag that there is none which was meant.
func nearestFlag(flags *pflag.FlagSet, err error) error {
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return fmt.Errorf("%w. %s", err, config.DidYouMean("--"+missing.GetSpecifiedName(), names))
}
