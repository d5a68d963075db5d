package agenttest

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"signalbox/backend/agent"
)

// mcpCommand makes a test binary the MCP server of [MCPCommand].
const mcpCommand = "mcp-server"

// MCPName is the name of the MCP servers of tests; the scenario "mcp" of the
// scripted model calls it.
const MCPName = "tester"

// MCPSecret is the key that those servers want.
const MCPSecret = "mcp-secret-1f0e"

// MCPCommand is an MCP server that is started, with the tools add and boom, which
// fails. Without its key it does not start.
func MCPCommand(t testing.TB) agent.MCPServer {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return agent.MCPServer{Name: MCPName, Command: []string{exe, mcpCommand}, Env: map[string]string{"MCP_KEY": MCPSecret}}
}

// MCPURL is the same behind a URL.
func MCPURL(t testing.TB) agent.MCPServer {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+MCPSecret:
			w.WriteHeader(http.StatusUnauthorized)
			return
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has left
		}
		answer := answerMCP(body)
		if answer == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer) // so has it here
	}))
	t.Cleanup(srv.Close)
	return agent.MCPServer{Name: MCPName, URL: srv.URL + "/mcp", Headers: map[string]string{"Authorization": "Bearer " + MCPSecret}}
}

// serveMCP answers line by line until its input ends.
func serveMCP(in io.Reader, out io.Writer) int {
	if os.Getenv("MCP_KEY") != MCPSecret {
		return 1
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		answer := answerMCP(lines.Bytes())
		if answer == nil {
			continue
		}
		if _, err := out.Write(append(answer, '\n')); err != nil {
			return 1
		}
	}
	return 0
}

type object map[string]any

// mcpTools are the tools as they are listed.
var mcpTools = []object{
	{
		"name": "add", "description": "Add two numbers", "annotations": object{"readOnlyHint": true},
		"inputSchema": object{
			"type": "object", "required": []string{"a", "b"},
			"properties": object{"a": object{"type": "number"}, "b": object{"type": "number"}},
		},
	},
	{"name": "boom", "description": "Always fails", "inputSchema": object{"type": "object", "properties": object{}}},
}

// answerMCP answers a message; nil for one that wants no answer.
func answerMCP(message []byte) []byte {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Version   string `json:"protocolVersion"`
			Name      string `json:"name"`
			Arguments struct {
				A float64 `json:"a"`
				B float64 `json:"b"`
			} `json:"arguments"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &m) != nil || m.ID == nil {
		return nil
	}
	answer := object{"jsonrpc": "2.0", "id": m.ID}
	switch {
	case m.Method == "initialize":
		answer["result"] = object{
			"protocolVersion": m.Params.Version, "capabilities": object{"tools": object{}},
			"serverInfo": object{"name": MCPName, "version": "1.0.0"},
		}
	case m.Method == "ping":
		answer["result"] = object{}
	case m.Method == "tools/list":
		answer["result"] = object{"tools": mcpTools}
	case m.Method == "tools/call" && m.Params.Name == "add":
		sum := m.Params.Arguments.A + m.Params.Arguments.B
		text, err := json.Marshal(sum)
		if err != nil {
			text = []byte("too large")
		}
		answer["result"] = object{"content": []object{{"type": "text", "text": string(text)}}}
	case m.Method == "tools/call":
		answer["result"] = object{"content": []object{{"type": "text", "text": "boom: it always fails"}}, "isError": true}
	default:
		answer["error"] = object{"code": -32601, "message": "Method not found"}
	}
	b, err := json.Marshal(answer)
	if err != nil {
		panic(err) // it is plain data
	}
	return b
}
