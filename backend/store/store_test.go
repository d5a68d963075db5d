package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/fault"
	"signalbox/backend/search"
	"signalbox/backend/store"
	"signalbox/backend/wire"
)

// texts returns what a search found, the newest first.
func texts(t *testing.T, s *store.Store, q store.Search) []string {
	t.Helper()
	found, _, err := s.Search(t.Context(), q, 100)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range found {
		all = append(all, f.Text)
	}
	return all
}

func query(q string) store.Search { return store.Search{Query: search.Parse(q)} }

func TestSearch_wordsPhrasesAndFilters(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	a, b := newChat(), newChat()
	put(t, s, a, 0,
		doc(1, 0, "Fix the build of parser.go"),
		doc(2, 10, "the build is fixed"),
		store.Doc{Seq: 3, T: at(20), Kind: wire.TypeAssistantText, Agent: "codex", Text: "日本語のテキスト, et un café"})
	put(t, s, b, 0, doc(1, 5, "a parser for builds"))

	for _, tt := range []struct {
		name string
		q    store.Search
		want []string
	}{
		{"a word, the newest first", query("build "), []string{"the build is fixed", "Fix the build of parser.go"}},
		{"the beginning of a word", query("build"), []string{"the build is fixed", "a parser for builds", "Fix the build of parser.go"}},
		{"all words", query("parser build "), []string{"Fix the build of parser.go"}},
		{"a phrase", query(`"build is" `), []string{"the build is fixed"}},
		{"a phrase in another order", query(`"is build" `), nil},
		{"left out", query("build -fixed "), []string{"Fix the build of parser.go"}},
		{"a name with signs", query("parser.go "), []string{"Fix the build of parser.go"}},
		{"a part of Japanese", query("本語"), []string{"日本語のテキスト, et un café"}},
		{"without the accent", query("cafe "), []string{"日本語のテキスト, et un café"}},
		{"of a chat", store.Search{Query: search.Parse("parser "), Chat: b}, []string{"a parser for builds"}},
		{"of no chat", store.Search{Query: search.Parse("parser "), Chat: newChat()}, nil},
		{"of an agent", store.Search{Query: search.Parse("un "), Agent: "codex"}, []string{"日本語のテキスト, et un café"}},
		{"of another agent", store.Search{Query: search.Parse("un "), Agent: "claude"}, nil},
		{"of an odd agent", store.Search{Query: search.Parse("un "), Agent: `x" OR "y`}, nil},
		{"from a time on", store.Search{Query: search.Parse("build"), From: at(5).Time}, []string{"the build is fixed", "a parser for builds"}},
		{"before a time", store.Search{Query: search.Parse("build"), To: at(5).Time}, []string{"Fix the build of parser.go"}},
		{"what may be seen", store.Search{Query: search.Parse("parser "), May: func(c wire.ChatID) bool { return c == b }}, []string{"a parser for builds"}},
		{"a token of the daemon's own", query("c1 "), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, texts(t, s, tt.q)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A word is found in every script, with its accents and without: what folding
// takes off a letter, it takes off on both sides.
func TestSearch_everyScript(t *testing.T) {
	t.Parallel()
	s, chat := newStore(t), newChat()
	said := []string{
		"한국어 텍스트", "これはテストです", "ガラスの破片", "русский ёж", "Καλημέρα κόσμε", "हिन्दी भाषा",
		"tiếng việt", "İstanbul", "Łódź", "nai\u0308ve", "اللغة العربية", "ภาษาไทย", "மொழி", "㎏ Straße",
	}
	for i, text := range said {
		put(t, s, chat, uint64(i), doc(uint64(i+1), i, text))
	}
	for q, want := range map[string]string{
		"한국": said[0], "텍스트 ": said[0], "です": said[1], "テスト": said[1], "ガラス": said[2], "破片": said[2],
		"русский ": said[3], "РУССК": said[3], "еж ": said[3], "καλημερα ": said[4], "ΚΑΛΗΜΈ": said[4],
		"हिन्दी": said[5], "viet ": said[6], "istanbul": said[7], "łódź ": said[8], "naïve": said[9],
		"اللغة": said[10], "ไทย": said[11], "மொழி": said[12], "straße ": said[13],
	} {
		if diff := cmp.Diff([]string{want}, texts(t, s, query(q))); diff != "" {
			t.Errorf("%q finds (-want +got):\n%s", q, diff)
		}
		if len(query(q).Query.Hits(want)) == 0 {
			t.Errorf("%q marks nothing of %q", q, want)
		}
	}
}

// No query is an error, whatever it holds.
func TestSearch_takesAnyQuery(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	put(t, s, newChat(), 0, doc(1, 0, `it's a "quoted" (text) with * and NEAR`))
	for _, q := range []string{
		"", " ", `"`, `""`, `"*"`, "*", "(", ")", "AND", "NOT x", "a NOT", "NEAR(a b)", "text:a", "^a", "{a b}:c", "a + b",
		`it's`, `'`, `\`, "a\x00b", "\xff\xfe", "-", "--", "-a", "🙂", "ﬃ", strings.Repeat("a ", 5000), strings.Repeat(`"`, 999),
		strings.Repeat("語", 900), "\u0301", "ß İ ﷺ", "a\u200bb",
	} {
		if _, _, err := s.Search(t.Context(), query(q), 10); err != nil {
			t.Errorf("search for %.40q: %v", q, err)
		}
	}
	if got := texts(t, s, query(`it's "quoted" NEAR `)); len(got) != 1 {
		t.Errorf("words that are operators are not found: %v", got)
	}
}

// Each hit is on one page, also where others come meanwhile.
func TestSearch_pages(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	chat := newChat()
	var docs []store.Doc
	for i := range 25 {
		docs = append(docs, doc(uint64(i+1), i/5, "word")) // five a millisecond
	}
	put(t, s, chat, 0, docs...)
	q := query("word ")
	var seqs []uint64
	for page := 0; ; page++ {
		found, next, err := s.Search(t.Context(), q, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			seqs = append(seqs, f.Seq)
		}
		if next == 0 {
			break
		}
		q.Before = next
		put(t, s, newChat(), 0, doc(1, 100+page, "a newer word"))
	}
	want := 25
	for i, seq := range seqs {
		if seq != uint64(want-i) {
			t.Fatalf("pages gave %v", seqs)
		}
	}
	if len(seqs) != want {
		t.Errorf("pages gave %d of %d hits", len(seqs), want)
	}
}

// An event that forks copied is one hit, that of the oldest chat.
func TestSearch_showsCopiesOnce(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	old, fork := newChat(), newChat()
	put(t, s, fork, 0, doc(1, 0, "a word"), doc(2, 1, "its own word"))
	put(t, s, old, 0, doc(1, 0, "a word"))
	found, _, err := s.Search(t.Context(), query("word "), 10)
	if err != nil || len(found) != 2 {
		t.Fatalf("found %+v, %v", found, err)
	}
	if f := found[1]; f.Chat != old || len(f.Copies) != 1 || f.Copies[0] != fork {
		t.Errorf("the copied hit is of %s with copies %v", f.Chat, f.Copies)
	}
	hidden := query("word ")
	hidden.May = func(c wire.ChatID) bool { return c == fork }
	if found, _, err = s.Search(t.Context(), hidden, 10); err != nil || len(found) != 2 || found[1].Chat != fork {
		t.Errorf("with the old chat hidden: %+v, %v", found, err)
	}
}

func TestApply_replacesWhatFollows(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	chat, other := newChat(), newChat()
	put(t, s, chat, 0, doc(1, 0, "word one"), doc(2, 1, "word two"), doc(3, 2, "word three"))
	put(t, s, other, 0, doc(1, 0, "word else"))
	put(t, s, chat, 1, doc(5, 4, "word five"))
	want := []string{"word five", "word else", "word one"}
	if diff := cmp.Diff(want, texts(t, s, query("word "))); diff != "" {
		t.Errorf("after a change (-want +got):\n%s", diff)
	}
	if err := s.Forget(t.Context(), chat); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"word else"}, texts(t, s, query("word "))); diff != "" {
		t.Errorf("after forgetting (-want +got):\n%s", diff)
	}
	cursors, err := s.Cursors(t.Context())
	if _, ok := cursors[chat]; err != nil || ok || cursors[other].Seq != 1 {
		t.Errorf("cursors = %v, %v", cursors, err)
	}
	if err := s.Forget(t.Context(), chat); err != nil {
		t.Errorf("forgetting twice: %v", err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	chat := newChat()
	put(t, s, chat, 0, doc(1, 0, "Straße a->b"), doc(2, 1, "nothing"), doc(7, 2, "x->y and X->Y"), doc(8, 2, "STRASSE, straße"))
	seqs := func(text string, before uint64, limit int) (got []uint64, next uint64) {
		found, next, err := s.Find(t.Context(), chat, search.NewNeedle(text), before, limit, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			got = append(got, m.Seq)
		}
		return got, next
	}
	got, next := seqs("->", 0, 10)
	if diff := cmp.Diff([]uint64{7, 1}, got); diff != "" || next != 0 {
		t.Errorf("next %d, -want +got:\n%s", next, diff)
	}
	if got, _ = seqs("STRAßE", 0, 10); !cmp.Equal([]uint64{8, 1}, got) {
		t.Errorf("without case: %v", got)
	}
	got, next = seqs("->", 0, 1)
	if !cmp.Equal([]uint64{7}, got) || next == 0 {
		t.Fatalf("the first page: %v, next %d", got, next)
	}
	if got, next = seqs("->", next, 1); !cmp.Equal([]uint64{1}, got) || next != 0 {
		t.Errorf("the second page: %v, next %d", got, next)
	}
	found, _, err := s.Find(t.Context(), chat, search.NewNeedle("x-"), 0, 1, nil)
	if err != nil || len(found) != 1 || found[0].Count != 2 {
		t.Errorf("counted %+v, %v", found, err)
	}
	if found, _, err = s.Find(t.Context(), newChat(), search.NewNeedle("x"), 0, 1, nil); err != nil || len(found) > 0 {
		t.Errorf("in a chat that is not there: %+v, %v", found, err)
	}
}

// A full disk takes nothing away: what is there is found, and it goes on when
// there is room.
func TestApply_onAFullDisk(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	chat := newChat()
	put(t, s, chat, 0, doc(1, 0, "word"))
	if err := s.Limit(t.Context(), 1); err != nil { // no less than it has
		t.Fatal(err)
	}
	more := store.Change{Chat: chat, After: 0, Docs: []store.Doc{doc(2, 1, strings.Repeat("word ", 20_000))}}
	err := s.Apply(t.Context(), more)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != fault.Unavailable || !strings.Contains(f.Message, "full") || f.Hint == "" || store.Damaged(err) {
		t.Errorf("apply = %v", err)
	}
	if got := texts(t, s, query("word ")); len(got) != 1 || got[0] != "word" {
		t.Errorf("after that %.80q is found", got)
	}
	if err := s.Limit(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), more); err != nil {
		t.Error(err)
	}
}

// What is no database is put aside, and searching begins anew.
func TestOpen_putsDamageAside(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, path string)
	}{
		{"another file", func(t *testing.T, path string) { write(t, path, strings.Repeat("not a database ", 1000)) }},
		{"a torn one", func(t *testing.T, path string) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, string(b[:100])+strings.Repeat("\xff", len(b)-100))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "index.db")
			s := open(t, path)
			put(t, s, newChat(), 0, doc(1, 0, "word"))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			tt.damage(t, path)
			s = open(t, path)
			put(t, s, newChat(), 0, doc(1, 0, "word again"))
			if diff := cmp.Diff([]string{"word again"}, texts(t, s, query("word "))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if _, err := os.Stat(path + ".damaged"); err != nil {
				t.Errorf("the damaged file is not kept: %v", err)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The index is for its owner alone, and never anything but a plain file.
func TestOpen_guardsTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "index.db")
	open(t, path)
	for _, f := range []string{path, path + "-wal"} {
		if st, err := os.Stat(f); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, st.Mode(), err)
		}
	}
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), link, store.Options{}); !errors.Is(err, fault.ErrNotPlain) {
		t.Errorf("a link is opened: %v", err)
	}
}

