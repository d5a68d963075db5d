// Package config holds the daemon's settings: defaults, then the settings file,
// then the environment, then flags. It owns the names of all four.
//
// It is strict: a name that it does not know, a value of another type and a
// setting that would open the daemon to a network unprotected are errors that
// say where they are and what was probably meant. [Load] reports all of them at
// once, joined, each a [fault.Error].
//
// A [Config] is read once at the start and never changes. Values that may be
// keys are [Secret], which no log and no output can print.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// DefaultAddr is where the daemon listens unless it is told otherwise.
const DefaultAddr = "127.0.0.1:7333"

// Config is the effective settings.
type Config struct {
	// File is the settings file, whether it is there or not.
	File string
	// Addr is the host and port to listen on; port 0 takes a free one.
	Addr string
	// Data is the data folder, absolute.
	Data string
	// URL is how browsers reach the daemon, without a slash at its end; empty
	// means at Addr.
	URL string
	// Roots are the folders below which projects may lie, absolute.
	Roots []string
	// TrustedProxies are the networks of reverse proxies that are believed about
	// whom they ask for (X-Forwarded-For).
	TrustedProxies []netip.Prefix
	// LogLevel is the least level that is logged.
	LogLevel slog.Level
	// AllowPublic allows an address that other machines reach, without TLS.
	AllowPublic bool
	// TLSCert and TLSKey are PEM files; both or neither.
	TLSCert, TLSKey string
	// Providers holds what is set for an agent, by its id.
	Providers map[wire.AgentID]Provider
	// MCP holds the MCP servers that all agents are given, by name.
	MCP map[string]MCPServer
	// Warnings are sentences about what is odd but not wrong.
	Warnings []string

	sources map[string]string // where each value came from, by its name
}

// Provider is what is set for one agent.
type Provider struct {
	// Path is the program; empty means found in PATH.
	Path string
	// Env is added to the agent's environment.
	Env map[string]Secret
}

// Input is where settings come from beside the file and the defaults.
type Input struct {
	// Flags holds the flags that were given, by the setting's name.
	Flags map[string]string
	// Environ is the environment, as of [os.Environ].
	Environ []string
	// File is the settings file; empty means SIGNALBOX_CONFIG or the default
	// place. A file that is named must be there.
	File string
	// Agents are the ids that may stand under [providers].
	Agents []wire.AgentID
}

// loader carries one [Load].
type loader struct {
	in   Input
	env  map[string]string
	cfg  *Config
	errs []error
}

// Load reads the settings.
func Load(in Input) (*Config, error) {
	l := &loader{in: in, env: map[string]string{}, cfg: &Config{
		Providers: map[wire.AgentID]Provider{},
		sources:   map[string]string{},
	}}
	for _, kv := range in.Environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			l.env[k] = v
		}
	}
	maps.DeleteFunc(l.env, func(_, v string) bool { return v == "" })
	l.defaults()
	l.readFile()
	l.readEnv()
	l.readFlags()
	if len(l.errs) == 0 {
		l.check()
	}
	if err := errors.Join(l.errs...); err != nil {
		return nil, err
	}
	return l.cfg, nil
}

// failf notes an error; Load goes on, so that all are found at once.
func (l *loader) failf(hint, format string, args ...any) {
	err := fault.New(fault.Invalid, format, args...)
	err.Hint = hint
	l.errs = append(l.errs, err)
}

func (l *loader) defaults() {
	home := l.env["HOME"]
	c := l.cfg
	c.Addr = DefaultAddr
	c.LogLevel = slog.LevelInfo
	c.Roots = []string{}
	c.TrustedProxies = []netip.Prefix{}
	switch {
	case filepath.IsAbs(l.env["XDG_DATA_HOME"]):
		c.Data = filepath.Join(l.env["XDG_DATA_HOME"], "signalbox")
	case home != "":
		c.Data = filepath.Join(home, ".local", "share", "signalbox")
	}
	if home != "" {
		c.Roots = []string{home}
	}
	named := cmp.Or(l.in.File, l.env["SIGNALBOX_CONFIG"])
	switch {
	case named != "":
		c.File = l.path(named, "")
	case filepath.IsAbs(l.env["XDG_CONFIG_HOME"]):
		c.File = filepath.Join(l.env["XDG_CONFIG_HOME"], "signalbox", "signalbox.toml")
	case home != "":
		c.File = filepath.Join(home, ".config", "signalbox", "signalbox.toml")
	}
}

