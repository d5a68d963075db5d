package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"signalbox/backend/wire"
)

const (
	notesFile    = "signalbox-demo.md"
	approvedFile = "signalbox-demo-approved.md"
	// counterLine is the line of the notes that each edit changes.
	counterLine = "Changed so far: "
)

// playEdit writes the notes if there are none, then changes a line of them.
func playEdit(ctx context.Context, p *player) error {
	text, err := p.folder.read(notesFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && counter(text) == "" {
		text = "# Notes of the demo agent\n\nThis file was written by a script.\n" + counterLine + "0 times\n"
		out, err := p.write(ctx, notesFile, text)
		if err != nil || !out.ok {
			return p.explain(ctx, out, err)
		}
	} else if err != nil {
		return p.say(ctx, "I leave `"+notesFile+"` alone: "+err.Error()+"\n")
	}
	before := counter(text)
	var times int
	if _, err := fmt.Sscanf(before, counterLine+"%d", &times); err != nil {
		times = 0 // somebody changed the line: count anew
	}
	out, err := p.edit(ctx, text, before, fmt.Sprintf("%s%d times", counterLine, times+1))
	if err != nil || !out.ok {
		return p.explain(ctx, out, err)
	}
	return p.say(ctx, "I changed a line of `"+notesFile+"`.\n")
}

// counter returns the line of text that edits change, "" if there is none.
func counter(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, counterLine) {
			return strings.TrimSuffix(line, "\n")
		}
	}
	return ""
}

// edit replaces a line of the notes after asking.
func (p *player) edit(ctx context.Context, text, before, after string) (outcome, error) {
	path := p.folder.abs(notesFile)
	return p.use(ctx, call{
		name:  "Edit",
		input: map[string]any{"file_path": path, "old_string": before, "new_string": after},
		ask:   report{Kind: wire.ApprovalEdit, Title: "Edit " + notesFile, Paths: []string{path}},
		do: func(context.Context, string) (outcome, error) {
			now, err := p.folder.read(notesFile)
			if err != nil {
				return refused("The file was not changed: " + err.Error()), nil
			}
			if now != text {
				return refused("The file was not changed: somebody else has changed it meanwhile."), nil
			}
			if err := p.folder.write(notesFile, strings.Replace(text, before, after, 1)); err != nil {
				return refused("The file was not changed: " + err.Error()), nil
			}
			return outcome{ok: true, output: "Changed " + path, detail: map[string]any{
				"filePath": path, "oldString": before, "newString": after,
				"structuredPatch": []any{lineHunk(text, before, after)},
			}}, nil
		},
	})
}

// context lines of a hunk on either side.
const contextLines = 3

// lineHunk is the hunk of a unified diff in which one line changes.
func lineHunk(text, before, after string) map[string]any {
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	at := 0
	for i, line := range all {
		if line == before {
			at = i
			break
		}
	}
	from, to := max(0, at-contextLines), min(len(all), at+1+contextLines)
	lines := []string{}
	for i := from; i < to; i++ {
		if i == at {
			lines = append(lines, "-"+before, "+"+after)
			continue
		}
		lines = append(lines, " "+all[i])
	}
	return map[string]any{
		"oldStart": from + 1, "oldLines": to - from, "newStart": from + 1, "newLines": to - from, "lines": lines,
	}
}

// playApprove asks for leave as for a tool that no mode allows by itself.
func playApprove(ctx context.Context, p *player) error {
	path := p.folder.abs(approvedFile)
	text := "# Approved\n\nLeave was given to write this file.\n"
	out, err := p.use(ctx, call{
		name:  "Stamp",
		input: map[string]any{"file_path": path, "content": text},
		ask: report{
			Kind: wire.ApprovalTool, Title: "Stamp " + approvedFile,
			About: "Writes one small file in this chat's folder.", Paths: []string{path},
		},
		do: func(context.Context, string) (outcome, error) {
			if err := p.folder.write(approvedFile, text); err != nil {
				return refused("The file was not written: " + err.Error()), nil
			}
			return outcome{ok: true, output: "Wrote " + path}, nil
		},
	})
	if err != nil || !out.ok {
		return p.explain(ctx, out, err)
	}
	return p.say(ctx, "Leave was given, and `"+approvedFile+"` is written.\n")
}

// explain says why a tool did nothing, unless the play is over anyway.
func (p *player) explain(ctx context.Context, out outcome, err error) error {
	if err != nil {
		return err
	}
	return p.say(ctx, "Nothing was done. "+quoted(out.output)+"\n")
}
