package demo_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// line is a line of the protocol in either direction.
type line struct {
	Type     string          `json:"type"`
	Text     string          `json:"text,omitempty"`
	Session  string          `json:"session,omitempty"`
	Resumed  bool            `json:"resumed,omitempty"`
	Item     string          `json:"item,omitempty"`
	Delta    string          `json:"delta,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Name     string          `json:"name,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	OK       bool            `json:"ok,omitempty"`
	Output   string          `json:"output,omitempty"`
	Detail   json.RawMessage `json:"detail,omitempty"`
	ExitCode *int            `json:"exitCode,omitempty"`
	Items    json.RawMessage `json:"items,omitempty"`
	ID       string          `json:"id,omitempty"`
	Kind     string          `json:"kind,omitempty"`
	Paths    []string        `json:"paths,omitempty"`
	ReadOnly bool            `json:"readOnly,omitempty"`
	Allow    bool            `json:"allow,omitempty"`
	Reason   string          `json:"reason,omitempty"`

	Answers map[string][]string `json:"answers,omitempty"`

	Code      string `json:"code,omitempty"`
	Hint      string `json:"hint,omitempty"`
	Retryable bool   `json:"retryable,omitempty"`
	Status    string `json:"status,omitempty"`
	Usage     *struct {
		Input, Output int64
	} `json:"usage,omitempty"`
}

// process is the agent as a real process.
type process struct {
	t     *testing.T
	dir   string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

func start(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, dir: dir, cmd: exec.CommandContext(t.Context(), exe, append([]string{"demo-agent"}, args...)...)}
	p.cmd.Dir, p.cmd.Stderr = dir, t.Output()
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *process) send(l line) {
	p.t.Helper()
	b, err := json.Marshal(l)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.stdin.Write(append(b, '\n')); err != nil {
		p.t.Fatalf("send %s: %v", l.Type, err)
	}
}

// next returns the next line, ok false at the end of the output.
func (p *process) next() (l line, ok bool) {
	p.t.Helper()
	b, err := p.out.ReadBytes('\n')
	if err == io.EOF && len(b) == 0 {
		return line{}, false
	}
	if err != nil {
		p.t.Fatalf("read %q: %v", b, err)
	}
	if err := json.Unmarshal(b, &l); err != nil {
		p.t.Fatalf("line %.200q: %v", b, err)
	}
	return l, true
}

// until reads lines up to the first of the type and returns them.
func (p *process) until(kind string) []line {
	p.t.Helper()
	var got []line
	for {
		l, ok := p.next()
		if !ok {
			p.t.Fatalf("the output ended before a line of type %q: %v", kind, got)
		}
		got = append(got, l)
		if l.Type == kind {
			return got
		}
	}
}

// wait returns the exit code once the output was read to its end.
func (p *process) wait() int {
	p.t.Helper()
	for {
		if _, ok := p.next(); !ok {
			break
		}
	}
	err := p.cmd.Wait()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		p.t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// played is what a prompt gave.
type played []line

// play runs a prompt to its end at full speed, answering every ask alike.
func play(t *testing.T, dir, text, session string, answer line) played {
	t.Helper()
	p := start(t, dir, "-pace", "0")
	p.send(line{Type: "start", Text: text, Session: session})
	var got played
	for {
		l, ok := p.next()
		if !ok {
			break
		}
		got = append(got, l)
		switch l.Type {
		case "ask":
			answer.Type, answer.ID = "answer", l.ID
			p.send(answer)
		case "end":
			if err := p.stdin.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if code := p.wait(); code != 0 {
		t.Errorf("%q: exit code %d", text, code)
	}
	if n := len(got.of("end")); n != 1 || got[len(got)-1].Type != "end" {
		t.Errorf("%q: %d ends, the last line is %q", text, n, got[len(got)-1].Type)
	}
	return got
}

var yes, no = line{Allow: true}, line{Reason: "Plan mode changes nothing."}

func (p played) of(kind string) []line {
	var got []line
	for _, l := range p {
		if l.Type == kind {
			got = append(got, l)
		}
	}
	return got
}

func (p played) text() string {
	var b strings.Builder
	for _, l := range p.of("text") {
		b.WriteString(l.Delta)
	}
	return b.String()
}

func (p played) end() line { return p[len(p)-1] }

// kinds lists the types of the lines, runs of one type once.
func (p played) kinds() []string {
	var got []string
	for _, l := range p {
		if len(got) == 0 || got[len(got)-1] != l.Type {
			got = append(got, l.Type)
		}
	}
	return got
}

// tree returns every file below dir with its content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if d.Type()&os.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			files[rel] = "-> " + target
			return err
		}
		b, err := os.ReadFile(path)
		files[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
