package claude

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"signalbox/backend/agent"
)

// installHint is the next step where the CLI is not installed.
const installHint = "Install it: npm install -g @anthropic-ai/claude-code"

// versionWords is what `claude --version` begins with: "2.1.332 (Claude Code)".
var versionWords = regexp.MustCompile(`^(\d+\.\d+\.\d+\S*)`)

// Probe asks the CLI for its version and looks for a sign-in, without the
// network. Where none is found it still says ready, with a note: a key may come
// from a helper that only the CLI knows.
func (p *Provider) Probe(ctx context.Context) agent.Status {
	s := p.installed()
	if s.State != agent.StateReady {
		return s
	}
	out, err := p.version(ctx, s.Path)
	if err != nil {
		s.State = agent.StateBroken
		s.Message = "Claude Code is installed at " + s.Path + " but does not run: " + err.Error() + "."
		s.Hint = "Run `claude --version` in a terminal of this machine; install it again if it fails there too."
		return s
	}
	m := versionWords.FindStringSubmatch(out)
	if m == nil {
		s.State = agent.StateBroken
		s.Message = "The program at " + s.Path + " does not answer like Claude Code."
		s.Hint = "Set the path of Claude Code in the settings."
		return s
	}
	s.Version = m[1]
	if !p.signedIn() {
		s.Message = "No sign-in was found."
		s.Hint = signInHint
	}
	return s
}

// installed looks for the program, without running it.
func (p *Provider) installed() agent.Status {
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
			Message: "Claude Code is not installed: there is no " + p.path + ".",
			Hint:    installHint,
		}
	}
}

// lookPath finds the program in the PATH that the CLI would get, which need not
// be the daemon's.
func (p *Provider) lookPath() (string, error) {
	if strings.ContainsRune(p.path, filepath.Separator) {
		return p.path, executable(p.path)
	}
	path, _ := agent.Lookup(p.env, "PATH")
	err := error(exec.ErrNotFound)
	denied := ""
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // a relative entry would depend on where the daemon was started
		}
		file := filepath.Join(dir, p.path)
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

// version runs the program with --version.
func (p *Provider) version(ctx context.Context, path string) (string, error) {
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = p.env
	cmd.WaitDelay = time.Second // a child of it may hold the pipe open
	var out, errput limited
	cmd.Stdout, cmd.Stderr = &out, &errput
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", errors.New("it did not answer in time")
		}
		if said := lastLine(string(errput)); said != "" {
			return "", errors.New(said)
		}
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// limited keeps the first 4 KiB that are written to it.
type limited []byte

func (l *limited) Write(b []byte) (int, error) {
	const limit = 4096
	*l = append(*l, b[:min(len(b), limit-len(*l))]...)
	return len(b), nil
}

// signedIn reports whether there is a sign-in, as far as can be seen from here.
func (p *Provider) signedIn() bool {
	for _, name := range []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
		"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX",
	} {
		if v, ok := agent.Lookup(p.env, name); ok && v != "" {
			return true
		}
	}
	if runtime.GOOS == "darwin" {
		return true // it is in the keychain, which would ask the person
	}
	dir, ok := agent.Lookup(p.env, "CLAUDE_CONFIG_DIR")
	if !ok || dir == "" {
		home, _ := agent.Lookup(p.env, "HOME")
		dir = filepath.Join(home, ".claude")
	}
	st, err := os.Stat(filepath.Join(dir, ".credentials.json"))
	return err == nil && st.Size() > 0
}
