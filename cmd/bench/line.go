//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"signalbox/backend/proc"
)

// line measures the reader of a CLI's output against a pipe that is only read.
func (b *bench) line(context.Context) error {
	const lines = 200_000
	text := []byte(strings.Repeat("x", 299) + "\n")
	var bare, read, cpu samples
	for range b.opts.rounds {
		d, err := throughPipe(text, lines, func(r *os.File) error {
			_, err := io.Copy(io.Discard, struct{ io.Reader }{r})
			return err
		})
		if err != nil {
			return err
		}
		bare = append(bare, rate(lines, d))
		before := ownCPU()
		d, err = throughPipe(text, lines, func(r *os.File) error {
			lr := proc.NewLineReader(r, proc.LineOptions{})
			for n := 0; ; n++ {
				_, err := lr.Line()
				if errors.Is(err, io.EOF) {
					if n != lines {
						return fmt.Errorf("%d lines of %d were read", n, lines)
					}
					return nil
				}
				if err != nil {
					return err
				}
			}
		})
		if err != nil {
			return err
		}
		read = append(read, rate(lines, d))
		cpu = append(cpu, float64(ownCPU()-before)/float64(time.Microsecond)/lines)
	}
	b.rep.addRatio("CLI line read, 300 B", "lines/s", read, "pipe read", bare)
	b.rep.add("CLI line read, both ends of the pipe", "us CPU/line", cpu)
	return nil
}

// throughPipe writes text n times, 64 KiB at a time, and returns how long read
// took to take it all.
func throughPipe(text []byte, n int, read func(*os.File) error) (time.Duration, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	per := (64 << 10) / len(text)
	block := bytes.Repeat(text, per)
	written := make(chan error, 1) // one value: how the writer ended
	start := time.Now()
	go func() {
		defer w.Close()
		for left := n; left > 0; left -= per {
			if _, err := w.Write(block[:min(left, per)*len(text)]); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	err = read(r)
	return time.Since(start), errors.Join(err, <-written)
}
