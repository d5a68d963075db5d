// Package archtest holds the test that keeps dependencies pointing one way.
package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "signalbox/"

// layers lists our packages from the bottom up. A package may import packages
// of lower layers, and its own children.
var layers = [][]string{
	{"backend/wire", "backend/fault"},
	{"backend/internal/id", "backend/internal/jsonvalid", "backend/internal/atomicfile", "backend/internal/ring", "backend/internal/latest", "backend/internal/golden", "backend/internal/archtest", "frontend"},
	{"backend/chat", "backend/access", "backend/prompt", "backend/search", "backend/queue"},
	{"backend/eventlog", "backend/proc", "backend/config", "backend/store"},
	{"backend/agent"},
	{"backend/permission", "backend/agent/jsonrpc"},
	{"backend/agent/dialog"},
	{"backend/agent/claude", "backend/agent/codex", "backend/agent/kimi", "backend/agent/demo", "backend/model/scripted", "backend/auth", "backend/catalog", "backend/index", "backend/storage", "backend/backup", "backend/history", "backend/attachment", "backend/preference", "backend/draft", "backend/skill", "backend/workdir"},
	{"backend/agent/agenttest", "backend/agent/selftest", "backend/agent/realtest", "backend/model/modeltest", "backend/transfer"},
	{"backend/runhub"},
	{"backend/httpd"},
	{"backend/app"},
	{"cmd/signalbox", "cmd/fakeagent", "cmd/gen", "cmd/bench", "cmd/modelserver"},
}

// owners says which packages, with their children, alone may import a library.
var owners = map[string][]string{
	"github.com/labstack/echo/v4":      {"backend/httpd"},
	"github.com/danielgtaylor/huma/":   {"backend/httpd"},
	"github.com/coder/websocket":       {"backend/httpd", "cmd/bench"},
	"github.com/creack/pty":            {"backend/proc"},
	"github.com/oklog/ulid/v2":         {"backend/internal/id"},
	"github.com/google/renameio/v2":    {"backend/internal/atomicfile"},
	"github.com/alexedwards/argon2id":  {"backend/auth"},
	"github.com/BurntSushi/toml":       {"backend/config"},
	"github.com/spf13/cobra":           {"cmd"},
	"github.com/spf13/pflag":           {"cmd"},
	"modernc.org/sqlite":               {"backend/store"},
	"github.com/bmatcuk/doublestar/v4": {"backend/workdir"},
	"go.yaml.in/yaml/v3":               {"backend/skill"},
}

func TestImports(t *testing.T) {
	layer := map[string]int{}
	for i, pkgs := range layers {
		for _, p := range pkgs {
			layer[p] = i
		}
	}
	for _, p := range listed(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		from, ok := layerOf(layer, path)
		if !ok {
			t.Errorf("%s is in no layer: add it to layers", path)
			continue
		}
		for _, imp := range p.Imports {
			if ours, ok := strings.CutPrefix(imp, module); ok {
				to, known := layerOf(layer, ours)
				child := strings.HasPrefix(ours, path+"/") || strings.HasPrefix(path, ours+"/")
				if known && to >= from && !child {
					t.Errorf("%s (layer %d) imports %s (layer %d)", path, from, ours, to)
				}
				continue
			}
			if path == "backend/wire" && strings.Contains(imp, ".") {
				t.Errorf("backend/wire imports %s: it may import the standard library only", imp)
			}
			for lib, may := range owners {
				owned := slices.ContainsFunc(may, func(owner string) bool {
					return path == owner || strings.HasPrefix(path, owner+"/")
				})
				if strings.HasPrefix(imp, lib) && !owned {
					t.Errorf("%s imports %s, which only %s may", path, imp, strings.Join(may, " and "))
				}
			}
		}
	}
}

// layerOf returns the layer of the package, or of the nearest package above it.
func layerOf(layer map[string]int, path string) (int, bool) {
	for {
		if l, ok := layer[path]; ok {
			return l, true
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return 0, false
		}
		path = path[:i]
	}
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func listed(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return pkgs
		}
		if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}
