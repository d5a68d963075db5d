package eventlog_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

const stamp = "2026-11-30T17:00:00.000Z"

func headerLine(chat wire.ChatID, epoch, high int) string {
	return fmt.Sprintf(`{"format":1,"chat":"%s","epoch":%d,"created":"%s","high":%d}`+"\n", chat, epoch, stamp, high)
}

func userLine(seq int) string {
	return fmt.Sprintf(`{"seq":%d,"t":"%s","type":"user","run":"r_1","text":"%d","clientId":"","by":{"id":"","name":""}}`+"\n", seq, stamp, seq)
}

func textLine(seq int) string {
	return fmt.Sprintf(`{"seq":%d,"t":"%s","type":"assistant_text","run":"r_1","item":"i","delta":"%d"}`+"\n", seq, stamp, seq)
}

func epochLine(seq, epoch, keep int) string {
	return fmt.Sprintf(`{"seq":%d,"t":"%s","type":"epoch","epoch":%d,"keep":%d,"cause":"rewind"}`+"\n", seq, stamp, epoch, keep)
}

// openOn opens a chat whose log has the given content.
func openOn(t testing.TB, content func(wire.ChatID) string) (l *eventlog.Log, folder string) {
	t.Helper()
	dir, chat := t.TempDir(), newChat()
	writeLog(t, dir, chat, content(chat))
	s := openStore(t, dir, eventlog.Options{})
	l, err := s.Log(chat)
	if err != nil {
		t.Fatal(err)
	}
	return l, s.Dir(chat)
}

