package httpd_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"signalbox/backend/access"
	"signalbox/backend/catalog"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/wire"
)

// A viewer finds what was said in the chats that there are, and not what is in
// the trash.
func TestREST_search(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob := d.signIn("ann", access.Admin), d.signIn("bob", access.Viewer)
	one, two := d.chat(ann), d.chat(ann)
	d.prompt(ann, one, "please fix the parser")
	d.prompt(ann, two, "the parser is fixed, says 日本")
	if err := d.index.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	search := func(query string) contract.SearchResults {
		t.Helper()
		return read[contract.SearchResults](t, bob.call(http.MethodGet, "/api/search?"+query, ""), 200)
	}
	res := search("q=parser&limit=1")
	if len(res.Hits) != 1 || res.Hits[0].Chat != two || res.Hits[0].Seq != 1 || res.Hits[0].Type != wire.TypeUser ||
		!strings.HasPrefix(res.Hits[0].Title, "the parser is fixed") || res.Next == "" || res.Index.Behind != 0 {
		t.Fatalf("the first page is %+v", res)
	}
	if s := res.Hits[0].Snippet; len(s.Marks) != 1 || s.Text[s.Marks[0].Start:s.Marks[0].End] != "parser" {
		t.Errorf("the snippet is %+v", s)
	}
	if res = search("q=parser&limit=1&cursor=" + res.Next); len(res.Hits) != 1 || res.Hits[0].Chat != one || res.Next != "" {
		t.Errorf("the second page is %+v", res)
	}
	if _, err := d.chats.Update(one, func(m *catalog.Meta) error { m.Title, m.Cwd = "An odd Näme", "/srv/shop/api"; return nil }); err != nil {
		t.Fatal(err)
	}
	if res = search("q=odd%20nam"); len(res.Titles) != 1 || res.Titles[0].Chat != one || len(res.Titles[0].Title.Marks) != 2 {
		t.Errorf("by the title: %+v", res.Titles)
	}
	if res = search("q=odd&dir=/srv/shop"); len(res.Titles) != 1 {
		t.Errorf("by the title in a directory: %+v", res.Titles)
	}
	if res = search("q=odd&dir=/srv/other"); len(res.Titles) > 0 {
		t.Errorf("by the title in another directory: %+v", res.Titles)
	}
	if res = search("q=odd&from=2020-01-01"); len(res.Titles) > 0 {
		t.Errorf("by the title at a time: %+v", res.Titles)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	for query, want := range map[string]int{
		"":                                       0,
		"q=":                                     0,
		"q=%22":                                  0,
		"q=" + url.QueryEscape("本"):              1,
		"q=parser&agent=scripted":                2,
		"q=parser&agent=other":                   0,
		"q=parser&chat=" + string(one):           1,
		"q=parser&dir=/srv/shop/api":             1,
		"q=parser&dir=/srv/shop/":                1,
		"q=parser&dir=/srv/shop/a":               0,
		"q=parser&dir=/srv/shop/api/v2":          0,
		"q=parser&dir=/":                         2,
		"q=parser&from=2020-01-01&to=" + today:   2,
		"q=parser&to=2020-01-01&zone=Asia/Tokyo": 0,
		"q=parser&from=" + today + "T00:00:00Z":  2,
	} {
		if res := search(query); len(res.Hits) != want {
			t.Errorf("search %q found %d, want %d", query, len(res.Hits), want)
		}
	}
	for _, query := range []string{"from=soon", "dir=shop", "zone=Mars/Olympus", "chat=../x", "cursor=x", "cursor=-1", "limit=0", "limit=101"} {
		if r := bob.call(http.MethodGet, "/api/search?q=parser&"+query, ""); r.status != 400 && r.status != 404 {
			t.Errorf("search with %s: %d %s", query, r.status, r.body)
		}
	}
	find := "/api/chats/" + string(two) + "/find?q=" + url.QueryEscape("S FIXED")
	if res := read[contract.FindResults](t, bob.call(http.MethodGet, find, ""), 200); len(res.Matches) != 1 || res.Matches[0].Seq != 1 {
		t.Errorf("found %+v", res)
	}

	if err := d.chats.Trash(two, ann.who); err != nil {
		t.Fatal(err)
	}
	if res := search("q=parser"); len(res.Hits) != 1 || res.Hits[0].Chat != one {
		t.Errorf("with a chat in the trash: %+v", res.Hits)
	}
	if r := bob.call(http.MethodGet, find, ""); r.status != 404 {
		t.Errorf("find in the trash: %d %s", r.status, r.body)
	}
}

func TestREST_usage(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := d.chat(ann)
	d.prompt(ann, chat, "hello there")
	if err := d.index.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for by, want := range map[string]string{
		"": time.Now().UTC().Format(time.DateOnly), "chat": string(chat), "agent": "scripted", "person": string(ann.who.ID),
	} {
		path := "/api/usage"
		if by != "" {
			path += "?by=" + by
		}
		u := read[contract.UsageReport](t, ann.call(http.MethodGet, path, ""), 200)
		if len(u.Sums) != 1 || u.Sums[0].Key != want || u.Sums[0].Runs != 1 || u.Total.Unknown != 1 {
			t.Errorf("usage by %q is %+v, want %s", by, u, want)
		}
		if by == "chat" && u.Sums[0].Title != "hello there" {
			t.Errorf("the chat is called %q", u.Sums[0].Title)
		}
	}
	if r := ann.call(http.MethodGet, "/api/usage?by=colour", ""); r.status != 400 {
		t.Errorf("by something else: %d %s", r.status, r.body)
	}
}

// What a chat takes is told to all; what rewinds took out goes for good only by
// its owner or an admin.
func TestREST_storage(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob, eve := d.signIn("ann", access.Member), d.signIn("bob", access.Admin), d.signIn("eve", access.Member)
	chat, trashed := d.chat(ann), d.chat(ann)
	d.prompt(ann, chat, "hello")
	d.prompt(ann, chat, "again")
	log, err := d.logs.Log(chat)
	if err != nil {
		t.Fatal(err)
	}
	storage := func() contract.Storage {
		t.Helper()
		return read[contract.Storage](t, eve.call(http.MethodGet, "/api/storage", ""), 200)
	}
	rewind := func() {
		t.Helper()
		if err := log.Rewind(log.End().Seq-2, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.chats.Trash(trashed, ann.who); err != nil {
		t.Fatal(err)
	}
	before := storage()
	rewind()
	after := storage()
	if len(after.Chats) != 2 || after.Chats[0].Chat != chat || after.Chats[0].Rewound == 0 || !after.Chats[1].Trashed ||
		after.Freeable != before.Freeable+after.Chats[0].Rewound || after.Total == 0 || after.Free == 0 || after.Index == 0 {
		t.Errorf("after a rewind: %+v", after)
	}
	path := "/api/chats/" + string(chat) + "/rewound"
	if r := eve.call(http.MethodDelete, path, ""); r.status != http.StatusForbidden {
		t.Errorf("somebody else's: %d %s", r.status, r.body)
	}
	for _, p := range []person{ann, bob} {
		if r := p.call(http.MethodDelete, path, ""); r.status != http.StatusNoContent {
			t.Errorf("drop: %d %s", r.status, r.body)
		}
	}
	if got := storage(); got.Freeable != before.Freeable {
		t.Errorf("after that: %+v", got)
	}
}

// prompt sends a prompt and waits for the end of its run.
func (d *daemon) prompt(p person, chat wire.ChatID, text string) {
	d.t.Helper()
	r := p.request(http.MethodPost, "/api/chats/"+string(chat)+"/messages", fmt.Sprintf(`{"text":%q}`, text))
	r.Header.Set("Accept", "text/event-stream")
	if got := d.do(r); got.status != 200 || !strings.Contains(string(got.body), `"complete"`) {
		d.t.Fatalf("prompt: %d %s", got.status, got.body)
	}
}
