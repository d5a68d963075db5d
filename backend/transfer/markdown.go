package transfer

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"signalbox/backend/eventlog"
)

// About says of an export what the events do not.
type About struct {
	Title string
	At    time.Time // of the export
	Zone  *time.Location
}

func (a About) title() string {
	if a.Title == "" {
		return "Chat"
	}
	return a.Title
}

// Markdown writes a chat for people to read.
func Markdown(w io.Writer, about About, log *eventlog.Log) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %s\n\n_Exported on %s_\n", oneLine(about.title()), about.At.In(about.Zone).Format("2006-01-02 15:04 MST"))
	err := read(log, func(b block) error {
		at := b.at.In(about.Zone).Format("2006-01-02 15:04")
		switch b.kind {
		case kindPrompt:
			fmt.Fprintf(out, "\n---\n\n## %s · %s\n\n%s\n", oneLine(b.who), at, b.text)
		case kindText:
			fmt.Fprintf(out, "\n%s%s\n", byAgent(b), b.text)
		case kindThinking:
			fmt.Fprintf(out, "\n> _Thinking_\n>\n%s\n", quoted(b.text))
		case kindTool:
			fmt.Fprintf(out, "\n**%s**%s\n\n%s", oneLine(b.who), outcome(b), fenced("json", b.input))
			if b.ended && b.text != "" {
				fmt.Fprintf(out, "\n%s", fenced("", b.text))
			}
		case kindNotice:
			fmt.Fprintf(out, "\n_%s_\n", oneLine(b.text))
		case kindError:
			fmt.Fprintf(out, "\n**Error:** %s\n", oneLine(b.text))
		case kindVerdict:
			fmt.Fprintf(out, "\n**The run ended: %s**\n", b.text)
		}
		return out.Flush()
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

func byAgent(b block) string {
	if b.sub {
		return "_A subagent:_ "
	}
	return ""
}

func outcome(b block) string {
	switch {
	case !b.ended:
		return " (no result)"
	case !b.ok:
		return " (failed)"
	}
	return ""
}

// oneLine keeps a name or a notice from being more than that.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func quoted(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") }

// fenced puts text between fences that are longer than any in it.
func fenced(language, text string) string {
	if text == "" {
		return ""
	}
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}
