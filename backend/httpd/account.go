package httpd

import (
	"context"
	"net/http"
	"slices"

	"signalbox/backend/access"
	"signalbox/backend/auth"
	"signalbox/backend/httpd/contract"
)

// accountRoutes registers what people do about how they sign in. No token may:
// one that leaked could make others, or lock its person out.
func (s *Server) accountRoutes() {
	own := may(access.Read, access.Workspace)
	own.self = true
	handle(s, own, op("list-browser-sessions", http.MethodGet, "/api/me/sessions", "Where the person is signed in"), s.browserSessions)
	handle(s, own, op("revoke-session", http.MethodDelete, "/api/me/sessions/{session}", "Sign one browser out"), s.revokeSession)
	handle(s, own, op("revoke-other-sessions", http.MethodDelete, "/api/me/sessions", "Sign all other browsers out"), s.revokeOthers)
	handle(s, own, op("list-tokens", http.MethodGet, "/api/me/tokens", "The person's tokens for programs"), s.listTokens)
	handle(s, own, op("make-token", http.MethodPost, "/api/me/tokens", "Make a token; its secret is shown only now"), s.makeToken)
	handle(s, own, op("revoke-token", http.MethodDelete, "/api/me/tokens/{token}", "Revoke a token"), s.revokeToken)
	handle(s, own, op("change-password", http.MethodPost, "/api/me/password", "Change the password, and end all other sessions and tokens"), s.changePassword)
}

func (s *Server) browserSessions(ctx context.Context, _ *none) (*answer[contract.BrowserSessionList], error) {
	c := callerFrom(ctx)
	res := contract.BrowserSessionList{Sessions: []contract.BrowserSession{}}
	for _, one := range slices.Backward(s.deps.Auth.Sessions(c.Person.ID)) {
		res.Sessions = append(res.Sessions, contract.BrowserSession{
			ID: one.ID, Created: one.Created, LastSeen: one.LastSeen, From: one.From, Device: one.Device, Current: one.ID == c.Session,
		})
	}
	return reply(res), nil
}

func (s *Server) revokeSession(ctx context.Context, in *struct {
	Session string `path:"session"`
},
) (*none, error) {
	return nil, s.deps.Auth.Revoke(callerFrom(ctx).Person.ID, in.Session)
}

func (s *Server) revokeOthers(ctx context.Context, _ *none) (*none, error) {
	c := callerFrom(ctx)
	return nil, s.deps.Auth.RevokeOthers(c.Person.ID, c.Session)
}

func (s *Server) listTokens(ctx context.Context, _ *none) (*answer[contract.TokenList], error) {
	res := contract.TokenList{Tokens: []contract.Token{}}
	for _, t := range s.deps.Auth.Tokens(callerFrom(ctx).Person.ID) {
		res.Tokens = append(res.Tokens, tokenOf(t))
	}
	return reply(res), nil
}

func (s *Server) makeToken(ctx context.Context, in *struct{ Body contract.NewToken }) (*answer[contract.MadeToken], error) {
	t, secret, err := s.deps.Auth.MakeToken(callerFrom(ctx).Identity, in.Body.Name, in.Body.Scope, in.Body.Days)
	if err != nil {
		return nil, err
	}
	return reply(contract.MadeToken{Token: tokenOf(t), Secret: secret}), nil
}

func (s *Server) revokeToken(ctx context.Context, in *struct {
	Token string `path:"token"`
},
) (*none, error) {
	return nil, s.deps.Auth.RevokeToken(callerFrom(ctx).Person.ID, in.Token)
}

func (s *Server) changePassword(ctx context.Context, in *struct{ Body contract.PasswordChange }) (*none, error) {
	return nil, s.deps.Auth.ChangePassword(ctx, callerFrom(ctx).Identity, in.Body.Current, in.Body.Next)
}

func tokenOf(t auth.Token) contract.Token {
	return contract.Token{ID: t.ID, Name: t.Name, Scope: t.Scope, Created: t.Created, LastSeen: t.LastSeen, Expires: t.Expires}
}
