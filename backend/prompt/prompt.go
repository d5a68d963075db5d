// Package prompt builds what an agent is given from what a person sent. It is
// pure. The stored prompt is never changed: the log holds the person's words.
package prompt

import (
	"strings"

	"signalbox/backend/wire"
)

// modeText is what an agent is told before the prompt in each mode. Code is how
// agents work anyway and has none. The texts ask; what a mode forbids is
// enforced by package permission and by the agent's own modes.
var modeText = map[wire.Mode]string{
	wire.ModeChat: "Answer directly, in conversation. " +
		"Change no files unless this message asks for it in so many words.",
	wire.ModePlan: "Plan first. Look at what is there, then propose a concrete plan: " +
		"which files change and how, in which order, how it will be checked, and what is still open. " +
		"Edit nothing until the plan is accepted.",
	wire.ModeReview: "Review this. Begin with what is wrong, the worst first: bugs, regressions, " +
		"missing tests, risks, each with its file and line. Keep summaries and praise short and last. Edit nothing.",
	wire.ModeDebug: "Debug this. Reproduce the fault first, or at least find where it comes from, " +
		"and say how you know. Then make the smallest change that removes the cause rather than the symptom, " +
		"and show that the fault is gone.",
	wire.ModeFullAuto: "Carry this through on your own: build it, check it, and repair what the checks show. " +
		"Stop only when it is done or when you cannot go on without the person; then say exactly what is missing.",
}

// ForAgent returns the text that an agent is given for the prompt text in mode.
func ForAgent(mode wire.Mode, text string) string { return after(modeText[mode], text) }

// After returns what an agent is given of the chat (see [Transcript]), then text.
func After(transcript, text string) string { return after(transcript, text) }

func after(first, text string) string {
	if first == "" {
		return text
	}
	return first + "\n\n" + text
}

// Words returns the person's words of a text that ForAgent and After made.
func Words(mode wire.Mode, text string) string {
	if rest, ok := strings.CutPrefix(text, head); ok {
		// Within a transcript nothing can pass for its end.
		if _, rest, ok := strings.Cut(rest, tail+"\n\n"); ok {
			text = rest
		}
	}
	return strings.TrimPrefix(text, ForAgent(mode, ""))
}
