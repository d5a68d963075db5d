package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"signalbox/backend/config"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

var agents = []wire.AgentID{"claude", "demo"}

// load loads with a home folder of its own and file as the settings file.
func load(t *testing.T, file string, flags map[string]string, env ...string) (*config.Config, error) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "signalbox")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if file != "" {
		if err := os.WriteFile(filepath.Join(dir, "signalbox.toml"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config.Load(config.Input{
		Flags: flags, Environ: append([]string{"HOME=" + home}, env...), Agents: agents,
	})
}

func TestLoad_defaults(t *testing.T) {
	t.Parallel()
	c, err := load(t, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != "127.0.0.1:7333" || c.LogLevel != slog.LevelInfo || c.AllowPublic || c.URL != "" {
		t.Errorf("unexpected defaults: %+v", c)
	}
	if !strings.HasSuffix(c.Data, "/.local/share/signalbox") || len(c.Roots) != 1 {
		t.Errorf("data %q, roots %q", c.Data, c.Roots)
	}
	if c, err = load(t, "", nil, "XDG_DATA_HOME=/x"); err != nil || c.Data != "/x/signalbox" {
		t.Errorf("data %q with XDG_DATA_HOME, %v", c.Data, err)
	}
}

func TestLoad_laterSourcesWin(t *testing.T) {
	t.Parallel()
	file := "addr = '127.0.0.1:1'"
	tests := []struct {
		name  string
		flags map[string]string
		env   []string
		want  string
	}{
		{name: "file over default", want: "127.0.0.1:1"},
		{name: "environment over file", env: []string{"SIGNALBOX_ADDR=127.0.0.1:2"}, want: "127.0.0.1:2"},
		{name: "an empty variable is none", env: []string{"SIGNALBOX_ADDR="}, want: "127.0.0.1:1"},
		{
			name: "flag over environment", flags: map[string]string{"addr": "127.0.0.1:3"},
			env: []string{"SIGNALBOX_ADDR=127.0.0.1:2"}, want: "127.0.0.1:3",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := load(t, file, tt.flags, tt.env...)
			if err != nil {
				t.Fatal(err)
			}
			if c.Addr != tt.want {
				t.Errorf("addr %q, want %q", c.Addr, tt.want)
			}
		})
	}
}

func TestLoad_errorsSayWhereAndWhatWasMeant(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		env        []string
		want       []string // parts of the error and its hint
	}{
		{name: "unknown key", file: "\n# x\nadrr = 'a'", want: []string{"signalbox.toml:3", `"adrr" is not a setting`, "Did you mean addr?"}},
		{name: "unknown key, nothing near", file: "colour = 'red'", want: []string{"signalbox.toml:1", "Known are: addr,"}},
		{name: "unknown agent", file: "[providers.claud]\npath='x'", want: []string{"providers.claud", "Did you mean claude?"}},
		{name: "unknown key of an agent", file: "[providers.claude]\n\npaht='x'", want: []string{"signalbox.toml:3", "Did you mean path?"}},
		{name: "wrong type", file: "\naddr = 7333", want: []string{"signalbox.toml:2", "a string in quotes"}},
		{name: "boolean in quotes", file: "allow_public = 'true'", want: []string{"signalbox.toml:1", "true or false, without quotes"}},
		{name: "array of numbers", file: "roots = [1]", want: []string{"array of strings"}},
		{name: "syntax", file: "addr = \n", want: []string{"signalbox.toml:1"}},
		{name: "twice", file: "addr='127.0.0.1:1'\naddr='127.0.0.1:2'", want: []string{"signalbox.toml:2"}},
		{name: "address without port", file: "addr = 'localhost'", want: []string{"signalbox.toml:1", "host:port"}},
		{name: "port too high", file: "addr = 'localhost:70000'", want: []string{"0 to 65535"}},
		{name: "level", file: "log_level = 'loud'", want: []string{"debug, info, warn or error"}},
		{name: "URL with a path", file: "url = 'https://h/x'", want: []string{"more than a host"}},
		{name: "URL with a password", file: "url = 'https://a:b@h'", want: []string{"name or password"}},
		{name: "URL of another kind", file: "url = 'ftp://h'", want: []string{"http://host"}},
		{name: "proxy that is no address", file: "trusted_proxies = ['10.0.0']", want: []string{"signalbox.toml:1", "not an address or a network"}},
		{name: "everybody as a proxy", file: "trusted_proxies = ['::/0']", want: []string{"claim any address"}},
		{name: "half of TLS", file: "tls_cert = 'c.pem'", want: []string{"belong together"}},
		{name: "variable", env: []string{"SIGNALBOX_ADRR=x"}, want: []string{"SIGNALBOX_ADRR", "Did you mean SIGNALBOX_ADDR?"}},
		{name: "variable's value", env: []string{"SIGNALBOX_ALLOW_PUBLIC=yes"}, want: []string{"SIGNALBOX_ALLOW_PUBLIC", "true or false"}},
		{name: "named file that is not there", env: []string{"SIGNALBOX_CONFIG=/no/such.toml"}, want: []string{"/no/such.toml", "no such file"}},
		{name: "variable for an agent that is not set", file: "[providers.claude.env]\nK = { env = 'NOT_SET' }", want: []string{"signalbox.toml:2", "NOT_SET is not set"}},
		{name: "file for an agent that is not there", file: "[providers.claude.env]\nK = { file = 'none' }", want: []string{"signalbox.toml:2", "none"}},
		{name: "bad name of a variable", file: "[providers.claude.env]\n'A B' = 'x'", want: []string{"signalbox.toml:2", "not the name of a variable"}},
		{name: "two ways at once", file: "[providers.claude.env]\nK = { env = 'A', file = 'b' }", want: []string{"signalbox.toml:2", `write "value"`}},
		{name: "MCP server of nothing", file: "[mcp.files]\nargs = []", want: []string{"signalbox.toml:1", "neither a command nor a url"}},
		{name: "MCP server of both", file: "[mcp.files]\ncommand = 'x'\nurl = 'http://h'", want: []string{"both a command and a url"}},
		{name: "MCP server's name", file: "[mcp.'a__b']\ncommand = 'x'", want: []string{"signalbox.toml:1", "cannot be the name", "single - or _"}},
		{name: "MCP server's unknown key", file: "[mcp.files]\ncomand = 'x'", want: []string{"signalbox.toml:2", "Did you mean command?"}},
		{name: "MCP server of a skill without a name", file: "[mcp.files]\ncommand = 'x'\nskill = ''", want: []string{"signalbox.toml:3", "skill must be a string"}},
		{name: "MCP server with args of numbers", file: "[mcp.files]\ncommand = 'x'\nargs = [1]", want: []string{"signalbox.toml:3", "array of strings"}},
		{name: "MCP server with headers for a command", file: "[mcp.files]\ncommand = 'x'\nheaders = { A = 'b' }", want: []string{"headers, which belong to a url"}},
		{name: "MCP server with env for a URL", file: "[mcp.files]\nurl = 'http://h'\nenv = { A = 'b' }", want: []string{"belong to a command"}},
		{name: "MCP server with a password in its URL", file: "[mcp.files]\nurl = 'http://a:b@h'", want: []string{"use headers"}},
		{name: "MCP server of another kind", file: "[mcp.files]\nurl = 'ftp://h'", want: []string{"http://host"}},
		{name: "bad name of a header", file: "[mcp.files]\nurl = 'http://h'\nheaders = { 'A B' = 'b' }", want: []string{"signalbox.toml:3", "not the name of a header"}},
		{name: "header of two lines", file: "[mcp.files]\nurl = 'http://h'\nheaders = { A = \"b\\nC: d\" }", want: []string{"line break"}},
		{name: "no home", env: []string{"HOME="}, want: []string{"Set SIGNALBOX_DATA"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, tt.file, nil, tt.env...)
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.Invalid {
				t.Fatalf("got %v, want a fault that says invalid", err)
			}
			text := f.Message + " " + f.Hint
			for _, part := range tt.want {
				if !strings.Contains(text, part) {
					t.Errorf("error %q lacks %q", text, part)
				}
			}
		})
	}
}