// path makes p absolute: "~/" is the home folder, anything else that is
// relative lies below base or, without one, below the working directory.
func (l *loader) path(p, base string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok && l.env["HOME"] != "" {
		return filepath.Join(l.env["HOME"], rest)
	}
	if !filepath.IsAbs(p) && base != "" {
		return filepath.Join(base, p)
	}
	abs, err := filepath.Abs(p)
	if err != nil {
		l.failf("", "The path %s cannot be made absolute: %v.", p, err)
		return p
	}
	return abs
}

// readEnv reads SIGNALBOX_*. Other programs' variables are not ours to judge.
func (l *loader) readEnv() {
	known := map[string]func(string){"SIGNALBOX_CONFIG": func(string) {}}
	for _, s := range settings {
		known[s.env()] = func(v string) { l.apply(s, s.split(v), s.env(), "") }
	}
	for _, id := range l.in.Agents {
		name := "SIGNALBOX_PROVIDERS_" + strings.ToUpper(strings.ReplaceAll(string(id), "-", "_")) + "_PATH"
		known[name] = func(v string) { l.providerPath(id, v, name, "") }
	}
	for _, k := range sorted(l.env) {
		if !strings.HasPrefix(k, "SIGNALBOX_") || slices.Contains(marks, k) {
			continue
		}
		set, ok := known[k]
		if !ok {
			l.failf(DidYouMean(k, keys(known)), "The environment variable %s is not a setting.", k)
			continue
		}
		set(l.env[k])
	}
}

// marks are the variables by which the daemon marks what its agents start; a
// command that an agent runs sees them too.
var marks = []string{"SIGNALBOX_RUN", "SIGNALBOX_INSTANCE"}

func (l *loader) readFlags() {
	for _, s := range settings {
		if v, ok := l.in.Flags[s.name]; ok {
			l.apply(s, s.split(v), s.flag(), "")
		}
	}
}

// apply sets s from texts found at source, with relative paths below base.
func (l *loader) apply(s setting, texts []string, source, base string) {
	if s.path {
		for i, t := range texts {
			if t == "" {
				l.failf("", "%s (%s): the path is empty.", s.name, source)
				return
			}
			texts[i] = l.path(t, base)
		}
	}
	if err := s.set(l.cfg, texts); err != nil {
		l.failf("", "%s (%s): %v.", s.name, source, err)
		return
	}
	l.cfg.sources[s.name] = source
}

func (l *loader) providerPath(id wire.AgentID, path, source, base string) {
	p := l.cfg.Providers[id]
	p.Path = path
	// A bare name stays one: it is looked up in PATH when the agent starts.
	if strings.ContainsRune(path, '/') {
		p.Path = l.path(path, base)
	}
	l.cfg.Providers[id] = p
	l.cfg.sources[fmt.Sprintf("providers.%s.path", id)] = source
}

// check judges the settings together.
func (l *loader) check() {
	c := l.cfg
	if c.Data == "" {
		l.failf("Set SIGNALBOX_DATA to a folder.",
			"There is no place for the data folder: neither HOME nor XDG_DATA_HOME is set.")
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		l.failf("Set both, or neither.", "tls_cert and tls_key belong together, and only one is set.")
	}
	if c.Public() && c.TLSCert == "" && !c.AllowPublic {
		l.failf("Listen on 127.0.0.1 behind a reverse proxy with TLS, or set tls_cert and tls_key, "+
			"or, on a network that you trust, set allow_public = true (SIGNALBOX_ALLOW_PUBLIC=true).",
			"Other machines can reach %s, and without TLS passwords and sessions would cross the network in the clear.", c.Addr)
	}
}

// isFile tells whether the settings file is there.
func (c *Config) isFile() bool {
	_, err := os.Stat(c.File)
	return err == nil
}
