package httpd

import (
	"context"
	"io"
	"maps"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"signalbox/backend/access"
	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/history"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/transfer"
	"signalbox/backend/wire"
)

const (
	// exportLimit is how long a piece of an export may take to leave, and
	// importLimit how long a piece of an import may take to come.
	exportLimit = time.Minute
	importLimit = time.Minute
	exportType  = "application/x-ndjson"
)

// transferRoutes registers what takes chats out and in.
func (s *Server) transferRoutes() {
	export := op("export-chat", http.MethodGet, "/api/chats/{id}/export", "A chat as a file")
	export.Parameters = []*huma.Param{
		pathParam("id"), queryParam("format", "md, html, or json, which can be imported."),
		queryParam("zone", "The time zone of what people read, as in Europe/Berlin; default UTC."),
	}
	text := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	export.Responses = map[string]*huma.Response{"200": {
		Description: "The file", Content: map[string]*huma.MediaType{"text/markdown": text, "text/html": text, exportType: text},
	}}
	s.raw(may(access.Read, access.Loose), export, s.exportChat)

	imp := op("import-chat", http.MethodPost, "/api/import", "Make a chat of an export as JSON")
	imp.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{exportType: text}}
	imp.Responses = map[string]*huma.Response{"200": jsonAnswer("The chat", "ChatSummary")}
	s.raw(may(access.Create, access.Workspace), imp, s.importChat)

	sessions := may(access.Sessions, access.Workspace)
	handle(s, sessions, op("list-sessions", http.MethodGet, "/api/sessions", "The sessions that the daemon's user has with agents"), s.listSessions)
	handle(s, sessions, op("import-session", http.MethodPost, "/api/sessions/import", "Make a chat of such a session"), s.importSession)
}

func (s *Server) exportChat(c echo.Context) error {
	chat, err := parseChat(c.Param("id"))
	if err != nil {
		return err
	}
	meta, err := s.deps.Chats.Get(chat)
	if err != nil {
		return err
	}
	log, err := s.deps.Logs.Log(chat)
	if err != nil {
		return err
	}
	_, _, zone, err := Span{Zone: c.QueryParam("zone")}.times()
	if err != nil {
		return err
	}
	about := transfer.About{Title: meta.Title, At: time.Now(), Zone: zone}
	var kind, suffix string
	var write func(io.Writer) error
	switch format := c.QueryParam("format"); format {
	case "md":
		kind, suffix = "text/markdown; charset=utf-8", ".md"
		write = func(w io.Writer) error { return transfer.Markdown(w, about, log) }
	case "html":
		kind, suffix = "text/html; charset=utf-8", ".html"
		write = func(w io.Writer) error { return transfer.HTML(w, about, log) }
	case "json":
		kind, suffix = exportType, ".signalbox.jsonl"
		write = func(w io.Writer) error {
			of := transfer.Chat{Title: meta.Title, Created: meta.Created, Selected: meta.Selected}
			return transfer.JSON(w, s.opts.Version, catalog.Now(), of, log)
		}
	default:
		return fault.New(fault.Invalid, "There is no export as %.40q.", format).WithHint("The formats are md, html and json.")
	}
	h := c.Response().Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fileName(meta.Title) + suffix}))
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Cache-Control", "no-store")
	out := &slowWriter{w: c.Response(), ctl: http.NewResponseController(c.Response())}
	if err := write(out); err != nil {
		if !out.begun {
			return err
		}
		// The answer has begun: only breaking it off says that it is not whole.
		s.log.Warn("export broke off", "chat", chat, "err", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// fileName makes a name of a title that every file system takes.
func fileName(title string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || r == '-' || r == '_' {
			return r
		}
		return ' '
	}, title)
	name = wire.CutText(strings.Join(strings.Fields(name), " "), 80)
	if name == "" {
		return "chat"
	}
	return name
}

// slowWriter gives each piece time, instead of the whole answer.
type slowWriter struct {
	w     io.Writer
	ctl   *http.ResponseController
	begun bool
}

func (s *slowWriter) Write(b []byte) (int, error) {
	if err := s.ctl.SetWriteDeadline(time.Now().Add(exportLimit)); err != nil {
		return 0, err
	}
	s.begun = true
	return s.w.Write(b)
}

func (s *Server) importChat(c echo.Context) error {
	who := callerFrom(c.Request().Context()).Person
	body := &slowReader{r: c.Request().Body, ctl: http.NewResponseController(c.Response())}
	chat, err := transfer.Import(body, who, s.deps.Chats, s.deps.Logs)
	if err != nil {
		// Clients hear the answer only once they have sent what they began to.
		_, _ = io.CopyN(io.Discard, body, transfer.MaxBytes) // what comes counts for nothing
		return err
	}
	s.log.Info("chat imported", "chat", chat, "user", who.ID)
	return s.tellChat(c, chat, who.ID)
}

func (s *Server) tellChat(c echo.Context, chat wire.ChatID, who wire.UserID) error {
	sum, err := s.deps.Chats.Summary(chat, who)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, sum)
}

// slowReader gives each piece time, instead of the whole body.
type slowReader struct {
	r   io.Reader
	ctl *http.ResponseController
}

func (s *slowReader) Read(b []byte) (int, error) {
	if err := s.ctl.SetReadDeadline(time.Now().Add(importLimit)); err != nil {
		return 0, err
	}
	return s.r.Read(b)
}

func (s *Server) listSessions(ctx context.Context, _ *none) (*answer[contract.SessionList], error) {
	list, err := history.List(ctx, s.deps.Homes)
	if err != nil {
		return nil, err
	}
	res := contract.SessionList{Sessions: []contract.OutsideSession{}}
	chats, err := s.deps.Index.Sessions(ctx)
	if err != nil {
		s.log.Warn("sessions of chats are not known", "err", err)
		chats = map[string]wire.ChatID{}
	}
	maps.Copy(chats, s.deps.Chats.Imported()) // also what the index has not read yet
	seen := s.visible(callerFrom(ctx).Person.ID)
	for _, found := range list {
		part := contract.OutsideSession{Session: found}
		if id := chats[found.ID]; id != "" && seen(id) != nil {
			part.Chat = id
		}
		res.Sessions = append(res.Sessions, part)
	}
	return reply(res), nil
}

func (s *Server) importSession(ctx context.Context, in *struct{ Body contract.SessionImport }) (*answer[wire.ChatSummary], error) {
	found, err := history.Find(ctx, s.deps.Homes, in.Body.Agent, in.Body.ID)
	if err != nil {
		return nil, err
	}
	who := callerFrom(ctx).Person
	chat, err := transfer.ImportSession(found, who, s.deps.Chats, s.deps.Logs)
	if err != nil {
		return nil, err
	}
	s.log.Info("session imported", "chat", chat, "user", who.ID, "agent", found.Agent)
	return s.summary(chat, who.ID)
}
