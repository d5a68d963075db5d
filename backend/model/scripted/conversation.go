package scripted

import (
	"regexp"
	"strings"
)

// Conversation is a request in neutral words, as a door read it.
type Conversation struct {
	Model  string
	Stream bool
	Items  []Item
	Tools  []string // the names of the tools on offer
	Cwd    string
	Count  Count
	// PlanFile is where the agent wants its plan to be written, if it says so.
	PlanFile string
}

// Item is one thing that was said.
type Item struct {
	Who  Who
	Text string
}

// Who said an [Item].
type Who int

// Who can say something.
const (
	Person Who = iota
	Model
	Result // a tool
)

var (
	scenarioLine = regexp.MustCompile(`SCENARIO ([\w-]+)([^\n]*)`)
	cwdLine      = regexp.MustCompile(`(?i)(?:working directory(?: is)?:? *` + "`?" + `|<cwd>)(/[^\s<"\\` + "`" + `,]*)`)
)

// turn finds which scenario and which step of it the conversation asks for.
func (c Conversation) turn() Turn {
	t := Turn{Scenario: "text", Model: c.Model, Cwd: c.Cwd}
	at := -1
	for i, it := range c.Items {
		if it.Who != Person {
			continue
		}
		// A text may tell of earlier prompts before its own: the last counts.
		for _, m := range scenarioLine.FindAllStringSubmatch(it.Text, -1) {
			if at >= 0 {
				t.Earlier = append(t.Earlier, strings.TrimSpace(t.Scenario+" "+t.Args))
			}
			at, t.Scenario, t.Args, t.Heard = i, m[1], strings.TrimSpace(m[2]), it.Text
		}
	}
	inBatch := false
	for _, it := range c.Items[at+1:] {
		switch it.Who {
		case Result:
			if !inBatch {
				t.Step++
			}
			inBatch, t.Result = true, it.Text
		case Model:
			inBatch = false
		case Person:
			// Agents slip reminders between the results of one batch.
			t.Follow = it.Text
		}
	}
	return t
}

// findCwd returns the working directory that text names, or "".
func findCwd(text string) string {
	if m := cwdLine.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}
