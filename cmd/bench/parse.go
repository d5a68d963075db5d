//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"time"

	"signalbox/backend/agent/agenttest/fake"
)

// parse is what the lines that the stand-in prints cost any reader that decodes
// them with the standard library: into a type with some of their fields, and
// into values of any kind.
func (b *bench) parse(ctx context.Context) error {
	if err := b.build(ctx); err != nil {
		return err
	}
	lines, bytesAll, err := standInLines(ctx, b.bin.agent, parsedLines)
	if err != nil {
		return err
	}
	var typed, loose samples
	for range b.opts.rounds {
		for _, c := range []struct {
			into   *samples
			target func() any
		}{
			{&typed, newSomeFields},
			{&loose, func() any { return new(any) }},
		} {
			took, err := decode(lines, c.target)
			if err != nil {
				return err
			}
			*c.into = append(*c.into, took)
		}
	}
	b.rep.add("a stand-in's line", "B", samples{float64(bytesAll) / float64(len(lines))})
	b.rep.add("decode it into a type, encoding/json", "us CPU/line", typed)
	b.rep.add("decode it into values of any kind", "us CPU/line", loose)
	return nil
}

// parsedLines is how many lines of the stand-in are decoded at a time.
const parsedLines = 18 * 400

// decode returns the processor time in microseconds that a line takes.
func decode(lines [][]byte, target func() any) (float64, error) {
	before := ownCPU()
	for _, line := range lines {
		if err := json.Unmarshal(line, target()); err != nil {
			return 0, err
		}
	}
	return float64(ownCPU()-before) / float64(time.Microsecond) / float64(len(lines)), nil
}

func newSomeFields() any { return new(someFields) }

// someFields is what a reader of text needs.
type someFields struct {
	Type    string `json:"type"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Event struct {
		Index int `json:"index"`
		Delta struct {
			Text string `json:"text"`
		} `json:"delta"`
	} `json:"event"`
}

// standInLines returns n lines of the stand-in.
func standInLines(ctx context.Context, agent string, n int) (lines [][]byte, size int, err error) {
	cmd := exec.CommandContext(ctx, agent)
	for name, value := range (fake.Script{Lines: n, Deaf: true}).Env() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdin = strings.NewReader("")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, cmd.Wait()) }()
	in := bufio.NewScanner(out)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		lines = append(lines, bytes.Clone(in.Bytes()))
		size += len(in.Bytes())
	}
	return lines, size, in.Err()
}