func TestOpen_repairs(t *testing.T) {
	t.Parallel()
	e := func(seq uint64, text string) event { return event{seq, "assistant_text", text} }
	zeros := strings.Repeat("\x00", 5000)
	for _, tt := range []struct {
		name string
		file func(wire.ChatID) string
		want []event
		end  wire.Position
		bad  string // what events.bad holds
	}{
		{
			name: "whole",
			file: func(c wire.ChatID) string { return headerLine(c, 3, 0) + textLine(1) + textLine(2) },
			want: []event{e(1, "1"), e(2, "2")},
			end:  *at(3, 2),
		},
		{
			name: "the epoch is that of the last epoch event",
			file: func(c wire.ChatID) string {
				return headerLine(c, 1, 0) + textLine(1) + epochLine(5, 4, 1) + textLine(6)
			},
			want: []event{e(1, "1"), {5, "epoch", "4 rewind keep 1"}, e(6, "6")},
			end:  *at(4, 6),
		},
		{
			name: "torn last line",
			file: func(c wire.ChatID) string { return headerLine(c, 1, 0) + textLine(1) + textLine(2)[:40] },
			want: []event{e(1, "1"), {2, "epoch", "2 repair keep 1"}},
			end:  *at(2, 2),
			bad:  textLine(2)[:40],
		},
		{
			name: "last line without its line feed",
			file: func(c wire.ChatID) string { return headerLine(c, 1, 0) + textLine(1) + strings.TrimSpace(textLine(2)) },
			want: []event{e(1, "1"), {2, "epoch", "2 repair keep 1"}},
			end:  *at(2, 2),
			bad:  strings.TrimSpace(textLine(2)),
		},
		{
			name: "zeros at the end",
			file: func(c wire.ChatID) string { return headerLine(c, 1, 0) + textLine(1) + zeros },
			want: []event{e(1, "1"), {2, "epoch", "2 repair keep 1"}},
			end:  *at(2, 2),
			bad:  zeros,
		},
		{
			name: "unreadable last lines",
			file: func(c wire.ChatID) string { return headerLine(c, 1, 0) + textLine(1) + "oops\n\n{\"seq\":2}\n" },
			want: []event{e(1, "1"), {2, "epoch", "2 repair keep 1"}},
			end:  *at(2, 2),
			bad:  "oops\n\n{\"seq\":2}\n",
		},
		{
			name: "unreadable line inside",
			file: func(c wire.ChatID) string {
				return headerLine(c, 1, 0) + textLine(1) + "oops\n" + strings.Replace(textLine(3), `"item"`, `"item`, 1) + textLine(4)
			},
			want: []event{e(1, "1"), {2, "system", "log_damaged"}, {3, "system", "log_damaged"}, e(4, "4")},
			end:  *at(1, 4),
		},
		{
			name: "lines gone inside, and before an epoch event",
			file: func(c wire.ChatID) string {
				return headerLine(c, 1, 0) + textLine(2) + epochLine(9, 2, 4) + textLine(10)
			},
			want: []event{{1, "system", "log_damaged"}, e(2, "2"), {3, "system", "log_damaged"}, {4, "system", "log_damaged"}, {9, "epoch", "2 rewind keep 4"}, e(10, "10")},
			end:  *at(2, 10),
		},
		{
			name: "line twice, line from before, line in foreign form",
			file: func(c wire.ChatID) string {
				return headerLine(c, 1, 0) + textLine(1) + textLine(2) + textLine(2) + textLine(1) +
					`{ "type":"assistant_text", "delta":"3", "t":"` + stamp + `", "seq":3 }` + "\n" + textLine(4)
			},
			want: []event{e(1, "1"), e(2, "2"), e(3, "3"), e(4, "4")},
			end:  *at(1, 4),
		},
		{
			name: "not UTF-8",
			file: func(c wire.ChatID) string {
				return headerLine(c, 1, 0) + strings.Replace(textLine(1), `delta":"1`, "delta\":\"\xff", 1) + textLine(2)
			},
			want: []event{{1, "system", "log_damaged"}, e(2, "2")},
			end:  *at(1, 2),
		},
		{
			name: "last seq below the high of the header",
			file: func(c wire.ChatID) string { return headerLine(c, 2, 7) + textLine(1) },
			want: []event{e(1, "1"), {8, "epoch", "3 repair keep 1"}},
			end:  *at(3, 8),
		},
		{
			name: "impossible last seq",
			file: func(c wire.ChatID) string { return headerLine(c, 1, 0) + textLine(1) + textLine(900_000) },
			want: []event{e(1, "1"), {2, "epoch", "2 repair keep 1"}},
			end:  *at(2, 2),
			bad:  textLine(900_000),
		},
		{
			name: "no header",
			file: func(wire.ChatID) string { return textLine(1) + epochLine(4, 5, 1) + textLine(5) },
			want: []event{e(1, "1"), {4, "epoch", "5 rewind keep 1"}, e(5, "5"), {6, "epoch", "6 repair keep 5"}},
			end:  *at(6, 6),
		},
		{
			name: "garbled header",
			file: func(c wire.ChatID) string { return "{\"format\":1,\"cha\x00\x00\n" + textLine(1) },
			want: []event{e(1, "1"), {2, "epoch", "2 repair keep 1"}},
			end:  *at(2, 2),
			bad:  "{\"format\":1,\"cha\x00\x00\n",
		},
		{
			name: "header without its line feed",
			file: func(c wire.ChatID) string { return strings.TrimSpace(headerLine(c, 4, 9)) },
			want: []event{{10, "epoch", "5 repair keep 0"}},
			end:  *at(5, 10),
			bad:  "", // checked below: its chat is not known here
		},
		{
			name: "empty file",
			file: func(wire.ChatID) string { return "" },
			want: []event{{1, "epoch", "2 repair keep 0"}},
			end:  *at(2, 1),
		},
		{
			name: "garbage",
			file: func(wire.ChatID) string { return "one\ntwo\nthree" },
			want: []event{{1, "epoch", "2 repair keep 0"}},
			end:  *at(2, 1),
			bad:  "one\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, folder := openOn(t, tt.file)
			if diff := cmp.Diff(tt.want, all(t, l)); diff != "" {
				t.Errorf("events (-want +got)\n%s", diff)
			}
			if got := l.End(); got != tt.end {
				t.Errorf("End = %v, want %v", got, tt.end)
			}
			if got := add(t, l, text(t, "next")); got != tt.end.Seq+1 {
				t.Errorf("next seq = %d, want %d", got, tt.end.Seq+1)
			}
			if tt.bad != "" {
				if bad := readFile(t, folder, "events.bad"); !strings.Contains(bad, tt.bad) {
					t.Errorf("events.bad = %q, want %q in it", bad, tt.bad)
				}
			}
			// A second opening finds nothing to do.
			s2 := openStore(t, reopen(t, folder), eventlog.Options{})
			l2, err := s2.Log(wire.ChatID(filepath.Base(folder)))
			if err != nil {
				t.Fatal(err)
			}
			if got := l2.End(); got != *at(tt.end.Epoch, tt.end.Seq+1) {
				t.Errorf("End after another opening = %v", got)
			}
		})
	}
}

