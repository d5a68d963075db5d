package httpd

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// webUI serves the built web UI. Each file is read and packed when first asked
// for and then kept: they are few and never change while the daemon runs.
type webUI struct {
	files fs.FS

	mu    sync.Mutex
	cache map[string]*asset
}

// framePage is the page in which drawings of agents are made, at /frame.
const framePage = "frame.html"

// asset is a file of the UI.
type asset struct {
	body   []byte
	packed []byte // with gzip; nil where that does not pay
	kind   string
	etag   string
}

func newWebUI(files fs.FS) *webUI {
	return &webUI{files: files, cache: map[string]*asset{}}
}

// serve answers with a file, or with the page itself for a path that the page's
// own router knows.
func (u *webUI) serve(c echo.Context) error {
	name := strings.TrimPrefix(path.Clean("/"+c.Request().URL.Path), "/")
	if name == "frame" {
		name = framePage
	}
	if a, ok := u.load(name); ok && name != "index.html" {
		if name == framePage {
			c.Response().Header().Set("Content-Security-Policy", framePolicy)
		}
		// Names under assets carry a hash of what is in them.
		if strings.HasPrefix(name, "assets/") {
			c.Response().Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			// The frame has no origin, and asks for its scripts as a stranger. They are no secret.
			c.Response().Header().Set("Access-Control-Allow-Origin", "*")
		} else {
			c.Response().Header().Set("Cache-Control", "no-cache")
		}
		a.write(c)
		return nil
	}
	if name != "index.html" && !wantsPage(c.Request(), name) {
		return echo.ErrNotFound
	}
	index, ok := u.load("index.html")
	if !ok {
		index = newAsset("index.html", []byte(notBuilt))
	}
	c.Response().Header().Set("Cache-Control", "no-cache")
	index.write(c)
	return nil
}

// wantsPage tells a page from a file that is missing: an old page asks for
// assets of its own build, and must not take a page for a script.
func wantsPage(r *http.Request, name string) bool {
	accept := r.Header.Get("Accept")
	html := accept == "" || strings.Contains(accept, "text/html") || strings.Contains(accept, "*/*")
	return html && !strings.HasPrefix(name, "assets/") && path.Ext(name) == ""
}

func (u *webUI) load(name string) (*asset, bool) {
	if u.files == nil || name == "" || strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
		return nil, false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if a, ok := u.cache[name]; ok {
		return a, true
	}
	// A folder, or a name that is none, cannot be read.
	body, err := fs.ReadFile(u.files, name)
	if err != nil {
		return nil, false
	}
	a := newAsset(name, body)
	u.cache[name] = a
	return a, true
}

func newAsset(name string, body []byte) *asset {
	sum := sha256.Sum256(body)
	a := &asset{body: body, kind: mime.TypeByExtension(path.Ext(name)), etag: hex.EncodeToString(sum[:16])}
	if a.kind == "" {
		a.kind = "application/octet-stream"
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(body)
	if err == nil && w.Close() == nil && packed.Len() < len(body)*9/10 {
		a.packed = packed.Bytes()
	}
	return a
}

func (a *asset) write(c echo.Context) {
	h := c.Response().Header()
	h.Set("Content-Type", a.kind)
	h.Set("Vary", "Accept-Encoding")
	body, etag := a.body, a.etag
	if a.packed != nil && acceptsGzip(c.Request()) {
		h.Set("Content-Encoding", "gzip")
		body, etag = a.packed, a.etag+"-gzip"
	}
	h.Set("ETag", `"`+etag+`"`)
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, bytes.NewReader(body))
}

func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name == "gzip" {
			return strings.TrimSpace(params) != "q=0"
		}
	}
	return false
}

// notBuilt is the page of a daemon that was built without its web UI.
const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Signalbox</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 36em; margin: 4em auto; padding: 0 1em }</style>
<h1>The web UI is not built</h1>
<p>This daemon runs, but it was built without its pages. Build and start both with</p>
<pre>./scripts/run</pre>
<p>in the folder of the source. The API at <code>/api</code> works as it is.</p>
</html>
`
