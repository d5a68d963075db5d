// Package realtest runs real agents, as their vendors ship them, whole turns
// long against the scripted model of package scripted.
//
// Its tests are built with the tag "real" and want the agents that
// scripts/real-agents installs; ./scripts/test --real does both. No network
// beyond loopback and no account is used.
package realtest
