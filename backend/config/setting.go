package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
)

// setting is one setting with its names, its reading and its printing.
type setting struct {
	name string // in the file; flag and variable follow from it
	list bool   // several values: an array in the file, a list with commas elsewhere
	path bool   // made absolute before set sees it; a list of them is one as of PATH
	flip bool   // a boolean in the file
	set  func(c *Config, texts []string) error
	get  func(c *Config) any
}

func (s setting) env() string  { return "SIGNALBOX_" + strings.ToUpper(s.name) }
func (s setting) flag() string { return "--" + strings.ReplaceAll(s.name, "_", "-") }

// split takes apart what one variable or flag holds.
func (s setting) split(v string) []string {
	switch {
	case s.list && s.path:
		return filepath.SplitList(v)
	case s.list:
		return strings.Split(v, ",")
	}
	return []string{v}
}

// settings is every setting but the providers', in the order in which they print.
var settings = []setting{
	{name: "addr", set: setAddr, get: func(c *Config) any { return c.Addr }},
	{
		name: "data", path: true,
		set: func(c *Config, t []string) error { c.Data = t[0]; return nil },
		get: func(c *Config) any { return c.Data },
	},
	{name: "url", set: setURL, get: func(c *Config) any { return c.URL }},
	{
		name: "roots", path: true, list: true,
		set: func(c *Config, t []string) error { c.Roots = t; return nil },
		get: func(c *Config) any { return c.Roots },
	},
	{name: "trusted_proxies", list: true, set: setTrustedProxies, get: func(c *Config) any { return c.TrustedProxies }},
	{name: "log_level", set: setLogLevel, get: func(c *Config) any { return strings.ToLower(c.LogLevel.String()) }},
	{name: "allow_public", flip: true, set: setAllowPublic, get: func(c *Config) any { return c.AllowPublic }},
	{
		name: "tls_cert", path: true,
		set: func(c *Config, t []string) error { c.TLSCert = t[0]; return nil },
		get: func(c *Config) any { return c.TLSCert },
	},
	{
		name: "tls_key", path: true,
		set: func(c *Config, t []string) error { c.TLSKey = t[0]; return nil },
		get: func(c *Config) any { return c.TLSKey },
	},
}

func setAddr(c *Config, t []string) error {
	host, port, err := net.SplitHostPort(t[0])
	if err != nil {
		return fmt.Errorf("%q is not host:port, as in %s", t[0], DefaultAddr)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("the port %q is not a number from 0 to 65535", port)
	}
	if strings.ContainsAny(host, " /@?#") {
		return fmt.Errorf("%q is not a host", host)
	}
	c.Addr = t[0]
	return nil
}

func setURL(c *Config, t []string) error {
	u, err := url.Parse(t[0])
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a URL", t[0])
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return fmt.Errorf("%q is not http://host or https://host", t[0])
	case u.User != nil:
		return errors.New("a URL with a name or password is not allowed")
	case strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "":
		return fmt.Errorf("%q has more than a host; the daemon answers at the top of a host only", t[0])
	}
	c.URL = u.Scheme + "://" + strings.ToLower(u.Host)
	return nil
}

func setTrustedProxies(c *Config, t []string) error {
	c.TrustedProxies = []netip.Prefix{}
	for _, text := range t {
		text = strings.TrimSpace(text)
		network, err := netip.ParsePrefix(text)
		if ip, ipErr := netip.ParseAddr(text); ipErr == nil && ip.Zone() == "" {
			network, err = netip.PrefixFrom(ip, ip.BitLen()), nil
		}
		switch {
		case err != nil:
			return fmt.Errorf("%q is not an address or a network, as in 127.0.0.1 or 10.0.0.0/8", text)
		case network.Bits() == 0:
			return fmt.Errorf("%q is everybody: who connects could then claim any address", text)
		}
		c.TrustedProxies = append(c.TrustedProxies, network.Masked())
	}
	return nil
}

func setLogLevel(c *Config, t []string) error {
	switch t[0] {
	case "debug":
		c.LogLevel = slog.LevelDebug
	case "info":
		c.LogLevel = slog.LevelInfo
	case "warn":
		c.LogLevel = slog.LevelWarn
	case "error":
		c.LogLevel = slog.LevelError
	default:
		return fmt.Errorf("%q is not debug, info, warn or error", t[0])
	}
	return nil
}

func setAllowPublic(c *Config, t []string) error {
	switch t[0] {
	case "true":
		c.AllowPublic = true
	case "false":
		c.AllowPublic = false
	default:
		return fmt.Errorf("%q is not true or false", t[0])
	}
	return nil
}

// Public reports whether other machines may reach Addr. A host name other than
// localhost counts as public: what it resolves to may change.
func (c *Config) Public() bool {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return true
	}
	if strings.EqualFold(host, "localhost") {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err != nil || !ip.Unmap().IsLoopback()
}
