package permission

import (
	"path/filepath"
	"slices"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// maxScope bounds the bytes of a command or a path in a scope, and maxPaths the
// number of paths: what is longer is asked for each time.
const (
	maxScope = 4 << 10
	maxPaths = 32
)

// ScopeOf returns what a person may allow for the whole chat when ask comes:
// the exact command in its directory, the tool, all edits in the working
// directory, or edits of exactly the files that lie outside it. It is nil where
// there is nothing that could be held to.
func ScopeOf(ask agent.Ask) *wire.Scope {
	switch ask.Kind {
	case wire.ApprovalCommand:
		if ask.Title != "" && len(ask.Title) <= maxScope {
			return &wire.Scope{Kind: ask.Kind, Command: ask.Title, Dir: ask.Cwd}
		}
	case wire.ApprovalTool:
		if ask.Tool != "" && len(ask.Tool) <= maxScope {
			return &wire.Scope{Kind: ask.Kind, Tool: ask.Tool}
		}
	case wire.ApprovalEdit:
		return editScope(ask)
	}
	return nil
}

func editScope(ask agent.Ask) *wire.Scope {
	if len(ask.Paths) == 0 || len(ask.Paths) > maxPaths {
		return nil
	}
	if Outside(ask.Cwd, ask.Paths) == "" {
		return &wire.Scope{Kind: ask.Kind, Dir: filepath.Clean(ask.Cwd)}
	}
	paths := absolute(ask)
	for _, p := range paths {
		if !filepath.IsAbs(p) || len(p) > maxScope {
			return nil
		}
	}
	return &wire.Scope{Kind: ask.Kind, Paths: paths}
}

// covers reports whether the scope allows ask. An empty scope allows nothing.
func covers(s wire.Scope, ask agent.Ask) bool {
	if s.Kind != ask.Kind {
		return false
	}
	switch s.Kind {
	case wire.ApprovalCommand:
		return s.Command != "" && s.Command == ask.Title && s.Dir == ask.Cwd
	case wire.ApprovalTool:
		return s.Tool != "" && s.Tool == ask.Tool
	case wire.ApprovalEdit:
		if len(ask.Paths) == 0 {
			return false
		}
		for _, p := range absolute(ask) {
			if !slices.Contains(s.Paths, p) && (s.Dir == "" || Outside(s.Dir, []string{p}) != "") {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// absolute returns the ask's paths, cleaned.
func absolute(ask agent.Ask) []string {
	paths := make([]string, len(ask.Paths))
	for i, p := range ask.Paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(ask.Cwd, p)
		}
		paths[i] = filepath.Clean(p)
	}
	return paths
}
