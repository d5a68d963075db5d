package config

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// MCPServer is an MCP server for all agents to use. It has a Command or a URL.
type MCPServer struct {
	Command string // a path, or a name in PATH
	Args    []string
	Env     map[string]Secret // of the command
	URL     string            // streamable HTTP
	Headers map[string]Secret // of requests to URL
	Skill   string            // whose runs alone get the server; empty: all runs
}

// serverName is a name that every agent takes: tools are called
// "mcp__<name>__<tool>" there.
var serverName = regexp.MustCompile(`^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$`)

// headerName is a token of HTTP.
var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// maxServerName leaves room for the tool in the names that vendors bound.
const maxServerName = 32

func (d *document) servers(v any) {
	all, ok := v.(map[string]any)
	if !ok {
		d.l.failf("", "%s: mcp must be a table, as in [mcp.files].", d.at("mcp"))
		return
	}
	for _, name := range sorted(all) {
		table, ok := all[name].(map[string]any)
		switch {
		case !serverName.MatchString(name) || len(name) > maxServerName:
			d.l.failf("Use letters and digits, with single - or _ in between, at most 32 characters.",
				"%s: %q cannot be the name of an MCP server.", d.at("mcp", name), name)
		case !ok:
			d.l.failf("", "%s: mcp.%s must be a table.", d.at("mcp", name), name)
		default:
			d.server(name, table)
		}
	}
}

func (d *document) server(name string, table map[string]any) {
	var s MCPServer
	for _, k := range sorted(table) {
		key := []string{"mcp", name, k}
		switch k {
		case "command", "url", "skill":
			text, ok := table[k].(string)
			if !ok || text == "" || strings.ContainsRune(text, 0) {
				d.l.failf("", "%s: %s must be a string in quotes.", d.at(key...), k)
				continue
			}
			switch {
			case k == "url":
				s.URL = text
			case k == "skill":
				s.Skill = text
			case strings.ContainsRune(text, '/'):
				s.Command = d.l.path(text, d.base)
			default:
				s.Command = text
			}
		case "args":
			args, ok := table[k].([]any)
			for _, a := range args {
				text, isText := a.(string)
				ok = ok && isText && !strings.ContainsRune(text, 0)
				s.Args = append(s.Args, text)
			}
			if !ok {
				d.l.failf("", "%s: args must be an array of strings.", d.at(key...))
			}
		case "env":
			s.Env = d.secretsOf(variableName, "a variable", table[k], key...)
		case "headers":
			s.Headers = d.secretsOf(headerName, "a header", table[k], key...)
			for name, value := range s.Headers {
				if strings.ContainsAny(value.Reveal(), "\r\n") {
					d.l.failf("", "%s: the value of the header %s holds a line break.", d.at(append(key, name)...), name)
				}
			}
		default:
			d.unknown([]string{"command", "args", "env", "url", "headers", "skill"}, key...)
		}
	}
	if problem := s.problem(); problem != "" {
		d.l.failf(`Write command = "program" with args and env, or url = "https://…" with headers.`,
			"%s: the MCP server %s %s.", d.at("mcp", name), name, problem)
		return
	}
	if d.l.cfg.MCP == nil {
		d.l.cfg.MCP = map[string]MCPServer{}
	}
	d.l.cfg.MCP[name] = s
	d.l.cfg.sources["mcp."+name] = d.at("mcp", name)
}

// problem is what is wrong with the server as a whole; empty if nothing is.
func (s MCPServer) problem() string {
	switch {
	case s.Command == "" && s.URL == "":
		return "has neither a command nor a url"
	case s.Command != "" && s.URL != "":
		return "has both a command and a url"
	case s.URL != "" && (len(s.Args) > 0 || len(s.Env) > 0):
		return "has args or env, which belong to a command"
	case s.Command != "" && len(s.Headers) > 0:
		return "has headers, which belong to a url"
	case s.URL == "":
		return ""
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return fmt.Sprintf("has the url %.80q, which is not http://host or https://host", s.URL)
	case u.User != nil:
		return "has a url with a name or password, which would be seen; use headers"
	}
	return ""
}

// secretsOf reads a table of names and values.
func (d *document) secretsOf(valid *regexp.Regexp, what string, v any, key ...string) map[string]Secret {
	table, ok := v.(map[string]any)
	if !ok {
		d.l.failf("", "%s: %s must be a table.", d.at(key...), key[len(key)-1])
		return nil
	}
	secrets := make(map[string]Secret, len(table))
	for _, name := range sorted(table) {
		if value, ok := d.secret(valid, what, table[name], append(key[:len(key):len(key)], name)...); ok {
			secrets[name] = value
		}
	}
	return secrets
}
