package dialog

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// Options configure an agent that is a vendor's CLI.
type Options struct {
	Path string            // the CLI, a path or a name in PATH; default its own name
	Env  map[string]string // what the settings name for its environment; it wins over the rest
	// Environ is what the daemon itself was started with; default os.Environ.
	Environ []string
	Log     *slog.Logger // default discards
}

// Defaults returns the options with what was left out, for the agent id whose
// CLI is called command.
func (o Options) Defaults(id wire.AgentID, command string) Options {
	if o.Path == "" {
		o.Path = command
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Log = o.Log.With("agent", string(id))
	return o
}

// Program is a vendor's CLI as it is set up here.
type Program struct {
	Name    string // for people: "Claude Code"
	Command string // what a person runs in a terminal: "claude"
	Install string // the command line that installs it
	Vendor  string // who answers: "Anthropic", "the provider"
	SignIn  string // the next step for a person who is not signed in, a sentence
	Path    string // a path, or a name in the PATH of Env
	Env     []string
	// Version is what --version prints, with the version in its first group.
	Version *regexp.Regexp
	Tested  string // the version that this Signalbox is tested with
}

// Find looks for the program, without running it.
func (p Program) Find() agent.Status {
	path, err := p.lookPath()
	switch {
	case err == nil:
		return agent.Status{State: agent.StateReady, Path: path}
	case errors.Is(err, fs.ErrPermission):
		return agent.Status{
			State: agent.StateBroken, Path: path,
			Message: "The program at " + path + " may not be executed.",
			Hint:    "Make it executable (chmod +x), or install it again.",
		}
	default:
		return agent.Status{
			State:   agent.StateNotInstalled,
			Message: p.Name + " is not installed: there is no " + p.Path + ".",
			Hint:    "Install it: " + p.Install,
		}
	}
}

// Probe finds the program and asks it for its version.
func (p Program) Probe(ctx context.Context) agent.Status {
	s := p.Find()
	if s.State != agent.StateReady {
		return s
	}
	out, err := p.Output(ctx, s.Path, "--version")
	if err != nil {
		s.State = agent.StateBroken
		s.Message = p.Name + " is installed at " + s.Path + " but does not run: " + strings.TrimSuffix(err.Error(), ".") + "."
		s.Hint = "Run `" + p.Command + " --version` in a terminal of this machine; install it again if it fails there too."
		return s
	}
	m := p.Version.FindStringSubmatch(out)
	if m == nil {
		s.State = agent.StateBroken
		s.Message = "The program at " + s.Path + " does not answer like " + p.Name + "."
		s.Hint = "Set the path of " + p.Name + " in the settings."
		return s
	}
	s.Version, s.Tested = m[1], p.Tested
	return s
}

// lookPath finds the program in the PATH that it would get, which need not be
// the daemon's.
func (p Program) lookPath() (string, error) {
	if strings.ContainsRune(p.Path, filepath.Separator) {
		return p.Path, executable(p.Path)
	}
	path, _ := agent.Lookup(p.Env, "PATH")
	err := error(exec.ErrNotFound)
	denied := ""
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // a relative entry would depend on where the daemon was started
		}
		file := filepath.Join(dir, p.Path)
		switch e := executable(file); {
		case e == nil:
			return file, nil
		case errors.Is(e, fs.ErrPermission) && denied == "":
			denied, err = file, e
		}
	}
	return denied, err
}

func executable(file string) error {
	st, err := os.Stat(file)
	if err != nil {
		return err
	}
	if st.IsDir() {
		return fs.ErrNotExist
	}
	if st.Mode()&0o111 == 0 {
		return fs.ErrPermission
	}
	return nil
}

// limited keeps the first 4 KiB that are written to it.
type limited []byte

func (l *limited) Write(b []byte) (int, error) {
	const limit = 4096
	*l = append(*l, b[:min(len(b), limit-len(*l))]...)
	return len(b), nil
}

// IsControl reports whether r may stand in no value that goes to a program.
func IsControl(r rune) bool { return r < 0x20 || r == 0x7f }
