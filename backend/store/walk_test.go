package store_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/search"
	"signalbox/backend/store"
	"signalbox/backend/wire"
)

// In a large index a search ends after a while with what it has: pages that follow
// each other give each hit once, the newest first, wherever a page ended.
func TestSearch_endsInTime(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	chat, fork := newChat(), newChat()
	var docs []store.Doc
	var want []uint64
	for i := range 400 {
		d := doc(uint64(i+1), i/3, "the build was fast") // three in one millisecond
		if i%7 == 0 {
			d.Text = "fix the build"
			want = append([]uint64{d.Seq}, want...)
		}
		docs = append(docs, d)
	}
	put(t, s, chat, 0, docs...)
	put(t, s, fork, 0, docs[:100]...)
	for _, hurry := range []bool{false, true} {
		s.Large(map[bool]time.Duration{false: time.Hour, true: -1}[hurry])
		var got []uint64
		copies, pages := 0, 0
		for before, more := int64(0), true; more; pages++ {
			found, next, err := s.Search(t.Context(), store.Search{Query: search.Parse(`"fix the build"`), Before: before}, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				got = append(got, f.Seq)
				copies += len(f.Copies)
			}
			if before, more = next, next > 0; pages > len(docs) {
				t.Fatal("the pages do not end")
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("hits (-want +got):\n%s", diff)
		}
		const slices = 9 // of 17 minutes, which a hurried search may stop between
		if copies != 15 || hurry && (pages < len(want) || pages > len(want)+slices) || !hurry && pages > 7 {
			t.Errorf("%d copies in %d pages", copies, pages)
		}
	}
	for name, hidden := range map[string]store.Search{
		"what nobody may see": {May: func(wire.ChatID) bool { return false }},
		"what is gone":        {Gone: func(wire.ChatID, wire.Position) bool { return true }},
	} {
		hidden.Query = search.Parse("build ")
		for page := range 10 {
			found, next, err := s.Search(t.Context(), hidden, 10)
			if err != nil || len(found) > 0 || next == 0 || page > 0 && next >= hidden.Before {
				t.Fatalf("%s: %v, from %d on to %d, %v", name, found, hidden.Before, next, err)
			}
			hidden.Before = next
		}
	}
	for _, none := range []string{`"build fix"`, `"nothing here"`} {
		if found, _, err := s.Search(t.Context(), store.Search{Query: search.Parse(none)}, 10); err != nil || len(found) > 0 {
			t.Errorf("%s: %v, %v", none, found, err)
		}
	}
	if found, next, err := newStore(t).Search(t.Context(), store.Search{Query: search.Parse(`"a b"`)}, 10); err != nil || next != 0 || len(found) > 0 {
		t.Errorf("in an empty index: %v, %d, %v", found, next, err)
	}
}

// Looking through one slice of time after the other finds what looking through all of
// the index does, whatever is looked for.
func TestSearch_slicesHoldTheSame(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	chats := []wire.ChatID{newChat(), newChat()}
	said := []string{"fix the build", "the build was fast", "build the fix", "go.mod and go.sum", "建てる前に", "fast", "a fox"}
	for n, chat := range chats {
		var docs []store.Doc
		for i := range 21 {
			d := doc(uint64(i+1), 20*i+n, said[(i*i+n)%len(said)])
			d.Agent = []wire.AgentID{"claude", "kimi"}[i/3%2]
			docs = append(docs, d)
		}
		put(t, s, chat, 0, docs...)
	}
	type hit struct {
		Chat wire.ChatID
		Seq  uint64
	}
	all := func(q store.Search) (hits []hit, pages int) {
		for more := true; more; pages++ {
			found, next, err := s.Search(t.Context(), q, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				hits = append(hits, hit{f.Chat, f.Seq})
			}
			if more = next > 0; more && q.Before > 0 && next >= q.Before {
				t.Fatalf("from %d on to %d", q.Before, next)
			}
			q.Before = next
		}
		return hits, pages
	}
	for _, text := range []string{
		"fix build ", `"the build" `, `"build was the"`, "go.mo", "fo", `the -"the fix"`, "nowhere", "建て",
	} {
		scopes := []store.Search{
			{},
			{Agent: "kimi"},
			{Chat: chats[1]},
			{From: noon.Add(100 * time.Minute), To: noon.Add(300 * time.Minute)},
			{May: func(id wire.ChatID) bool { return id == chats[0] }},
		}
		if text != `"the build" ` {
			scopes = scopes[:1]
		}
		for _, q := range scopes {
			q.Query = search.Parse(text)
			s.Large(time.Hour)
			want, _ := all(q)
			s.Large(-1)
			got, pages := all(q)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s in %+v (-at once +in slices):\n%s", text, q, diff)
			}
			if pages < 5 && q.Chat == "" && q.To.IsZero() {
				t.Errorf("%s: %d pages of %d hits: not in slices", text, pages, len(got))
			}
		}
	}
}

// Times that are farther ahead than ids can tell are the last that they can: a log may
// name any, and so may who searches.
func TestSearch_timesFarAhead(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	far := doc(2, 0, "build in the future")
	far.T = wire.Time{Time: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)}
	put(t, s, newChat(), 0, doc(1, 0, "build today"), far)
	put(t, s, newChat(), 0, far)
	for name, tt := range map[string]struct {
		from, to time.Time
		want     int
	}{
		"always":                     {want: 3},
		"up to the end of all times": {to: far.T.Time, want: 1},
		"from then on":               {from: far.T.Time, want: 2},
		"from a day on":              {from: noon, to: noon.AddDate(1000, 0, 0), want: 1},
		"before there was anything":  {to: time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		for _, patience := range []time.Duration{time.Hour, -1} { // at once, and in slices
			s.Large(patience)
			q, got := store.Search{Query: search.Parse("build "), From: tt.from, To: tt.to}, 0
			for more := true; more; {
				found, next, err := s.Search(t.Context(), q, 10)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range found {
					got += 1 + len(f.Copies)
				}
				q.Before, more = next, next > 0
			}
			if got != tt.want {
				t.Errorf("%s, patience %v: %d, want %d", name, patience, got, tt.want)
			}
		}
	}
}

// The words by which the index finds the texts of a time are nobody's to look for, and
// other letters of private use are, which fonts have signs for.
func TestSearch_wordsOfTheIndexAreNobodys(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	slice := strconv.FormatInt(noon.UnixMilli()>>20, 16)
	put(t, s, newChat(), 0, doc(1, 0, "fix the build \ue0a0"), doc(2, 0, "\ue000"+slice))
	for text, want := range map[string]int{
		"\ue000" + slice + " ":      1, // as a word of its text
		`"\ue000` + slice + ` fix"`: 0, "\ue000": 0, "\ue0a0": 1,
	} {
		found, _, err := s.Search(t.Context(), store.Search{Query: search.Parse(text)}, 10)
		if err != nil || len(found) != want {
			t.Errorf("%+q: %v, %v; want %d", text, found, err, want)
		}
	}
}
