package httpd

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"signalbox/backend/access"
	"signalbox/backend/auth"
	"signalbox/backend/fault"
)

// cookieName is the cookie that carries a browser's session.
const cookieName = "signalbox_session"

// rule says who may use a route.
type rule struct {
	open   bool // also to people who are not signed in
	socket bool // an upgrade: judged by its Origin although it is a GET
	self   bool // only for who signed in themselves, never by a token
	action access.Action
	place  access.Place
}

// rules holds the rule of each route, by method and Echo's path.
type rules map[string]rule

func routeKey(method, path string) string { return method + " " + path }

// open is the rule of a route for everybody.
var open = rule{open: true}

// may is the rule of a route for those who may do action at place.
func may(action access.Action, place access.Place) rule {
	return rule{action: action, place: place}
}

// caller is who makes a request.
type caller struct {
	auth.Identity

	secret string // of the session
	addr   string // the address that asks
	device string // what the browser calls itself
	secure bool   // over https
}

type callerKey struct{}

func callerFrom(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// judge lets a request pass if its Host and Origin are ours and the rule of its
// route allows it to who asks. A route without a rule is not found.
func (s *Server) judge(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if err := s.guard.checkHost(r); err != nil {
			return err
		}
		rule, ok := s.rules[routeKey(r.Method, c.Path())]
		if !ok || (c.Path() == "/*" && ofAPI(r.URL.Path)) {
			return s.noRoute(c)
		}
		who := caller{addr: s.addrOf(r), device: r.UserAgent(), secure: s.secure(r)}
		identified, err := s.identify(r, rule, &who)
		if err != nil {
			return err
		}
		if !rule.open {
			if identified != nil {
				return identified
			}
			if err := withinScope(who.Scope, rule, r.Method); err != nil {
				return err
			}
			if err := access.Check(who.Role, rule.action, rule.place); err != nil {
				return err
			}
		}
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
		return next(c)
	}
}

// judgeAgain refuses a request whose session has ended, or whose person's role has
// changed, since it was judged.
func (s *Server) judgeAgain(ctx context.Context, rule rule) error {
	now, err := s.deps.Auth.Identify(callerFrom(ctx).secret)
	if err != nil {
		return err
	}
	return access.Check(now.Role, rule.action, rule.place)
}

// judgedBody ends only where again, then called, allows it.
type judgedBody struct {
	io.ReadCloser

	again   func() error
	refused error // what again said
}

func (b *judgedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		if b.refused = b.again(); b.refused != nil {
			return n, b.refused
		}
	}
	return n, err
}

// identify fills in who asks. The first result says why nobody is known, the
// second refuses the request. A bearer token that holds stands for the Origin: a
// page elsewhere cannot send one. It is never mixed with a cookie.
func (s *Server) identify(r *http.Request, rule rule, who *caller) (unknown, refused error) {
	secret, bearer := bearerToken(r)
	if !bearer {
		if rule.socket || !safe(r.Method) {
			if err := s.guard.checkOrigin(r); err != nil {
				return nil, err
			}
		}
		if cookie, err := r.Cookie(cookieName); err == nil {
			secret = cookie.Value
		}
	}
	if secret == "" {
		return fault.New(fault.Unauthorized, "You are not signed in.").WithHint("Sign in."), nil
	}
	id, err := s.deps.Auth.Identify(secret)
	switch {
	case err != nil && bearer:
		return nil, err
	case err != nil:
		return err, nil
	}
	who.Identity, who.secret = id, secret
	return nil, nil
}

func bearerToken(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}

// withinScope refuses what a token may not do, whoever made it.
func withinScope(scope auth.Scope, rule rule, method string) error {
	switch {
	case scope != "" && rule.self:
		return fault.New(fault.Forbidden, "A token may not see or change how its person signs in.").
			WithHint("Do this in the browser, under Settings.")
	case scope == auth.ScopeRead && !safe(method):
		return fault.New(fault.Forbidden, "This token may only read.").WithHint("Make one with the scope full.")
	}
	return nil
}

func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead
}

// clientAddr returns how to tell the address for which a request is made: that
// of the connection, or what proxies say, as far back as they are trusted.
func clientAddr(trusted []netip.Prefix) echo.IPExtractor {
	if len(trusted) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range trusted {
		options = append(options, echo.TrustIPRange(&net.IPNet{
			IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen()),
		}))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

// ofAPI reports whether a path is the API's, where what is no route is no page
// either.
func ofAPI(path string) bool {
	for _, prefix := range []string{"/api", "/ws"} {
		if rest, ok := strings.CutPrefix(path, prefix); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// noRoute says whether it is the path or the method that does not exist.
func (s *Server) noRoute(c echo.Context) error {
	r := c.Request()
	for key := range s.rules {
		method, route, _ := strings.Cut(key, " ")
		if route != "/*" && method != r.Method && leads(route, r.URL.Path) {
			return echo.ErrMethodNotAllowed
		}
	}
	return echo.ErrNotFound
}

// leads reports whether a path is one of a route's, of which any part may be a
// parameter.
func leads(route, path string) bool {
	want, got := strings.Split(route, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return w == g || strings.HasPrefix(w, ":") && g != "" })
}