func TestLoad_reportsAllErrorsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := load(t, "addr = 1\ncolour = 2", nil, "SIGNALBOX_LOG_LEVEL=loud")
	for _, part := range []string{"addr", "colour", "SIGNALBOX_LOG_LEVEL"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v lacks %q", err, part)
		}
	}
}

// A daemon that a network reaches without TLS does not start by accident.
func TestLoad_refusesToListenInPublicUnprotected(t *testing.T) {
	t.Parallel()
	tests := []struct {
		addr   string
		public bool
	}{
		{"127.0.0.1:7333", false},
		{"127.9.9.9:7333", false},
		{"[::1]:7333", false},
		{"[::ffff:127.0.0.1]:7333", false},
		{"localhost:7333", false},
		{"0.0.0.0:7333", true},
		{"[::]:7333", true},
		{":7333", true},
		{"192.168.1.7:7333", true},
		{"box.example:7333", true},
	}
	for _, tt := range tests {
		t.Run(tt.addr, func(t *testing.T) {
			t.Parallel()
			at := map[string]string{"addr": tt.addr}
			_, err := load(t, "", at)
			if (err != nil) != tt.public {
				t.Errorf("bare: %v, want refused %v", err, tt.public)
			}
			if _, err := load(t, "allow_public = true", at); err != nil {
				t.Errorf("with allow_public: %v", err)
			}
			if _, err := load(t, "tls_cert = 'c'\ntls_key = 'k'", at); err != nil {
				t.Errorf("with TLS: %v", err)
			}
		})
	}
}

