package httpd

import (
	"context"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"signalbox/backend/access"
	"signalbox/backend/fault"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/search"
	"signalbox/backend/store"
	"signalbox/backend/wire"
)

// indexRoutes registers what is answered from the index.
func (s *Server) indexRoutes() {
	home, read := may(access.Read, access.Workspace), may(access.Read, access.Loose)
	handle(s, home, op("search", http.MethodGet, "/api/search", "Search all chats, the newest hits first"), s.search)
	handle(s, read, op("find", http.MethodGet, "/api/chats/{id}/find", "Find text in one chat, back from its end"), s.find)
	handle(s, home, op("usage", http.MethodGet, "/api/usage", "What runs used"), s.usage)
	s.transferRoutes()
	handle(s, home, op("storage", http.MethodGet, "/api/storage", "What chats take on the disk, and what can be freed"), s.storage)
	rewound := op("drop-rewound", http.MethodDelete, "/api/chats/{id}/rewound", "Delete for good what rewinds took out of a chat")
	handle(s, may(access.Delete, access.Loose), rewound, s.dropRewound)
}

// Span is a span of time as a query says it.
type Span struct {
	From string `query:"from" doc:"From when on: a time (RFC 3339) or a day (2026-11-30)."`
	To   string `query:"to" doc:"Up to when: a time, which is exclusive, or a day, which is inclusive."`
	Zone string `query:"zone" maxLength:"64" doc:"The time zone of days, as in Europe/Berlin; default UTC."`
}

// times returns the span, of which either end may be open, and the zone.
func (p Span) times() (from, to time.Time, zone *time.Location, err error) {
	zone = time.UTC
	if p.Zone != "" && p.Zone != "Local" { // which would be the daemon's
		if zone, err = time.LoadLocation(p.Zone); err != nil {
			return from, to, nil, fault.New(fault.Invalid, "There is no time zone %.64q.", p.Zone).
				WithHint("Name one as the IANA database does, as in Europe/Berlin.").Because(err)
		}
	}
	if from, err = parseTime("from", p.From, zone, 0); err == nil {
		to, err = parseTime("to", p.To, zone, 1)
	}
	return from, to, zone, err
}

// parseTime reads a time, or the beginning of a day that is days later.
func parseTime(name, s string, zone *time.Location, days int) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, zone); err == nil {
		return t.AddDate(0, 0, days), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, fault.New(fault.Invalid, "%s is neither a time nor a day.", name).
			WithHint("Write it as 2026-11-30 or 2026-11-30T17:05:00Z.").Because(err)
	}
	return t, nil
}

func (s *Server) search(ctx context.Context, in *struct {
	Q      string `query:"q" maxLength:"1000" doc:"Words, which all have to occur; \"phrases\" in quotes; -words that must not. The last word may be a beginning."`
	Agent  string `query:"agent" maxLength:"100" doc:"Only what this agent was asked and did."`
	Chat   string `query:"chat" doc:"Only this chat."`
	Dir    string `query:"dir" maxLength:"4096" doc:"Only chats whose working directory is this one, or lies below it."`
	Cursor string `query:"cursor" doc:"From the page before."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30"`
	Span
},
) (*answer[contract.SearchResults], error) {
	q := store.Search{Query: search.Parse(in.Q), Agent: wire.AgentID(in.Agent)}
	var err error
	if q.From, q.To, _, err = in.times(); err != nil {
		return nil, err
	}
	if in.Chat != "" {
		if q.Chat, err = parseChat(in.Chat); err != nil {
			return nil, err
		}
	}
	if in.Cursor != "" {
		if q.Before, err = strconv.ParseInt(in.Cursor, 10, 64); err != nil || q.Before <= 0 {
			return nil, fault.New(fault.Invalid, "The cursor is not one of an earlier page.").Because(err)
		}
	}
	if in.Dir != "" && !filepath.IsAbs(in.Dir) {
		return nil, fault.New(fault.Invalid, "The directory is not an absolute path.")
	}
	seen := s.visible(callerFrom(ctx).Person.ID)
	q.May = func(id wire.ChatID) bool {
		chat := seen(id)
		return chat != nil && worksIn(chat, in.Dir)
	}
	found, next, err := s.deps.Index.Search(ctx, q, in.Limit)
	if err != nil {
		return nil, err
	}
	res := contract.SearchResults{Titles: []contract.TitleHit{}, Hits: []contract.SearchHit{}, Index: s.indexState()}
	if q.Before == 0 {
		res.Titles = s.searchTitles(callerFrom(ctx).Person.ID, q, in.Dir, res.Titles)
	}
	if next > 0 {
		res.Next = strconv.FormatInt(next, 10)
	}
	for _, f := range found {
		chat := seen(f.Chat)
		res.Hits = append(res.Hits, contract.SearchHit{
			Chat: f.Chat, Title: chat.Title, Archived: chat.Archived, Seq: f.Seq, Type: f.Kind, T: f.T, Agent: f.Agent,
			Snippet: search.NewSnippet(f.Text, q.Query.Hits(f.Text)), Copies: f.Copies,
		})
	}
	return reply(res), nil
}

