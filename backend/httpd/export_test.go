package httpd

import "strings"

// Route is a route and the rule that guards it.
type Route struct {
	Method, Path string
	Open, Socket bool
}

// Routes lists every route that has a rule.
func (s *Server) Routes() []Route {
	var list []Route
	for key, r := range s.rules {
		method, path, _ := strings.Cut(key, " ")
		list = append(list, Route{Method: method, Path: path, Open: r.open, Socket: r.socket})
	}
	return list
}

// Registered lists what the router knows, by method and path.
func (s *Server) Registered() []string {
	var list []string
	for _, r := range s.echo.Routes() {
		list = append(list, routeKey(r.Method, r.Path))
	}
	return list
}

// Connections returns how many sockets and streams are open.
func (s *Server) Connections() int { return s.conns.count() }
