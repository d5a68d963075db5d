package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Print writes the effective settings as a settings file, each with where it
// came from. Secrets are redacted.
func (c *Config) Print(w io.Writer) error {
	var b strings.Builder
	state := "not there: defaults apply"
	if c.isFile() {
		state = "read"
	}
	fmt.Fprintf(&b, "# settings file: %s (%s)\n", c.File, state)
	for _, s := range settings {
		c.line(&b, s.name, s.name, s.get(c))
	}
	for _, id := range slices.Sorted(maps.Keys(c.Providers)) {
		p, name := c.Providers[id], "providers."+string(id)
		fmt.Fprintf(&b, "\n[%s]\n", name)
		if p.Path != "" {
			c.line(&b, "path", name+".path", p.Path)
		}
		if len(p.Env) > 0 {
			fmt.Fprintf(&b, "\n[%s.env]\n", name)
		}
		for _, k := range slices.Sorted(maps.Keys(p.Env)) {
			c.line(&b, k, name+".env."+k, p.Env[k].String())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.MCP)) {
		c.server(&b, name, c.MCP[name])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// server writes an MCP server.
func (c *Config) server(b *strings.Builder, name string, s MCPServer) {
	source := "mcp." + name
	fmt.Fprintf(b, "\n[mcp.%s]\n", name)
	if s.URL != "" {
		c.line(b, "url", source, withoutQuery(s.URL))
	} else {
		c.line(b, "command", source, s.Command)
		c.line(b, "args", source, append([]string{}, s.Args...))
	}
	if s.Skill != "" {
		c.line(b, "skill", source, s.Skill)
	}
	for part, secrets := range map[string]map[string]Secret{"env": s.Env, "headers": s.Headers} {
		if len(secrets) == 0 {
			continue // a server has one of the two
		}
		fmt.Fprintf(b, "\n[mcp.%s.%s]\n", name, part)
		for _, k := range slices.Sorted(maps.Keys(secrets)) {
			c.line(b, k, source, secrets[k].String())
		}
	}
}

// withoutQuery leaves out what may be a secret of a url.
func withoutQuery(url string) string {
	rest, _, ok := strings.Cut(url, "?")
	if !ok {
		return url
	}
	return rest + "?" + redacted
}

// line writes one setting. JSON's strings, booleans and arrays of strings are
// also TOML's.
func (c *Config) line(b *strings.Builder, key, name string, v any) {
	text, err := json.Marshal(v)
	if err != nil { // only strings, booleans and lists of strings come here
		panic(err)
	}
	if v == "" {
		fmt.Fprintf(b, "# %s is not set\n", key)
		return
	}
	fmt.Fprintf(b, "%-50s # %s\n", key+" = "+string(text), cmp.Or(c.sources[name], "default"))
}