// titleLimit is how many chats are found by their title.
const titleLimit = 20

// searchTitles adds the chats whose title is hit. A search for what happened at a
// time, or in one chat, is not one for titles.
func (s *Server) searchTitles(who wire.UserID, q store.Search, dir string, hits []contract.TitleHit) []contract.TitleHit {
	if q.Chat != "" || !q.From.IsZero() || !q.To.IsZero() {
		return hits
	}
	for _, chat := range s.deps.Chats.List(who) {
		if len(hits) == titleLimit {
			break
		}
		if q.Agent != "" && chat.Selected.Agent != q.Agent || !worksIn(&chat, dir) || !q.Query.Matches(chat.Title) {
			continue
		}
		hits = append(hits, contract.TitleHit{
			Chat: chat.ID, Title: search.NewSnippet(chat.Title, q.Query.Hits(chat.Title)), Archived: chat.Archived, Active: chat.Active,
		})
	}
	return hits
}

// worksIn reports whether a chat works in a directory or below it; an empty one is any.
func worksIn(chat *wire.ChatSummary, dir string) bool {
	if dir == "" {
		return true
	}
	below, err := filepath.Rel(dir, chat.Cwd)
	return err == nil && filepath.IsLocal(below)
}

// visible returns a function that gives the chats that a person may see, as they
// are now; nil for others.
func (s *Server) visible(who wire.UserID) func(wire.ChatID) *wire.ChatSummary {
	known := map[wire.ChatID]*wire.ChatSummary{}
	return func(id wire.ChatID) *wire.ChatSummary {
		sum, ok := known[id]
		if !ok {
			if got, err := s.deps.Chats.Summary(id, who); err == nil && got.Trashed == nil {
				sum = &got
			}
			known[id] = sum
		}
		return sum
	}
}

func (s *Server) find(ctx context.Context, in *struct {
	ChatPath
	Q      string `query:"q" maxLength:"1000" doc:"The text, letter by letter; case and accents do not count."`
	Before uint64 `query:"before" doc:"Only events with a smaller seq."`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
},
) (*answer[contract.FindResults], error) {
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	if s.visible(callerFrom(ctx).Person.ID)(chat) == nil {
		return nil, fault.New(fault.NotFound, "There is no such chat.")
	}
	found, next, err := s.deps.Index.Find(ctx, chat, search.NewNeedle(in.Q), in.Before, in.Limit)
	if err != nil {
		return nil, err
	}
	res := contract.FindResults{Matches: []contract.FindMatch{}, Next: next, Index: s.indexState()}
	for _, m := range found {
		res.Matches = append(res.Matches, contract.FindMatch{
			Seq: m.Seq, Type: m.Kind, T: m.T, Count: m.Count, Snippet: search.NewSnippet(m.Text, m.Hits),
		})
	}
	return reply(res), nil
}

func (s *Server) indexState() contract.IndexState {
	st := s.deps.Index.Status()
	state := contract.IndexState{Behind: st.Behind, Chats: st.Chats}
	if st.Err != nil {
		state.Fault = faultOf(st.Err)
	}
	return state
}
