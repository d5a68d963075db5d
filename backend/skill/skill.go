// Package skill lists the skills that agents find on this machine: folders that
// hold a SKILL.md, in the places where each agent looks for them.
//
// It owns no file and writes none. The folders belong to the agents and to the
// people of the machine, those of a working directory to whatever was put there,
// so that nothing in them is believed: only plain files are opened, only their
// beginnings are read, links that lead out of a working directory are not
// followed, and every list has an end. What is not a skill is skipped with the
// reason, never an error of the whole.
//
// A Catalogue keeps nothing between calls and may be used by many goroutines; a
// few read at once, the others wait for their turn.
package skill

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"signalbox/backend/wire"
)

// Source is where a skill was found.
type Source string

// The sources.
const (
	Host      Source = "host"      // of the user as which the daemon runs
	Workspace Source = "workspace" // of the chat's working directory
)

// Skill is what an agent can be told to use.
type Skill struct {
	// Name is by which the agent knows it.
	Name        string `json:"name"`
	Description string `json:"description,omitempty"` // one line, cut
	Source      Source `json:"source"`
}

// Skipped is a folder that lies where skills do and is none, or one of which the
// description cannot be read.
type Skipped struct {
	Folder string `json:"folder"`
	Source Source `json:"source"`
	Why    string `json:"why"` // a sentence
}

// List is what was found for an agent, by name.
type List struct {
	Skills  []Skill   `json:"skills"`
	Skipped []Skipped `json:"skipped,omitempty"`
	// More says that there are skills beyond those of the list.
	More bool `json:"more,omitempty"`
}

// Only returns those of the names that the list has.
func (l List) Only(names []string) []string {
	var has []string
	for _, name := range names {
		if slices.ContainsFunc(l.Skills, func(s Skill) bool { return s.Name == name }) {
			has = append(has, name)
		}
	}
	return has
}

// The bounds of a list.
const (
	maxSkills  = 1000
	maxFolders = 1000 // of a place that are looked into
	maxSkipped = 20
	readers    = 4 // lists that are made at once
)

// Catalogue finds skills. Use [New].
type Catalogue struct {
	places map[wire.AgentID]Places
	gate   chan struct{} // holds one for each list that is being made
}

// New returns the catalogue of agents that look into the places; one that is not
// among them has no skills.
func New(places map[wire.AgentID]Places) *Catalogue {
	return &Catalogue{places: places, gate: make(chan struct{}, readers)}
}

// List returns what the agent finds: on the host, and in the working directory
// unless that is "". Of two skills of a name the agent uses one, and that is
// listed. A directory that is not there has none.
func (c *Catalogue) List(ctx context.Context, agent wire.AgentID, cwd string) (List, error) {
	places, ok := c.places[agent]
	list := List{Skills: []Skill{}}
	if !ok {
		return list, nil
	}
	select {
	case c.gate <- struct{}{}:
		defer func() { <-c.gate }()
	case <-ctx.Done():
		return list, context.Cause(ctx)
	}
	s := scan{ctx: ctx, places: places, list: &list, names: map[string]bool{}}
	host := func() {
		for _, dir := range places.Host {
			s.host(dir)
		}
	}
	work := func() {
		if cwd != "" {
			s.workspace(cwd)
		}
	}
	if places.HostFirst {
		host()
		work()
	} else {
		work()
		host()
	}
	s.sort()
	return list, context.Cause(ctx)
}

// workspace looks into a working directory, out of which nothing leads.
func (s *scan) workspace(cwd string) {
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() {
		return
	}
	root, err := os.OpenRoot(cwd)
	if err != nil {
		return
	}
	defer root.Close() //nolint:errcheck // only read
	for _, dir := range s.places.Workspace {
		s.folder(Workspace, root, dir, nil)
	}
}

// host looks into a folder of the daemon's user. The folders of skills in it may
// be links to elsewhere, as tools that install skills for several agents make
// them; what is in such a folder stays in it.
func (s *scan) host(dir string) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close() //nolint:errcheck // only read
	s.folder(Host, root, ".", func(name string) (*os.Root, error) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return nil, noFolder
		}
		return os.OpenRoot(path)
	})
}
