package claude

import (
	"encoding/json"

	"signalbox/backend/agent"
)

// serverFile is the name of the file that tells the CLI of MCP servers.
const serverFile = "mcp.json"

// mcpServer is a server as that file has it.
type mcpServer struct {
	Type    string            `json:"type"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// serverSettings returns the file's content. The CLI takes it beside the servers of
// its own settings.
func serverSettings(list []agent.MCPServer) []byte {
	servers := make(map[string]mcpServer, len(list))
	for _, s := range list {
		if s.URL != "" {
			servers[s.Name] = mcpServer{Type: "http", URL: s.URL, Headers: s.Headers}
			continue
		}
		servers[s.Name] = mcpServer{Type: "stdio", Command: s.Command[0], Args: s.Command[1:], Env: s.Env}
	}
	b, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		panic(err) // it is text
	}
	return b
}
