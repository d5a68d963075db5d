package app

import "runtime"

// version is raised with each release; CHANGELOG.md says what it brings.
const version = "0.1.0-dev"

// Commit is the commit that was built, set by the linker; empty if unknown.
var Commit string

// Version returns the version for people and clients: "0.1.0-dev+1a2b3c".
func Version() string {
	if Commit == "" {
		return version
	}
	return version + "+" + Commit
}

// Build returns the version with what it was built with and for.
func Build() string {
	return Version() + " (" + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
}
