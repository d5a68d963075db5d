package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// maxFile bounds the settings file and each file that holds a secret.
const maxFile = 1 << 20

// readFile reads the settings file, if there is one.
func (l *loader) readFile() {
	name := l.cfg.File
	if name == "" {
		return
	}
	data, err := readSmall(name)
	if errors.Is(err, fs.ErrNotExist) && l.in.File == "" && l.env["SIGNALBOX_CONFIG"] == "" {
		return
	}
	if err != nil {
		l.failf("Check that the file is there and that you may read it.",
			"The settings file %s cannot be read: %v.", name, reason(err))
		return
	}
	d := document{l: l, name: name, base: filepath.Dir(name), text: string(data)}
	var top map[string]any
	if _, err := toml.Decode(d.text, &top); err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			l.failf("", "%s:%d: %s.", name, pe.Position.Line, strings.TrimSuffix(pe.Message, "."))
		} else {
			l.failf("", "%s: %v.", name, err)
		}
		return
	}
	d.table(top)
	if info, err := os.Stat(name); d.secrets && err == nil && info.Mode().Perm()&0o077 != 0 {
		l.cfg.Warnings = append(l.cfg.Warnings, fmt.Sprintf(
			"%s holds keys and other accounts of this machine can read it; run: chmod 600 %s", name, name))
	}
}

// document is the settings file while it is read.
type document struct {
	l       *loader
	name    string // of the file
	base    string // its folder
	text    string
	secrets bool // it holds the value of a secret itself
}

func (d *document) table(top map[string]any) {
	known := map[string]setting{}
	for _, s := range settings {
		known[s.name] = s
	}
	for _, k := range sorted(top) {
		s, ok := known[k]
		switch {
		case k == "providers":
			d.providers(top[k])
		case k == "mcp":
			d.servers(top[k])
		case !ok:
			d.unknown(append(keys(known), "providers", "mcp"), k)
		default:
			if texts, ok := d.texts(s, top[k]); ok {
				d.l.apply(s, texts, d.at(k), d.base)
			}
		}
	}
}

// texts turns a value of the file into what a variable would hold.
func (d *document) texts(s setting, v any) ([]string, bool) {
	switch v := v.(type) {
	case string:
		if !s.list && !s.flip {
			return []string{v}, true
		}
	case bool:
		if s.flip {
			return []string{strconv.FormatBool(v)}, true
		}
	case []any:
		texts := make([]string, 0, len(v))
		for _, e := range v {
			if t, ok := e.(string); ok {
				texts = append(texts, t)
			}
		}
		if s.list && len(texts) == len(v) {
			return texts, true
		}
	}
	want := "a string in quotes"
	switch {
	case s.list:
		want = "an array of strings"
	case s.flip:
		want = "true or false, without quotes"
	}
	d.l.failf("", "%s: %s must be %s.", d.at(s.name), s.name, want)
	return nil, false
}

func (d *document) providers(v any) {
	all, ok := v.(map[string]any)
	if !ok {
		d.l.failf("", "%s: providers must be a table, as in [providers.claude].", d.at("providers"))
		return
	}
	for _, name := range sorted(all) {
		id := wire.AgentID(name)
		table, ok := all[name].(map[string]any)
		switch {
		case !slices.Contains(d.l.in.Agents, id):
			d.unknown(texts(d.l.in.Agents), "providers", name)
		case !ok:
			d.l.failf("", "%s: providers.%s must be a table.", d.at("providers", name), name)
		default:
			d.provider(id, table)
		}
	}
}

