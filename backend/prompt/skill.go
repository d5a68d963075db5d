package prompt

import "strings"

// Trigger is how an agent is made to use a skill.
type Trigger string

// The triggers.
const (
	// TriggerSlash is "/name" at the very beginning, and what follows is the
	// skill's arguments: there is room for one. The others are asked for in words.
	TriggerSlash Trigger = "/"
	// TriggerDollar is "$name", anywhere and as often as needed.
	TriggerDollar Trigger = "$"
	// TriggerWords asks for them in words alone.
	TriggerWords Trigger = ""
)

// WithSkills returns text with what makes an agent use the skills, the first one
// first. It comes before all else that the agent is given.
func WithSkills(how Trigger, skills []string, text string) string {
	if len(skills) == 0 {
		return text
	}
	switch how {
	case TriggerDollar:
		return "$" + strings.Join(skills, " $") + "\n\n" + text
	case TriggerSlash:
		first, rest := "/"+skills[0], skills[1:]
		if len(rest) == 0 {
			return first + " " + text
		}
		return first + " " + inWords("Use these skills, too: ", rest) + text
	default:
		return inWords("Use these skills: ", skills) + text
	}
}

func inWords(ask string, skills []string) string { return ask + strings.Join(skills, ", ") + ".\n\n" }
