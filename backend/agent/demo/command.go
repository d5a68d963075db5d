package demo

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"

	"signalbox/backend/wire"
)

const (
	// maxOutput bounds what of a command's output is kept.
	maxOutput = 2 << 20
	// commandGrace is how long a stopped command's pipes may stay open.
	commandGrace = time.Second
)

func playShell(ctx context.Context, p *player) error {
	if err := p.command(ctx, "ls", "-la"); err != nil {
		return err
	}
	return p.say(ctx, "That is what this chat's folder holds.\n")
}

// command runs a command that only reads, without a shell, after asking.
func (p *player) command(ctx context.Context, argv ...string) error {
	line := strings.Join(argv, " ")
	out, err := p.use(ctx, call{
		name:  "Bash",
		input: map[string]any{"command": line, "description": "Run a command that only reads"},
		ask:   report{Kind: wire.ApprovalCommand, Title: line, ReadOnly: true},
		do: func(ctx context.Context, tool string) (outcome, error) {
			return p.exec(ctx, tool, argv)
		},
	})
	if err != nil || !out.ok {
		return p.explain(ctx, out, err)
	}
	return nil
}

func (p *player) exec(ctx context.Context, tool string, argv []string) (outcome, error) {
	w := &outputWriter{report: func(delta string) error {
		return p.report(report{Type: reportToolOutput, Tool: tool, Delta: delta})
	}}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = p.folder.path
	cmd.Stdout, cmd.Stderr = w, w // one writer: one goroutine calls it
	cmd.WaitDelay = commandGrace
	err := cmd.Run()
	if ctx.Err() != nil {
		return outcome{}, context.Cause(ctx)
	}
	if w.err != nil {
		return outcome{}, w.err
	}
	if err := w.flush(); err != nil {
		return outcome{}, err
	}
	if cmd.ProcessState == nil {
		return refused("The command did not start: " + err.Error()), nil
	}
	code := cmd.ProcessState.ExitCode()
	if err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			return outcome{}, fmt.Errorf("run a command: %w", err)
		}
	}
	return outcome{ok: code == 0, output: w.text(), exit: &code}, nil
}

// outputWriter passes a command's output on as text and keeps it, up to
// maxOutput bytes.
type outputWriter struct {
	report func(delta string) error

	kept strings.Builder
	tail []byte // the begin of a character whose rest has not come
	over int64  // bytes beyond maxOutput
	err  error  // the daemon could not be told
}

// Write implements [io.Writer].
func (w *outputWriter) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n := len(b)
	if room := max(0, maxOutput-w.kept.Len()); len(b) > room {
		w.over += int64(len(b) - room)
		b = b[:room]
	}
	b = append(w.tail, b...)
	whole := wholeCharacters(b)
	w.tail = append([]byte(nil), b[whole:]...)
	if w.err = w.pass(b[:whole]); w.err != nil {
		return 0, w.err
	}
	return n, nil
}

// flush passes on what was held back.
func (w *outputWriter) flush() error {
	b := w.tail
	w.tail = nil
	return w.pass(b)
}

func (w *outputWriter) pass(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	delta := strings.ToValidUTF8(string(b), "\uFFFD")
	w.kept.WriteString(delta)
	return w.report(delta)
}

// text is the whole output.
func (w *outputWriter) text() string {
	if w.over == 0 {
		return w.kept.String()
	}
	return fmt.Sprintf("%s\n… %d more bytes are not shown\n", w.kept.String(), w.over)
}

// wholeCharacters returns how much of b ends with a whole character.
func wholeCharacters(b []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		if utf8.RuneStart(b[len(b)-back]) {
			if !utf8.FullRune(b[len(b)-back:]) {
				return len(b) - back
			}
			break
		}
	}
	return len(b)
}