// reopen copies a data folder as it lies on the disk, to open it while the first
// is open.
func reopen(t testing.TB, chatFolder string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "chats", filepath.Base(chatFolder)), os.DirFS(chatFolder)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpen_bigGapIsCrossed(t *testing.T) {
	t.Parallel()
	l, _ := openOn(t, func(c wire.ChatID) string {
		return headerLine(c, 1, 1_000_000) + textLine(1) + textLine(500_000) + textLine(500_001) + textLine(1_000_000)
	})
	want := []event{
		{1, "assistant_text", "1"},
		{2, "system", "log_damaged"},
		{499_999, "epoch", "1 repair keep 2"},
		{500_000, "assistant_text", "500000"},
		{500_001, "assistant_text", "500001"},
		{500_002, "system", "log_damaged"},
		{999_999, "epoch", "1 repair keep 500002"},
		{1_000_000, "assistant_text", "1000000"},
	}
	if diff := cmp.Diff(want, all(t, l)); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
	for _, since := range []uint64{1, 499_999, 500_001} {
		_, evs := drain(t, follow(t, l, at(1, since)))
		if evs[0].Seq != since+1 {
			t.Errorf("since %d: first event %d", since, evs[0].Seq)
		}
	}
}

func TestOpen_leavesANewerFormatAlone(t *testing.T) {
	t.Parallel()
	dir, chat := t.TempDir(), newChat()
	content := `{"format":2,"chat":"x","zip":true}` + "\n\x00\x01"
	writeLog(t, dir, chat, content)
	s := openStore(t, dir, eventlog.Options{})
	_, err := s.Log(chat)
	wantCode(t, err, fault.Unavailable)
	if got := readFile(t, s.Dir(chat), "events.jsonl"); got != content {
		t.Errorf("the file was changed to %q", got)
	}
}