func TestClose_endsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), store.Change{Chat: newChat()}); err == nil {
		t.Error("a closed index takes changes")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := newStore(t).Search(ctx, query("x"), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that nobody waits for: %v", err)
	}
}

// A run is counted once, whichever chats have it, and a later look adds what an
// earlier one could not know.
func TestRuns(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	old, fork := newChat(), newChat()
	cost := 0.25
	begin := store.Run{ID: "r_1", Started: at(0), By: wire.Person{ID: "u_1", Name: "Ann"}, Agent: "claude", Model: "m1"}
	end := store.Run{ID: "r_1", Status: wire.StatusOK, MS: 5, Model: "m2", Usage: wire.Usage{Input: 7, CostUSD: &cost, CostKind: wire.CostExact}}
	for _, c := range []store.Change{
		{Chat: fork, Runs: []store.Run{begin, end}},
		{Chat: old, Runs: []store.Run{begin}},
		{Chat: old, Runs: []store.Run{{ID: "r_2", Started: at(1), By: begin.By}}},
	} {
		if err := s.Apply(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	var got []store.Run
	if err := s.RunsBetween(t.Context(), noon, noon.Add(time.Hour), func(r store.Run) { got = append(got, r) }); err != nil {
		t.Fatal(err)
	}
	want := end
	want.Chat, want.Started, want.By, want.Agent = old, begin.Started, begin.By, begin.Agent
	if diff := cmp.Diff([]store.Run{want, {ID: "r_2", Chat: old, Started: at(1), By: begin.By}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if a, err := s.Agent(t.Context(), "r_1"); err != nil || a != "claude" {
		t.Errorf("agent = %q, %v", a, err)
	}
	if a, err := s.Agent(t.Context(), "r_9"); err != nil || a != "" {
		t.Errorf("agent of an unknown run = %q, %v", a, err)
	}
}
