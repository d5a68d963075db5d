package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"signalbox/backend/wire"
)

// call is a tool call: what is shown, what is asked, and the deed.
type call struct {
	name  string
	input any
	ask   report // Kind, Title, About, Paths, ReadOnly
	do    func(ctx context.Context, tool string) (outcome, error)
}

// outcome is what a tool call gave. An error of the deed itself is an outcome;
// an error beside it ends the play.
type outcome struct {
	ok     bool
	output string
	detail any
	exit   *int
}

func refused(output string) outcome { return outcome{output: output} }

// use plays a tool call and returns whether it was done.
func (p *player) use(ctx context.Context, c call) (outcome, error) {
	input, err := json.Marshal(c.input)
	if err != nil {
		return outcome{}, fmt.Errorf("encode a tool's input: %w", err)
	}
	tool := p.id("tool")
	p.usage.Output += characters(string(input))
	if err := p.report(report{Type: reportToolStart, Tool: tool, Name: c.name, Input: input}); err != nil {
		return outcome{}, err
	}
	began := time.Now()
	c.ask.Tool, c.ask.Name, c.ask.Input = tool, c.name, input
	answer, err := p.ask(ctx, c.ask)
	if err != nil {
		return outcome{}, err
	}
	out := refused("Not allowed. " + answer.Reason)
	if answer.Allow {
		if out, err = c.do(ctx, tool); err != nil {
			return outcome{}, err
		}
	}
	p.usage.Input += characters(out.output)
	end := report{
		Type: reportToolEnd, Tool: tool, Name: c.name, OK: out.ok, Output: out.output,
		ExitCode: out.exit, MS: time.Since(began).Milliseconds(),
	}
	if out.detail != nil {
		if end.Detail, err = json.Marshal(out.detail); err != nil {
			return outcome{}, fmt.Errorf("encode a tool's result: %w", err)
		}
	}
	return out, p.report(end)
}

// write replaces a file of the folder after asking.
func (p *player) write(ctx context.Context, name, text string) (outcome, error) {
	path := p.folder.abs(name)
	return p.use(ctx, call{
		name:  "Write",
		input: map[string]any{"file_path": path, "content": text},
		ask:   report{Kind: wire.ApprovalEdit, Title: "Write " + name, Paths: []string{path}},
		do: func(context.Context, string) (outcome, error) {
			if err := p.folder.write(name, text); err != nil {
				return refused("The file was not written: " + err.Error()), nil
			}
			return outcome{
				ok: true, output: "Wrote " + path,
				detail: map[string]any{"type": "create", "filePath": path, "content": text, "structuredPatch": []any{}},
			}, nil
		},
	})
}
