package httpd

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// T11, N-guard: a Host or an Origin that is not ours is refused.
func TestGuard(t *testing.T) {
	t.Parallel()
	const own = "127.0.0.1:7333"
	tests := []struct {
		name       string
		url, local string
		tls        bool
		host       string
		origins    []string
		hostOK     bool
		originOK   bool
	}{
		{name: "own address", host: own, origins: []string{"http://" + own}, hostOK: true, originOK: true},
		{name: "localhost", host: "localhost:7333", origins: []string{"http://localhost:7333"}, hostOK: true, originOK: true},
		{name: "localhost in capitals", host: "LocalHost:7333", origins: []string{"HTTP://LOCALHOST:7333"}, hostOK: true, originOK: true},
		{name: "one name for another", host: own, origins: []string{"http://localhost:7333"}, hostOK: true, originOK: true},
		{name: "IPv6 loopback by name", host: "[::1]:7333", origins: []string{"http://[::1]:7333"}, hostOK: true, originOK: true},
		{name: "attacker's name that points at loopback", host: "evil.example:7333", origins: []string{"http://evil.example:7333"}},
		{name: "own name with a tail", host: "localhost:7333.evil.example", origins: []string{"http://localhost:7333.evil.example"}},
		{name: "own name as a user", host: "localhost:7333@evil.example", origins: []string{"http://localhost:7333@evil.example"}},
		{name: "name with a dot", host: "localhost.:7333"},
		{name: "no port", host: "localhost", origins: []string{"http://localhost"}},
		{name: "another port", host: "localhost:3000", origins: []string{"http://localhost:3000"}},
		{name: "another port as origin", host: own, origins: []string{"http://localhost:3000"}, hostOK: true},
		{name: "another scheme", host: own, origins: []string{"https://" + own}, hostOK: true},
		{name: "null", host: own, origins: []string{"null"}, hostOK: true},
		{name: "none", host: own, hostOK: true},
		{name: "empty", host: own, origins: []string{""}, hostOK: true},
		{name: "two", host: own, origins: []string{"http://" + own, "http://evil.example"}, hostOK: true},
		{name: "two in one", host: own, origins: []string{"http://" + own + " http://evil.example"}, hostOK: true},
		{name: "with a path", host: own, origins: []string{"http://" + own + "/"}, hostOK: true},
		{name: "extension", host: own, origins: []string{"chrome-extension://abc"}, hostOK: true},
		{name: "file", host: own, origins: []string{"file://"}, hostOK: true},
		{name: "empty host", host: ""},
		{
			name: "configured name", url: "https://box.example", host: "box.example",
			origins: []string{"https://box.example"}, hostOK: true, originOK: true,
		},
		{
			name: "configured name with its port", url: "https://box.example", host: "box.example:443",
			origins: []string{"https://box.example:443"}, hostOK: true, originOK: true,
		},
		{name: "configured name, other scheme", url: "https://box.example", host: "box.example", origins: []string{"http://box.example"}, hostOK: true},
		{name: "subdomain of the configured name", url: "https://box.example", host: "a.box.example", origins: []string{"https://a.box.example"}},
		{
			name: "address on the network", local: "192.168.1.5:7333", host: "192.168.1.5:7333",
			origins: []string{"http://192.168.1.5:7333"}, hostOK: true, originOK: true,
		},
		{name: "loopback's name on the network", local: "192.168.1.5:7333", host: "localhost:7333", origins: []string{"http://localhost:7333"}},
		{name: "other address on the network", local: "192.168.1.5:7333", host: "192.168.1.6:7333", origins: []string{"http://192.168.1.6:7333"}},
		{name: "own TLS", tls: true, host: own, origins: []string{"https://" + own}, hostOK: true, originOK: true},
		{name: "own TLS, plain page", tls: true, host: own, origins: []string{"http://" + own}, hostOK: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, err := newGuard(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			if tt.local == "" {
				tt.local = own
			}
			addr, err := net.ResolveTCPAddr("tcp", tt.local)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			r = r.WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(addr)))
			r.Host = tt.host
			if tt.tls {
				r.TLS = &tls.ConnectionState{}
			}
			for _, o := range tt.origins {
				r.Header.Add("Origin", o)
			}
			if err := g.checkHost(r); (err == nil) != tt.hostOK {
				t.Errorf("Host %q: %v", tt.host, err)
			}
			if err := g.checkOrigin(r); (err == nil) != tt.originOK {
				t.Errorf("Origin %q: %v", tt.origins, err)
			}
		})
	}
}

func TestNewGuard_refusesWhatIsNoAddress(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"box.example", "ftp://box.example", "https://", "https://u@box.example", "https://box.example/path", "https://box.example?q", "://"} {
		if _, err := newGuard(u); err == nil {
			t.Errorf("%q was taken", u)
		}
	}
}