// What tells a loss of power from the end of the process.
func TestOpen_newBootRaisesTheEpoch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		clean bool
		boot  string
		want  wire.Position
	}{
		{"process ended, same boot", false, "boot-1", *at(1, 3)},
		{"machine ended", false, "boot-2", *at(2, 4)},
		{"clean close, new boot", true, "boot-2", *at(1, 3)},
		{"clean close, same boot", true, "boot-1", *at(1, 3)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, chat := t.TempDir(), newChat()
			s := openStore(t, dir, eventlog.Options{BootID: "boot-1"})
			l, err := s.Create(chat)
			if err != nil {
				t.Fatal(err)
			}
			addTexts(t, l, 1, 3)
			if tt.clean {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			} else {
				s.Kill()
			}
			for range 2 { // the second opening changes nothing
				s = openStore(t, dir, eventlog.Options{BootID: tt.boot})
				if l, err = s.Log(chat); err != nil {
					t.Fatal(err)
				}
				if got := l.End(); got != tt.want {
					t.Errorf("End = %v, want %v", got, tt.want)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestOpen_unreadableMarkerCountsAsANewBoot(t *testing.T) {
	t.Parallel()
	dir, chat := t.TempDir(), newChat()
	writeLog(t, dir, chat, headerLine(chat, 1, 0)+textLine(1))
	marker := filepath.Join(dir, "chats", string(chat), "open")
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := openStore(t, dir, eventlog.Options{}).Log(chat)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.End(); got != *at(2, 2) {
		t.Errorf("End = %v, want 2:2", got)
	}
	if _, err := os.Stat(marker); !os.IsNotExist(err) {
		t.Errorf("the marker is still there: %v", err)
	}
}

// Any bytes in the place of a log give a log that can be read and appended to.
func FuzzOpen(f *testing.F) {
	chat := wire.ChatID("c_01ARZ3NDEKTSV4RRFFQ69G5FAV")
	f.Add([]byte(headerLine(chat, 1, 0)+userLine(1)+textLine(2)+epochLine(9, 2, 1)+textLine(10)), uint64(2))
	f.Add([]byte(textLine(1)+"\x00\x00\n"+textLine(3)+textLine(4)[:20]), uint64(3))
	f.Add([]byte(headerLine(chat, 7, 1<<40)+textLine(1<<40)), uint64(1<<39))
	f.Add([]byte("{\"seq\":1}\n\n\n{\"format\":1}\n"), uint64(0))
	f.Fuzz(func(t *testing.T, file []byte, since uint64) {
		dir := t.TempDir()
		writeLog(t, dir, chat, string(file))
		s := openStore(t, dir, eventlog.Options{})
		l, err := s.Log(chat)
		if fault.CodeOf(err) == fault.Unavailable {
			return // a newer format
		}
		if err != nil {
			t.Fatal(err)
		}
		check := func() {
			end := l.End()
			var prev uint64
			for raw, err := range l.Events(0) {
				prev = continues(t, prev, raw, err)
			}
			if prev != end.Seq {
				t.Errorf("events end at %d, the log at %d", prev, end.Seq)
			}
			after := end.Seq + 1
			for raw, err := range l.Backward() {
				if err != nil {
					t.Fatal(err)
				}
				seq, _ := place(t, raw)
				if seq >= after {
					t.Errorf("backward: %d after %d", seq, after)
				}
				after = seq
			}
			fo, err := l.Follow(&wire.Position{Epoch: end.Epoch, Seq: since})
			if err != nil {
				t.Fatal(err)
			}
			defer fo.Close()
			prev = since
			for {
				b := next(t, fo)
				if b.Reset != nil {
					prev = 0
				} else if len(b.Lines) == 0 {
					break
				}
				for raw := range strings.Lines(string(b.Lines)) {
					if prev == 0 {
						_, prev = place(t, []byte(raw))
					}
					prev = continues(t, prev, []byte(strings.TrimSuffix(raw, "\n")), nil)
				}
			}
			if got := next(t, fo).Upto; got != end {
				t.Errorf("follower ends at %v, the log at %v", got, end)
			}
			before := wire.Position{Epoch: end.Epoch, Seq: since}
			if _, err := l.Page(&before, 3); err != nil {
				t.Error(err)
			}
			if _, err := l.Page(nil, 0); err != nil {
				t.Error(err)
			}
		}
		check()
		before := l.End().Seq
		if got := add(t, l, prompt(t, "p")); got != before+1 {
			t.Errorf("appended as %d after %d", got, before)
		}
		check()
		if err := l.Rewind(before+1, nil); err != nil {
			t.Fatal(err)
		}
		if err := l.Restore(); err != nil {
			t.Fatal(err)
		}
		check()
	})
}

// continues checks that the line raw may follow the event prev.
func continues(t testing.TB, prev uint64, raw []byte, err error) uint64 {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	seq, before := place(t, raw)
	if before != prev || seq <= prev {
		t.Fatalf("%q follows event %d", raw, prev)
	}
	return seq
}

// place returns the seq of a line, and that which must come before it.
func place(t testing.TB, raw []byte) (seq, before uint64) {
	t.Helper()
	var v struct {
		wire.Envelope
		Keep json.RawMessage // of an event of any type
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("decode %q: %v", raw, err)
	}
	if v.Type != wire.TypeEpoch {
		return v.Seq, v.Seq - 1
	}
	if err := json.Unmarshal(v.Keep, &before); err != nil {
		t.Fatalf("decode %q: %v", raw, err)
	}
	return v.Seq, before
}
