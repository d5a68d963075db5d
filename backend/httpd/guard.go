package httpd

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"signalbox/backend/fault"
)

// guard keeps other people's web pages away from the daemon: a page whose name
// was pointed at our address is told by its Host, a page elsewhere that uses the
// person's cookie by its Origin. It is pure.
type guard struct {
	url origin // how browsers reach the daemon from elsewhere; zero if unset
}

// origin is a scheme and a host with its port, both in lower case.
type origin struct{ scheme, host string }

func newGuard(rawURL string) (guard, error) {
	u, err := parseURL(rawURL)
	return guard{url: u}, err
}

// allowed lists the origins of our own pages: the configured one and, from the
// address on which the connection arrived, the address itself and the names of
// loopback.
func (g guard) allowed(r *http.Request) []origin {
	var list []origin
	if g.url != (origin{}) {
		list = append(list, g.url)
	}
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return list
	}
	local, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return list // not TCP: no browser is there
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	ip, port := local.Addr().Unmap().WithZone(""), strconv.Itoa(int(local.Port()))
	names := []string{ip.String()}
	if ip.IsLoopback() {
		names = append(names, "localhost", "127.0.0.1", "::1")
	}
	for _, n := range names {
		list = append(list, origin{scheme, net.JoinHostPort(n, port)})
	}
	return list
}

// checkHost refuses a request to a name that is not ours.
func (g guard) checkHost(r *http.Request) error {
	if slices.ContainsFunc(g.allowed(r), func(o origin) bool {
		return canonicalHost(o.scheme, r.Host) == o.host
	}) {
		return nil
	}
	return fault.New(fault.Forbidden, "Signalbox is not known by the name %.100q.", r.Host).
		WithHint("Open it by the address that it printed, or set SIGNALBOX_URL to this one.")
}

// checkOrigin refuses an unsafe request or an upgrade that does not come from a
// page of ours. One without an Origin comes from no page that we know.
func (g guard) checkOrigin(r *http.Request) error {
	origins := r.Header.Values("Origin")
	if len(origins) == 1 {
		if o, ok := parseOrigin(origins[0]); ok && slices.Contains(g.allowed(r), o) {
			return nil
		}
	}
	if len(origins) == 0 {
		return fault.New(fault.Forbidden, "The request does not say which page it comes from.").
			WithHint("Programs send a bearer token, or the daemon's own address as Origin.")
	}
	return fault.New(fault.Forbidden, "The page at %.100q may not use this daemon.", origins[0]).
		WithHint("Open Signalbox by the address that it printed, or set SIGNALBOX_URL to this one.")
}

// parseOrigin reads an Origin header. "null" and anything that is more than a
// scheme, a host and a port is none.
func parseOrigin(s string) (origin, bool) {
	scheme, host, ok := strings.Cut(strings.ToLower(s), "://")
	if !ok || host == "" || strings.ContainsAny(host, "/?#@ ,") {
		return origin{}, false
	}
	return origin{scheme, canonicalHost(scheme, host)}, true
}

// canonicalHost returns a host in lower case with its port, the scheme's own if
// it names none.
func canonicalHost(scheme, host string) string {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), ""
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return net.JoinHostPort(strings.ToLower(name), port)
}
