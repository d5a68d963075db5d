package kimi

import (
	"maps"
	"slices"

	"signalbox/backend/agent"
)

// mcpServer is an MCP server with a command as a session is told of it; one with a
// URL is a remoteServer.
type mcpServer struct {
	Name    string     `json:"name"`
	Command string     `json:"command,omitempty"`
	Args    []string   `json:"args"`
	Env     []variable `json:"env"`
}

type remoteServer struct {
	Type    string     `json:"type"`
	Name    string     `json:"name"`
	URL     string     `json:"url"`
	Headers []variable `json:"headers"`
}

type variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// servers returns the servers in the protocol's form, which has every list.
func servers(list []agent.MCPServer) []any {
	all := make([]any, 0, len(list))
	for _, s := range list {
		if s.URL != "" {
			all = append(all, remoteServer{Type: "http", Name: s.Name, URL: s.URL, Headers: variables(s.Headers)})
			continue
		}
		all = append(all, mcpServer{
			Name: s.Name, Command: s.Command[0], Args: append([]string{}, s.Command[1:]...), Env: variables(s.Env),
		})
	}
	return all
}

func variables(m map[string]string) []variable {
	list := make([]variable, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, variable{name, m[name]})
	}
	return list
}
