package skill

import (
	"path/filepath"

	"signalbox/backend/wire"
)

// Places are where an agent looks for skills.
type Places struct {
	Host      []string // absolute, the first one first
	Workspace []string // in the working directory
	// HostFirst says that of two skills of a name that of the host is used.
	HostFirst bool
	// ByFolder says that a skill is called as its folder is, whatever its SKILL.md
	// says; Strict, that one must name and describe itself there to be one.
	ByFolder, Strict bool
}

// Vendors returns where the agents of the vendors look: Claude Code in
// CLAUDE_CONFIG_DIR, Codex in CODEX_HOME, Kimi Code in KIMI_CODE_HOME, or below
// the home folder, the last two also in .agents.
func Vendors(getenv func(string) string) map[wire.AgentID]Places {
	home := getenv("HOME")
	at := func(variable, folder string) []string {
		switch dir := getenv(variable); {
		case filepath.IsAbs(dir):
			return []string{filepath.Join(dir, "skills")}
		case dir == "" && filepath.IsAbs(home):
			return []string{filepath.Join(home, folder, "skills")}
		default:
			return nil
		}
	}
	var shared []string
	if filepath.IsAbs(home) {
		shared = []string{filepath.Join(home, ".agents", "skills")}
	}
	return map[wire.AgentID]Places{
		"claude": {
			Host: at("CLAUDE_CONFIG_DIR", ".claude"), Workspace: []string{".claude/skills"},
			HostFirst: true, ByFolder: true,
		},
		"codex": {
			Host:      append(shared[:len(shared):len(shared)], at("CODEX_HOME", ".codex")...),
			Workspace: []string{".agents/skills", ".codex/skills"},
			Strict:    true,
		},
		"kimi": {
			Host:      append(at("KIMI_CODE_HOME", ".kimi-code"), shared...),
			Workspace: []string{".kimi-code/skills", ".agents/skills"},
		},
	}
}
