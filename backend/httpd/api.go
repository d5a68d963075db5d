package httpd

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"

	"signalbox/backend/fault"
	"signalbox/backend/httpd/contract"
)

func newAPI(e *echo.Echo, version string) huma.API {
	return humaecho.New(e, huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "Signalbox", Version: version},
			Components: &huma.Components{
				Schemas: contract.NewRegistry(),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"cookie": {Type: "apiKey", In: "cookie", Name: cookieName},
					"bearer": {Type: "http", Scheme: "bearer"},
				},
			},
		},
		// The second is for types like application/problem+json.
		Formats:                      map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	})
}

var jsonFormat = huma.Format{
	Marshal:   huma.DefaultJSONFormat.Marshal,
	Unmarshal: unmarshal,
}

// maxBody is the most bytes of a body that holds no prompt.
const maxBody = 64 << 10

// handle registers a route of the REST contract with the rule that guards it. What
// changes anything is judged again once its body is there: that may have been on its
// way for as long as it liked.
func handle[I, O any](s *Server, r rule, op huma.Operation, h func(context.Context, *I) (*O, error)) {
	s.rules[routeKey(op.Method, echoPath(op.Path))] = r
	secured(&op, r)
	if op.MaxBodyBytes == 0 {
		op.MaxBodyBytes = maxBody
	}
	op.BodyReadTimeout = time.Minute
	judged := !r.open && !safe(op.Method)
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
		if judged {
			if err := s.judgeAgain(ctx, r); err != nil {
				return nil, err
			}
		}
		return h(ctx, in)
	})
}

// raw registers a route whose answer is not one JSON document. It is described, and
// judged, like the others.
func (s *Server) raw(rule rule, op huma.Operation, h echo.HandlerFunc) {
	s.rules[routeKey(op.Method, echoPath(op.Path))] = rule
	secured(&op, rule)
	if op.Responses["default"] == nil {
		schema := &huma.Schema{Ref: "#/components/schemas/Problem"}
		op.Responses["default"] = &huma.Response{
			Description: "Error",
			Content:     map[string]*huma.MediaType{"application/problem+json": {Schema: schema}},
		}
	}
	s.api.OpenAPI().AddOperation(&op)
	s.echo.Add(op.Method, echoPath(op.Path), func(c echo.Context) error {
		r := c.Request()
		if safe(r.Method) {
			return h(c)
		}
		body := &judgedBody{ReadCloser: r.Body, again: func() error { return s.judgeAgain(r.Context(), rule) }}
		r.Body = body
		err := h(c)
		if err != nil && body.refused != nil {
			return body.refused
		}
		return err
	})
}

func secured(op *huma.Operation, r rule) {
	if !r.open {
		op.Security = []map[string][]string{{"cookie": {}}, {"bearer": {}}}
	}
}

func echoPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// OpenAPI returns the REST contract as docs/openapi.json holds it.
func OpenAPI() ([]byte, error) {
	s, err := New(Deps{}, Options{Version: "1"})
	if err != nil {
		return nil, err
	}
	return indent(s.api.OpenAPI())
}

// Schema returns the JSON schema of all that goes over the wire: bodies, events,
// frames and commands, each by its name under $defs.
func Schema() ([]byte, error) {
	s, err := New(Deps{}, Options{})
	if err != nil {
		return nil, err
	}
	b, err := indent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$defs":   s.api.OpenAPI().Components.Schemas.Map(),
	})
	return bytes.ReplaceAll(b, []byte("#/components/schemas/"), []byte("#/$defs/")), err
}

func indent(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// unmarshal is json.Unmarshal for what people send: text that no log could give
// back as it came is refused, not mended.
func unmarshal(data []byte, v any) error {
	if err := checkText(data); err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// decode reads raw as a T, as strictly as a body is read.
func decode[T any](api huma.API, name string, raw []byte) (T, error) {
	var parsed any
	var v T
	if err := unmarshal(raw, &parsed); err != nil {
		return v, humaError(http.StatusBadRequest, "not JSON", []error{err})
	}
	schemas := api.OpenAPI().Components.Schemas
	var res huma.ValidateResult
	huma.Validate(schemas, schemas.Map()[name], huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, parsed, &res)
	if len(res.Errors) > 0 {
		return v, humaError(http.StatusBadRequest, "not valid", res.Errors)
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fault.New(fault.Invalid, "The command cannot be read.").Because(err)
	}
	return v, nil
}