func TestLoad_pathsAreRelativeToWhereTheyStand(t *testing.T) {
	t.Parallel()
	c, err := load(t, "data = 'd'\nroots = ['~/src', '/abs']\n[providers.claude]\npath = './bin/claude'", nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(c.File)
	home := filepath.Dir(filepath.Dir(dir))
	got := []string{c.Data, c.Roots[0], c.Roots[1], c.Providers["claude"].Path}
	want := []string{dir + "/d", home + "/src", "/abs", dir + "/bin/claude"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	c, err = load(t, "", nil, "SIGNALBOX_ROOTS=/a:/b", "SIGNALBOX_PROVIDERS_CLAUDE_PATH=claude")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/a", "/b"}, c.Roots); diff != "" {
		t.Error(diff)
	}
	if p := c.Providers["claude"].Path; p != "claude" {
		t.Errorf("a bare program name became %q", p)
	}
}

// A command that an agent starts inherits the daemon's marks, and may be
// signalbox itself.
func TestLoad_ignoresTheMarksOfRuns(t *testing.T) {
	t.Parallel()
	if _, err := load(t, "", nil, "SIGNALBOX_RUN=r_1", "SIGNALBOX_INSTANCE=x"); err != nil {
		t.Error(err)
	}
}

func TestSecret_isNeverSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("hush-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := load(t, fmt.Sprintf("[providers.claude.env]\nA = 'hush-text'\nB = { file = '%s/key' }\nC = { env = 'FROM' }", dir),
		nil, "FROM=hush-env")
	if err != nil {
		t.Fatal(err)
	}
	env := c.Providers["claude"].Env
	for name, want := range map[string]string{"A": "hush-text", "B": "hush-file", "C": "hush-env"} {
		if got := env[name].Reveal(); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}

	var out bytes.Buffer
	if err := c.Print(&out); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "%v %+v %#v %s %q", c.Providers, c.Providers, c.Providers, env["A"], env["A"])
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "provider", c.Providers["claude"], "env", env["A"])
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "provider", c.Providers["claude"], "env", env["A"])
	if err := json.NewEncoder(&out).Encode(c.Providers); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "hush") {
		t.Errorf("a secret is seen in %s", out.String())
	}
}

func TestLoad_warnsOfKeysThatOthersCanRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.toml")
	if err := os.WriteFile(file, []byte("[providers.claude.env]\nKEY = 'x'"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Input{File: file, Environ: []string{"HOME=/h"}, Agents: agents})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "chmod 600") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestPrint_canBeReadBackAndNamesTheSources(t *testing.T) {
	t.Parallel()
	file := "log_level = 'debug'\n[providers.claude]\npath = '/opt/claude'\n" +
		"[mcp.files]\ncommand = 'files'\nargs = ['-x', 'a b']\nskill = 'files'\nenv = { KEY = 'tell-nobody' }\n" +
		"[mcp.web]\nurl = 'https://h/mcp'\nheaders = { Authorization = 'tell-nobody' }\n" +
		"[mcp.keyed]\nurl = 'https://h/mcp?key=tell-nobody'"
	c, err := load(t, file, map[string]string{"addr": "localhost:0"}, "SIGNALBOX_DATA=/d")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"# --addr", "# SIGNALBOX_DATA", "signalbox.toml:1", "signalbox.toml:3", "# default"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%s lacks %q", out.String(), part)
		}
	}
	text := out.String()
	back, err := load(t, text, nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if strings.Contains(text, "tell-nobody") {
		t.Errorf("a secret is printed: %s", text)
	}
	plain := cmp.Transformer("plain", func(s config.MCPServer) []any {
		url, _, _ := strings.Cut(s.URL, "?")
		return []any{s.Command, s.Args, s.Skill, url, len(s.Env), len(s.Headers)}
	})
	if diff := cmp.Diff(c.MCP, back.MCP, plain, cmpopts.EquateEmpty()); diff != "" || len(c.MCP) != 3 {
		t.Errorf("MCP servers read back (-want +got):\n%s", diff)
	}
	if back.Addr != c.Addr || back.Data != c.Data || back.LogLevel != c.LogLevel {
		t.Errorf("read back %+v, want %+v", back, c)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("addr = '127.0.0.1:1'")
	f.Add("[providers.claude.env]\n'a,b' = 1\n\"\\u0000\" = 2")
	f.Add("roots = [[1]]\nproviders = 3")
	f.Add("[[providers]]\n[providers.claude]")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(dir, "signalbox.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.Input{File: file, Environ: []string{"HOME=/h"}, Agents: agents})
		if (c == nil) == (err == nil) {
			t.Errorf("config %v and error %v", c, err)
		}
	})
}
