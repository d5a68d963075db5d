package demo

import (
	"context"
	"strings"
	"unicode"
)

// scene plays one part of an answer.
type scene func(ctx context.Context, p *player) error

// entry is a word that a person may write, and what it plays.
type entry struct {
	word string
	note string
	play scene
}

// menu returns the words in the order in which they are offered.
func menu() []entry {
	return []entry{
		{"text", "an answer with headings, a list, a table and code", playText},
		{"think", "reasoning before the answer", playThink},
		{"edit", "writes `" + notesFile + "` in this chat's folder, then changes it", playEdit},
		{"shell", "lists this chat's folder with a real command", playShell},
		{"ask", "asks you two questions and waits for the answers", playAsk},
		{"approve", "asks for leave before it writes `" + approvedFile + "`", playApprove},
		{"plan", "shows a plan and carries it out once you accept it", playPlan},
		{"todo", "works through a to-do list", playTodo},
		{"slow", "writes for about 20 seconds: try the stop button", playSlow},
		{"fail", "an error, as a real agent could have one", playFail},
		{"big", "a command with 1 MiB of output and a long answer", playBig},
	}
}

// program returns the scenes for a prompt: each word of the menu once, in the
// order in which they first stand in the text, so that no prompt is endless.
func program(text string, s session) []scene {
	plays := map[string]scene{}
	for _, e := range menu() {
		plays[e.word] = e.play
	}
	var scenes []scene
	if s.prompts == 1 {
		scenes = append(scenes, playWelcome)
	}
	found := false
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	for word := range strings.FieldsFuncSeq(text, notLetter) {
		word = strings.ToLower(word)
		if play := plays[word]; play != nil {
			scenes, found = append(scenes, play), true
			delete(plays, word)
		}
	}
	if !found {
		scenes = append(scenes, playMenu)
	}
	return scenes
}
