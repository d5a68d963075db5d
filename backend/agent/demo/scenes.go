package demo

import (
	"context"
	"fmt"
	"strings"

	"signalbox/backend/wire"
)

func playWelcome(ctx context.Context, p *player) error {
	return p.say(ctx, "I am Signalbox's **demo agent**: a script that runs offline. No model reads what you write; "+
		"some words of it choose what I play.\n\n")
}

func playMenu(ctx context.Context, p *player) error {
	var b strings.Builder
	fmt.Fprintf(&b, "This is prompt %d of our session. Write one of these words, or several to play them in order:\n\n", p.prompt)
	for _, e := range menu() {
		fmt.Fprintf(&b, "- **%s**: %s\n", e.word, e.note)
	}
	b.WriteString("\nFor real answers, install an agent: `signalbox doctor` says how.\n")
	return p.say(ctx, b.String())
}

func playText(ctx context.Context, p *player) error {
	return p.say(ctx, fmt.Sprintf("## An answer\n\nThis is prompt %d of our session. An answer may hold\n\n"+
		"1. lists,\n2. `code` and **weight**,\n3. other scripts: Grüße, 世界, 🚀\n\n"+
		"| Word | Plays |\n|---|---|\n| think | reasoning |\n| edit | a change of a file |\n\n"+
		"```go\nfunc main() {\n\tfmt.Println(\"Hello from the demo\")\n}\n```\n", p.prompt))
}

func playThink(ctx context.Context, p *player) error {
	err := p.think(ctx, "The prompt has the word “think”. A real agent would weigh the request here: what is asked, "+
		"what is known, what could go wrong. I only recite this.")
	if err != nil {
		return err
	}
	return p.say(ctx, "That was reasoning; this is the answer after it.\n")
}

// questions are what the word ask asks.
var questions = []wire.QuestionItem{
	{
		Question: "Which colour should the signal have?", Header: "Colour",
		Options: []wire.QuestionOption{
			{Label: "Green", Description: "The line is free"},
			{Label: "Amber", Description: "Something is running"},
			{Label: "Red", Description: "Somebody is needed"},
		},
	},
	{
		Question: "What should be on the train?", Header: "Load", MultiSelect: true,
		Options: []wire.QuestionOption{{Label: "Coal"}, {Label: "Letters"}, {Label: "Passengers", Description: "They sit by the window"}},
	},
}

func playAsk(ctx context.Context, p *player) error {
	if err := p.say(ctx, "Before I go on I need to know something.\n\n"); err != nil {
		return err
	}
	answer, err := p.ask(ctx, report{Name: "Ask", Kind: wire.ApprovalQuestion, Questions: questions})
	if err != nil {
		return err
	}
	if !answer.Allow {
		return p.say(ctx, "I go on without an answer. "+quoted(answer.Reason)+"\n")
	}
	var b strings.Builder
	b.WriteString("These are the answers:\n\n")
	for _, q := range questions {
		said := "skipped"
		if chosen := answer.Answers[q.Question]; len(chosen) > 0 {
			said = "**" + strings.Join(chosen, ", ") + "**"
		}
		fmt.Fprintf(&b, "- %s %s\n", q.Question, said)
	}
	return p.say(ctx, b.String())
}

func playPlan(ctx context.Context, p *player) error {
	plan := "1. Write `" + notesFile + "`\n2. Change one line of it\n3. List the folder\n"
	if err := p.say(ctx, "I have a plan.\n\n"); err != nil {
		return err
	}
	answer, err := p.ask(ctx, report{Name: "Plan", Kind: wire.ApprovalPlan, Title: "Carry out the plan", About: plan})
	if err != nil {
		return err
	}
	if !answer.Allow {
		return p.say(ctx, "I go no further than the plan. "+quoted(answer.Reason)+"\n")
	}
	if err := p.say(ctx, "The plan is accepted, so I carry it out.\n\n"); err != nil {
		return err
	}
	if err := playEdit(ctx, p); err != nil {
		return err
	}
	return playShell(ctx, p)
}

func playTodo(ctx context.Context, p *player) error {
	tasks := []string{"Read the prompt", "Find the words in it", "Play them"}
	for done := range len(tasks) + 1 {
		items := make([]wire.TodoItem, len(tasks))
		for i, text := range tasks {
			items[i] = wire.TodoItem{Text: text, Status: todoStatus(i, done)}
		}
		if err := p.report(report{Type: reportTodo, Items: items}); err != nil {
			return err
		}
		if done < len(tasks) {
			if err := p.stream(ctx, reportText, words(tasks[done]+" …\n\n"), 10); err != nil {
				return err
			}
		}
	}
	return p.say(ctx, "All is done.\n")
}

// todoStatus is the state of item i when so many are done.
func todoStatus(i, done int) wire.TodoStatus {
	switch {
	case i < done:
		return wire.TodoCompleted
	case i == done:
		return wire.TodoInProgress
	default:
		return wire.TodoPending
	}
}

func playSlow(ctx context.Context, p *player) error {
	// 165 words of 4 beats of 30 ms are 20 seconds.
	text := strings.Repeat("Slowly, word by word, so that there is time to press stop. ", 15)
	return p.stream(ctx, reportText, words(text), 4)
}

func playFail(ctx context.Context, p *player) error {
	if err := p.say(ctx, "This answer will not reach its"); err != nil {
		return err
	}
	return failure{
		Code:      "overloaded",
		Message:   "The demo agent is overloaded. (This failure is part of the script.)",
		Hint:      "Send the prompt again, or another word.",
		Retryable: true,
	}
}

func playBig(ctx context.Context, p *player) error {
	// The numbers up to 166,000 are a little more than 1 MiB.
	if err := p.command(ctx, "seq", "1", "166000"); err != nil {
		return err
	}
	paragraph := strings.Repeat("A long answer has many lines, and all of them arrive. ", 36) + "\n\n"
	return p.stream(ctx, reportText, cutAfter(strings.Repeat(paragraph, 50), "\n\n"), 1)
}

// quoted is a reason as a sentence of its own; nothing where there is none.
func quoted(reason string) string {
	if reason == "" {
		return ""
	}
	return "I was told: “" + reason + "”"
}
