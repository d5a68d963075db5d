package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"signalbox/backend/search"
	"signalbox/backend/store"
	"signalbox/backend/wire"
)

// benchDocs is how many events the index of BenchmarkSearch has: a million, which
// takes minutes to build; a tenth with -short.
const benchDocs = 1_000_000

// vocabulary draws words as languages do: a few are everywhere, most are rare.
type vocabulary struct {
	words []string
	zipf  *rand.Zipf
}

func newVocabulary() *vocabulary {
	r := rand.New(rand.NewPCG(1, 2))
	v := &vocabulary{zipf: rand.NewZipf(r, 1.1, 4, 49_999)}
	for i := range 50_000 {
		v.words = append(v.words, fmt.Sprintf("%c%cw%d", 'a'+i%26, 'a'+i/26%26, i))
	}
	return v
}

func (v *vocabulary) text(words int) string {
	var b strings.Builder
	for range words {
		b.WriteString(v.words[v.zipf.Uint64()])
		b.WriteByte(' ')
	}
	return b.String()
}

// han is text without spaces: each character is a word, and a few are everywhere.
func (v *vocabulary) han(characters int) string {
	var b strings.Builder
	for range characters {
		b.WriteRune(rune(0x4E00 + v.zipf.Uint64()%4000))
	}
	return b.String()
}

// BenchmarkSearch measures a warm search over an index of a million events in a
// thousand chats, of about 280 bytes each. It also reports the building.
func BenchmarkSearch(b *testing.B) {
	n := benchDocs
	if testing.Short() {
		n /= 10
	}
	path := filepath.Join(b.TempDir(), "index.db")
	s := open(b, path)
	v := newVocabulary()
	chats := make([]wire.ChatID, 1000)
	for i := range chats {
		chats[i] = newChat()
	}
	began := time.Now()
	perChat := n / len(chats)
	for i, chat := range chats {
		docs := make([]store.Doc, perChat)
		for j := range docs {
			docs[j] = store.Doc{
				Seq: uint64(j + 1), T: wire.Time{Time: noon.Add(time.Duration(i*perChat+j) * time.Second)},
				Kind: wire.TypeAssistantText, Agent: []wire.AgentID{"claude", "codex", "kimi"}[i%3], Text: v.text(40),
			}
			if j%5 == 0 {
				docs[j].Text = v.han(60)
			}
		}
		if i == 500 {
			docs[7].Text += " needle in a haystack"
		}
		put(b, s, chat, 0, docs...)
	}
	built := time.Since(began)
	size := int64(0)
	for _, suffix := range []string{"", "-wal"} {
		if st, err := os.Stat(path + suffix); err == nil {
			size += st.Size()
		}
	}
	b.Logf("built %d events in %.0f s, %.0f MB", n, built.Seconds(), float64(size)/1e6)

	for _, bb := range []struct {
		name string
		q    store.Search
	}{
		{"rare word", query("needle ")},
		{"rare phrase", query(`"needle in a haystack" `)},
		{"common word", query(v.words[0] + " ")},
		{"two common words", query(v.words[0] + " " + v.words[1] + " ")},
		{"common phrase", query(`"` + v.words[0] + " " + v.words[1] + `" `)},
		{"beginning of common words", query(v.words[0][:2])},
		{"beginning of less common words", query(v.words[25][:2])},
		{"common word of one chat", store.Search{Query: search.Parse(v.words[0] + " "), Chat: chats[3]}},
		{"common word of one agent", store.Search{Query: search.Parse(v.words[0] + " "), Agent: "kimi"}},
		{"common word of a month", store.Search{Query: search.Parse(v.words[0] + " "), From: noon.AddDate(0, 0, 2), To: noon.AddDate(0, 0, 3)}},
		{"common and rare word", query(v.words[0] + " needle ")},
		{"nothing", query("nowhere ")},
		{"common words but one", query(v.words[0] + " -" + v.words[1] + " ")},
		{"phrase of three common words", query(`"` + v.words[0] + " " + v.words[1] + " " + v.words[2] + `" `)},
		{"phrase of common words that nobody said", query(`"` + v.words[0] + " needle " + v.words[1] + `" `)},
		{"phrase of five common words", query(`"` + strings.Join(v.words[:5], " ") + `" `)},
		{"five common words", query(strings.Join(v.words[:5], " ") + " ")},
		{"two letters that begin nothing", query("qq")},
		{"common words and a beginning", query(v.words[0] + " " + v.words[1] + " " + v.words[2][:2])},
		{"a name with signs", query(v.words[0] + "." + v.words[1][:2])},
		{"common character", query("\u4e00")},
		{"two common characters", query("\u4e00\u4e01")},
		{"four common characters", query("\u4e00\u4e01\u4e02\u4e03")},
		{"rare characters", query("\u5d00\u5d01")},
		{"common characters that nobody may see", store.Search{Query: search.Parse("\u4e00 "), May: func(wire.ChatID) bool { return false }}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			found, before := 0, processorTime(b)
			for b.Loop() {
				got, _, err := s.Search(b.Context(), bb.q, 30)
				if err != nil {
					b.Fatal(err)
				}
				found = len(got)
			}
			b.ReportMetric(float64(found), "hits")
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/1e3/float64(b.N), "cpu-ms/op")
		})
	}
	b.Run("phrase of five common words to the end", func(b *testing.B) {
		pages, longest := 0, time.Duration(0)
		for b.Loop() {
			q := query(`"` + strings.Join(v.words[:5], " ") + `" `)
			for more := true; more; pages++ {
				began := time.Now()
				_, next, err := s.Search(b.Context(), q, 30)
				if err != nil {
					b.Fatal(err)
				}
				longest = max(longest, time.Since(began))
				q.Before, more = next, next > 0
			}
		}
		b.ReportMetric(float64(pages)/float64(b.N), "pages")
		b.ReportMetric(float64(longest.Milliseconds()), "ms-longest")
	})
	for name, text := range map[string]string{"find": v.words[20], "find nothing": "nowhere"} {
		b.Run(name+" in one chat", func(b *testing.B) {
			needle := search.NewNeedle(text)
			for b.Loop() {
				if _, _, err := s.Find(b.Context(), chats[9], needle, 0, 100, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// processorTime is what the process took, which says more than the clock where others
// are busy too.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
