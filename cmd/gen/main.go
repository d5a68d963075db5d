// Command gen writes what is made from the Go types of the HTTP contract:
// docs/openapi.json, the JSON schema of all that goes over the wire, and, with
// frontend's packages installed, its TypeScript types. It is run from the root of
// the source.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"signalbox/backend/httpd"
)

// files are what is written, by their place below the root.
var files = map[string]func() ([]byte, error){
	"docs/openapi.json":             httpd.OpenAPI,
	"frontend/src/wire/schema.json": httpd.Schema,
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	for path, generate := range files {
		b, err := generate()
		if err != nil {
			return fmt.Errorf("generate %s: %w", path, err)
		}
		if err := os.WriteFile(filepath.FromSlash(path), b, 0o644); err != nil {
			return err
		}
	}
	cmd := exec.Command("node", "scripts/gen-types.mjs")
	cmd.Dir = "frontend"
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("generate frontend/src/wire/types.ts: %w (run npm ci in frontend first)", err)
	}
	return nil
}
