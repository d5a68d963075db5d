package contract_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"signalbox/backend/httpd/contract"
	"signalbox/backend/wire"
)

// names are those of types whose schema is called something else.
var names = map[string]string{"agent.State": "AgentState", "agent.SignIn": "AgentSignIn", "agent.Sandbox": "AgentSandbox", "fault.Code": "FaultCode"}

// constants returns the string constants of each named type in a package's
// source, by "package.Type".
func constants(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source in %s: %v", dir, err)
	}
	found := map[string][]string{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			typ, ok := spec.Type.(*ast.Ident)
			lit, isLit := spec.Values[0].(*ast.BasicLit)
			if !ok || !isLit || lit.Kind != token.STRING || !ast.IsExported(typ.Name) {
				return true
			}
			s, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			key := file.Name.Name + "." + typ.Name
			found[key] = append(found[key], s)
			return true
		})
	}
	return found
}

func TestSchema_namesEveryValueOfEveryEnum(t *testing.T) {
	r := contract.NewRegistry()
	// Those of bodies come with the routes.
	for _, v := range []any{contract.AgentList{}, contract.Me{}, contract.Problem{}, contract.Continue{}} {
		r.Schema(reflect.TypeOf(v), true, "")
	}
	for _, dir := range []string{"../../wire", "../../agent", "../../fault", "../../access", "."} {
		for key, want := range constants(t, dir) {
			_, name, _ := strings.Cut(key, ".")
			if n, ok := names[key]; ok {
				name = n
			}
			switch key {
			case "wire.Type", "access.Action", "access.Place":
				continue // not sent as such
			}
			schema, ok := r.Map()[name]
			if !ok {
				t.Errorf("%s has no schema", key)
				continue
			}
			var got []string
			for _, v := range schema.Enum {
				got = append(got, v.(string))
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-source +schema):\n%s", key, diff)
			}
		}
	}
}

// What the daemon sends is what the schema says: each event and frame, in full,
// holds against it and decodes without a field left over.
func TestSchema_holdsForWhatIsSent(t *testing.T) {
	r := contract.NewRegistry()
	check := func(name string, line []byte) {
		t.Helper()
		var v any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		var res huma.ValidateResult
		huma.Validate(r, r.Map()[name], huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, v, &res)
		for _, err := range res.Errors {
			t.Errorf("%s does not hold for %s: %v", name, line, err)
		}
	}
	for _, ev := range wire.Events() {
		full := filled(reflect.TypeOf(ev)).Interface().(wire.Event)
		d, err := wire.NewDraft("r_x", full)
		if err != nil {
			t.Fatal(err)
		}
		check(reflect.TypeOf(ev).Name()+"Event", d.AppendLine(nil, 7, wire.Time{}))
	}
	for _, f := range wire.Frames() {
		full := filled(reflect.TypeOf(f)).Interface().(wire.Frame)
		if a, ok := full.(wire.Ack); ok {
			a.Result = wire.PromptResult{ClientID: "m", Run: "r", Seq: 1}
			full = a
		}
		if _, ok := full.(wire.Open); ok {
			full = wire.Open{Events: []json.RawMessage{[]byte(`{"seq":1,"t":"2026-01-02T15:04:05.000Z","type":"todo","items":[]}`)}}
		}
		line, err := wire.EncodeFrame(full)
		if err != nil {
			t.Fatal(err)
		}
		check(reflect.TypeOf(f).Name()+"Frame", line)
	}
}

// filled returns a value of t whose every field is set.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"a":1}`))
	case t == reflect.TypeFor[wire.Time]():
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(filled(t.Field(i).Type))
		}
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(filled(t.Elem()))
	case t.Kind() == reflect.Slice:
		v.Set(reflect.Append(v, filled(t.Elem())))
	case t.Kind() == reflect.String:
		v.SetString(firstValue(t))
	case t.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(3)
	case v.CanUint():
		v.SetUint(3)
	case v.CanFloat():
		v.SetFloat(0.5)
	}
	return v
}

// firstValue returns a value of an enum, or any text of another string.
func firstValue(t reflect.Type) string {
	if s, ok := contract.NewRegistry().Map()[t.Name()]; ok && len(s.Enum) > 0 {
		return s.Enum[0].(string)
	}
	return "text"
}

func TestSchema_unionsNameEveryMember(t *testing.T) {
	r := contract.NewRegistry()
	want := map[string]int{
		"LoggedEvent": len(wire.Events()), "Frame": len(wire.Frames()), "ServerMessage": 2, "Command": 10,
	}
	got := map[string]int{}
	for name, s := range r.Map() {
		if len(s.OneOf) > 0 {
			got[name] = len(s.OneOf)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unions (-want +got):\n%s", diff)
	}
}
