package httpd

import (
	"context"
	"net/http"

	"signalbox/backend/auth"
	"signalbox/backend/fault"
	"signalbox/backend/httpd/contract"
)

type none struct{}

// answer is an answer with a body and nothing else.
type answer[T any] struct{ Body T }

func reply[T any](v T) *answer[T] { return &answer[T]{Body: v} }

// signedIn is the answer that begins a browser's session.
type signedIn struct {
	SetCookie string `header:"Set-Cookie"`
	Body      contract.Me
}

// signedOut is the answer that ends it.
type signedOut struct {
	SetCookie string `header:"Set-Cookie"`
}

func (s *Server) health(context.Context, *none) (*answer[contract.Health], error) {
	disk := contract.DiskOf(s.deps.Logs.DiskSpace())
	return reply(contract.Health{Status: "ok", Version: s.opts.Version, Disk: disk}), nil
}

func (s *Server) setupState(context.Context, *none) (*answer[contract.SetupState], error) {
	return reply(contract.SetupState{Open: s.deps.Auth.NeedsSetup()}), nil
}

func (s *Server) setUp(ctx context.Context, in *struct{ Body contract.Setup }) (*signedIn, error) {
	if !s.setups.Allow() {
		return nil, fault.New(fault.RateLimited, "Too many tries to set Signalbox up.").WithHint("Try again in a few seconds.")
	}
	id, secret, err := s.deps.Auth.SetUp(ctx, in.Body.Token, in.Body.Name, in.Body.Password, browserFrom(ctx))
	if err != nil {
		return nil, err
	}
	return s.begin(ctx, id, secret), nil
}

// browserFrom tells where somebody signs in.
func browserFrom(ctx context.Context) auth.Browser {
	c := callerFrom(ctx)
	return auth.Browser{Addr: c.addr, Device: c.device}
}

func (s *Server) signIn(ctx context.Context, in *struct{ Body contract.Login }) (*signedIn, error) {
	id, secret, err := s.deps.Auth.SignIn(ctx, in.Body.Name, in.Body.Password, browserFrom(ctx))
	if err != nil {
		return nil, err
	}
	return s.begin(ctx, id, secret), nil
}

func (s *Server) begin(ctx context.Context, id auth.Identity, secret string) *signedIn {
	return &signedIn{SetCookie: sessionCookie(ctx, secret).String(), Body: s.meOf(id)}
}

func (s *Server) signOut(ctx context.Context, _ *none) (*signedOut, error) {
	if err := s.deps.Auth.SignOut(callerFrom(ctx).secret); err != nil {
		return nil, err
	}
	gone := sessionCookie(ctx, "")
	gone.MaxAge = -1
	return &signedOut{SetCookie: gone.String()}, nil
}

func (s *Server) me(ctx context.Context, _ *none) (*answer[contract.Me], error) {
	return reply(s.meOf(callerFrom(ctx).Identity)), nil
}

func (s *Server) meOf(id auth.Identity) contract.Me {
	return contract.Me{Person: id.Person, Role: id.Role, Version: s.opts.Version}
}

// sessionCookie carries a secret. How long the session lives is the session's
// own affair: the cookie stays as long as browsers keep one.
func sessionCookie(ctx context.Context, secret string) *http.Cookie {
	const days400 = 400 * 24 * 60 * 60
	return &http.Cookie{
		Name: cookieName, Value: secret, Path: "/", MaxAge: days400,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: callerFrom(ctx).secure,
	}
}
