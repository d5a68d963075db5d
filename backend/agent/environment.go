package agent

import (
	"maps"
	"slices"
	"strings"
)

// inherited are the variables of the daemon that a child gets. All else of the
// daemon's own environment, its secrets too, stays with the daemon.
var inherited = map[string]bool{
	"HOME": true, "PATH": true, "LANG": true, "TMPDIR": true, "TERM": true,
	"SSH_AUTH_SOCK": true,
	// Proxies, which programs read in either case.
	"HTTP_PROXY": true, "HTTPS_PROXY": true, "ALL_PROXY": true, "NO_PROXY": true,
	"http_proxy": true, "https_proxy": true, "all_proxy": true, "no_proxy": true,
	// Files of certificates.
	"SSL_CERT_FILE": true, "SSL_CERT_DIR": true, "NODE_EXTRA_CA_CERTS": true,
	"CURL_CA_BUNDLE": true, "REQUESTS_CA_BUNDLE": true, "GIT_SSL_CAINFO": true,
}

// Environment returns the complete environment of a child: what may be
// inherited from parent, then extra, which wins. The order is by name, so that
// equal arguments give equal results.
//
// An extra whose name is empty or holds "=" or NUL, or whose value holds NUL, can
// be in no environment and is left out. What keeps git and ssh from asking at a
// terminal that nobody sees is added where the child is started.
func Environment(parent []string, extra map[string]string) []string {
	env := map[string]string{}
	for _, kv := range parent {
		name, value, ok := strings.Cut(kv, "=")
		if ok && (inherited[name] || strings.HasPrefix(name, "LC_")) {
			env[name] = value
		}
	}
	for name, value := range extra {
		if name != "" && !strings.ContainsAny(name, "=\x00") && !strings.Contains(value, "\x00") {
			env[name] = value
		}
	}
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// Lookup returns the value of name in env, and whether it is there. The last
// one wins, as it does for a child.
func Lookup(env []string, name string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if n, value, ok := strings.Cut(kv, "="); ok && n == name {
			return value, true
		}
	}
	return "", false
}
