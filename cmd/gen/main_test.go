package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFiles_areFresh(t *testing.T) {
	for path, generate := range files {
		t.Run(path, func(t *testing.T) {
			want, err := generate()
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s is stale: run `go run ./cmd/gen` (-want +got):\n%s", path, diff)
			}
		})
	}
}
