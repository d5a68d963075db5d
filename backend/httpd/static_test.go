package httpd

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labstack/echo/v4"
)

func TestWebUI(t *testing.T) {
	t.Parallel()
	script := strings.Repeat("console.log(1);\n", 100)
	ui := newWebUI(fstest.MapFS{
		"index.html":          {Data: []byte("<!doctype html>the page")},
		"favicon.svg":         {Data: []byte("<svg/>")},
		"assets/main-abc.js":  {Data: []byte(script)},
		".vite/manifest.json": {Data: []byte("{}")},
	})
	e := echo.New()
	e.Add(http.MethodGet, "/*", ui.serve)
	tests := []struct {
		path, accept string
		status       int
		kind, cache  string
		body         string
	}{
		{"/", "text/html", 200, "text/html; charset=utf-8", "no-cache", "the page"},
		{"/index.html", "*/*", 200, "text/html; charset=utf-8", "no-cache", "the page"},
		{"/chats/c_1", "text/html,*/*;q=0.8", 200, "text/html; charset=utf-8", "no-cache", "the page"},
		{"/chats/c_1", "application/json", 404, "", "", ""},
		{"/favicon.svg", "*/*", 200, "image/svg+xml", "no-cache", "<svg/>"},
		{"/assets/main-abc.js", "*/*", 200, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", "console.log"},
		{"/assets/main-old.js", "*/*", 404, "", "", ""},
		{"/assets", "text/html", 200, "text/html; charset=utf-8", "no-cache", "the page"},
		{"/missing.png", "*/*", 404, "", "", ""},
		{"/.vite/manifest.json", "*/*", 404, "", "", ""},
		{"/../../etc/passwd", "text/html", 200, "text/html; charset=utf-8", "no-cache", "the page"},
		{"/assets/../.vite/manifest.json", "*/*", 404, "", "", ""},
	}
	for _, tt := range tests {
		r := httptest.NewRequest(http.MethodGet, "http://daemon/", nil)
		r.URL.Path = tt.path
		r.Header.Set("Accept", tt.accept)
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("%s (%s): status %d, want %d", tt.path, tt.accept, w.Code, tt.status)
			continue
		}
		if tt.status != http.StatusOK {
			continue
		}
		if k := w.Header().Get("Content-Type"); k != tt.kind {
			t.Errorf("%s: type %q, want %q", tt.path, k, tt.kind)
		}
		if c := w.Header().Get("Cache-Control"); c != tt.cache {
			t.Errorf("%s: cache %q, want %q", tt.path, c, tt.cache)
		}
		if !strings.Contains(w.Body.String(), tt.body) {
			t.Errorf("%s: body %.40q", tt.path, w.Body)
		}
	}

	// Packed for those who take it, whole for the others.
	r := httptest.NewRequest(http.MethodGet, "/assets/main-abc.js", nil)
	r.Header.Set("Accept-Encoding", "br, gzip")
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	if w.Header().Get("Content-Encoding") != "gzip" || w.Body.Len() > len(script)/2 {
		t.Fatalf("not packed: %v, %d bytes", w.Header(), w.Body.Len())
	}
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(z); err != nil || string(b) != script {
		t.Errorf("unpacked to %d bytes, %v", len(b), err)
	}

	// What the browser has is not sent again.
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	w = httptest.NewRecorder()
	e.ServeHTTP(w, r)
	if w.Code != http.StatusNotModified {
		t.Errorf("status %d for a file that the browser has", w.Code)
	}
}

// The frame that draws what agents describe has a policy of its own, by both of
// its names, and gets its scripts without having an origin.
func TestWebUI_frame_mayOnlyDraw(t *testing.T) {
	t.Parallel()
	e := echo.New()
	e.Use(setHeaders)
	e.Add(http.MethodGet, "/*", newWebUI(fstest.MapFS{
		"index.html": {Data: []byte("the page")}, "frame.html": {Data: []byte("the frame")},
		"assets/frame-abc.js": {Data: []byte("draw()")},
	}).serve)
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	for _, path := range []string{"/frame", "/frame.html"} {
		w := get(path)
		if w.Code != http.StatusOK || w.Body.String() != "the frame" {
			t.Fatalf("%s: %d %q", path, w.Code, w.Body)
		}
		policies := w.Header().Values("Content-Security-Policy")
		if len(policies) != 1 {
			t.Fatalf("%s: %d policies", path, len(policies))
		}
		for _, want := range []string{
			"default-src 'none';", "script-src 'self';", "img-src data:;", "frame-ancestors 'self';",
			"base-uri 'none';", "form-action 'none';", "sandbox allow-scripts",
		} {
			if !strings.Contains(policies[0], want) {
				t.Errorf("%s: policy lacks %q: %s", path, want, policies[0])
			}
		}
		if strings.Contains(policies[0], "allow-same-origin") || strings.Contains(policies[0], "connect-src") {
			t.Errorf("%s: %s", path, policies[0])
		}
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s: read by %q", path, got)
		}
	}
	if got := get("/assets/frame-abc.js").Header().Get("Access-Control-Allow-Origin"); got != "*" {
		t.Errorf("a script may be read by %q", got)
	}
	if got := get("/").Header().Get("Content-Security-Policy"); !strings.Contains(got, "frame-src 'self';") {
		t.Errorf("the page may not show the frame: %s", got)
	}
}

func TestWebUI_notBuilt_saysHow(t *testing.T) {
	t.Parallel()
	e := echo.New()
	e.Add(http.MethodGet, "/*", newWebUI(fstest.MapFS{".keep": {}}).serve)
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "./scripts/run") {
		t.Errorf("status %d, body %q", w.Code, w.Body)
	}
}
