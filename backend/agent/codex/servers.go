package codex

import (
	"maps"

	"signalbox/backend/agent"
)

// mcpServer is an MCP server as Codex's settings have it.
type mcpServer struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"http_headers,omitempty"`
}

// settings are what a thread is set to beside Codex's own settings, which a name
// with dots leaves as they are: the to-do list, and the daemon's MCP servers.
func settings(servers []agent.MCPServer) map[string]any {
	set := maps.Clone(todoList)
	for _, s := range servers {
		server := mcpServer{URL: s.URL, Headers: s.Headers}
		if s.URL == "" {
			server = mcpServer{Command: s.Command[0], Args: s.Command[1:], Env: s.Env}
		}
		set["mcp_servers."+s.Name] = server
	}
	return set
}

// todoList turns on the to-do list.
var todoList = map[string]any{"tools.update_plan": map[string]any{"enabled": true}}