func (d *document) provider(id wire.AgentID, table map[string]any) {
	for _, k := range sorted(table) {
		key := []string{"providers", string(id), k}
		switch k {
		case "path":
			if path, ok := table[k].(string); ok && path != "" {
				d.l.providerPath(id, path, d.at(key...), d.base)
			} else {
				d.l.failf("", "%s: path must be a string in quotes.", d.at(key...))
			}
		case "env":
			env, ok := table[k].(map[string]any)
			if !ok {
				d.l.failf("", "%s: env must be a table, as in [providers.%s.env].", d.at(key...), id)
				continue
			}
			for _, name := range sorted(env) {
				d.variable(id, name, env[name])
			}
		default:
			d.unknown([]string{"path", "env"}, key...)
		}
	}
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variable reads one variable for an agent.
func (d *document) variable(id wire.AgentID, name string, v any) {
	key := []string{"providers", string(id), "env", name}
	value, ok := d.secret(variableName, "a variable", v, key...)
	if !ok {
		return
	}
	p := d.l.cfg.Providers[id]
	if p.Env == nil {
		p.Env = map[string]Secret{}
	}
	p.Env[name] = value
	d.l.cfg.Providers[id] = p
	d.l.cfg.sources[strings.Join(key, ".")] = d.at(key...)
}

// secret reads what may be a secret: its value, or where to find it. The last part
// of the key is the name of what it is of.
func (d *document) secret(valid *regexp.Regexp, what string, v any, key ...string) (Secret, bool) {
	at, name := d.at(key...), key[len(key)-1]
	if !valid.MatchString(name) {
		d.l.failf("", "%s: %q is not the name of %s.", at, name, what)
		return "", false
	}
	value, err := d.value(v)
	if err != nil {
		var f *fault.Error
		if errors.As(err, &f) {
			d.l.failf(f.Hint, "%s: %s", at, f.Message)
		} else {
			d.l.failf("", "%s: %v.", at, err)
		}
		return "", false
	}
	if strings.ContainsRune(value, 0) {
		d.l.failf("", "%s: the value holds a NUL character.", at)
		return "", false
	}
	return Secret(value), true
}

// value reads "text", { file = "path" } or { env = "NAME" }.
func (d *document) value(v any) (string, error) {
	table, ok := v.(map[string]any)
	if text, isText := v.(string); isText {
		d.secrets = true
		return text, nil
	}
	if !ok || len(table) != 1 {
		return "", errors.New(`write "value", { file = "path" } or { env = "NAME" }`)
	}
	if path, ok := table["file"].(string); ok {
		data, err := readSmall(d.l.path(path, d.base))
		if err != nil {
			return "", fmt.Errorf("the file %s cannot be read: %w", path, reason(err))
		}
		return strings.TrimRight(string(data), "\r\n"), nil
	}
	if name, ok := table["env"].(string); ok {
		if text, ok := d.l.env[name]; ok {
			return text, nil
		}
		return "", fault.New(fault.Invalid, "The variable %s is not set where the daemon starts.", name).
			WithHint("Set it there, or take this line out.")
	}
	return "", errors.New(`write "value", { file = "path" } or { env = "NAME" }`)
}

func (d *document) unknown(known []string, key ...string) {
	d.l.failf(DidYouMean(key[len(key)-1], known), "%s: %q is not a setting.", d.at(key...), strings.Join(key, "."))
}

// at returns the file and line of a key.
func (d *document) at(key ...string) string {
	if n := lineOf(d.text, key); n > 0 {
		return fmt.Sprintf("%s:%d", d.name, n)
	}
	return d.name
}

// tripwire is a value whose decoding fails, so that the decoder tells its place.
type tripwire struct{}

func (*tripwire) UnmarshalTOML(any) error { return errors.New("here") }

// lineOf returns the line of a key's value, 0 if it cannot be told. The decoder
// gives positions with errors alone, so it is sent over a tripwire.
func lineOf(text string, key []string) int {
	t := reflect.TypeFor[tripwire]()
	for _, k := range slices.Backward(key) {
		if strings.ContainsAny(k, ",") {
			return 0 // cannot be written in a field's tag
		}
		t = reflect.StructOf([]reflect.StructField{{
			Name: "Field", Type: t, Tag: reflect.StructTag("toml:" + strconv.Quote(k)),
		}})
	}
	_, err := toml.Decode(text, reflect.New(t).Interface())
	var pe toml.ParseError
	if errors.As(err, &pe) {
		return pe.Position.Line
	}
	return 0
}

func readSmall(name string) (_ []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errors.New("it is larger than 1 MiB")
	}
	return data, err
}

// reason drops the path that the message has already.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func keys[V any](m map[string]V) []string { return slices.Collect(maps.Keys(m)) }

func texts[S ~string](in []S) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = string(s)
	}
	return out
}
