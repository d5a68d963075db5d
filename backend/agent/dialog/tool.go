package dialog

import (
	"encoding/json"
	"strings"
)

// ToolName splits a CLI's name of an MCP tool, "mcp__server__tool". Any other
// name is a tool of the CLI's own, without a server.
func ToolName(name string) (server, tool string) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", name
	}
	server, tool, ok = strings.Cut(rest, "__")
	if !ok || server == "" || tool == "" {
		return "", name
	}
	return server, tool
}

// Field returns the string under name of a JSON object, "" if there is none.
func Field(object json.RawMessage, name string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return ""
	}
	var s string
	if json.Unmarshal(fields[name], &s) != nil {
		return ""
	}
	return s
}
