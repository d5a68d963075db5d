package app

import (
	"path/filepath"
	_ "time/tzdata" // the days of a person's zone, also where the system has no zones
)

// indexPath is the file of the search index in a data folder.
func indexPath(dir string) string { return filepath.Join(dir, "index.db") }
