package runhub_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/attachment"
	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// A file is logged as what it is, and the agent finds it; a picture it is shown,
// too.
func TestPrompt_attachments(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	for _, shown := range []bool{true, false} {
		p := newPuppet("a")
		p.info.Images = shown
		w := start(t, p)
		id := w.chat()
		log, err := w.store.Log(id)
		if err != nil {
			t.Fatal(err)
		}
		shot, err := attachment.Save(log, "shot.png", &picture)
		if shown == false {
			shot, err = attachment.Save(log, "shot.png", strings.NewReader("\x89PNG\x0D\x0A\x1A\x0A and more"))
		}
		if err != nil {
			t.Fatal(err)
		}
		sent := []wire.Attachment{{Name: "../shot.png", Media: "text/html", SHA256: shot.SHA256}}
		if _, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{Text: "Look", Attachments: sent}); err != nil {
			t.Fatal(err)
		}
		c := <-p.calls
		if got := len(c.req.Images); got != map[bool]int{true: 1}[shown] {
			t.Errorf("shown %t: it has %d pictures", shown, got)
		}
		_, words, found := strings.Cut(c.req.Text, "Look\n\nFiles that belong to this message:\n- ")
		path, _, _ := strings.Cut(words, " (image/png")
		if _, err := os.Stat(path); !found || err != nil {
			t.Errorf("the agent is told %q; %v", c.req.Text, err)
		}
		c.ok()
		w.settled(id)
		for _, e := range w.events(id) {
			if u, ok := e.ev.(wire.User); ok {
				if diff := cmp.Diff([]wire.Attachment{shot}, u.Attachments); diff != "" || u.Text != "Look" {
					t.Errorf("logged %q with (-want +got):\n%s", u.Text, diff)
				}
			}
		}
	}
}

// A prompt of files alone is told by their names, once however often it is sent.
func TestPrompt_filesAlone(t *testing.T) {
	t.Parallel()
	p := newPuppet("a")
	w := start(t, p)
	id := w.chat()
	log, err := w.store.Log(id)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := attachment.Save(log, "plan.txt", strings.NewReader("the plan"))
	if err != nil {
		t.Fatal(err)
	}
	sent := runhub.Prompt{ClientID: "m1", Text: " \u200b\n", Attachments: []wire.Attachment{plan, {Name: "../b.txt", SHA256: plan.SHA256}}}
	first, err := w.hub.Prompt(t.Context(), id, ann, sent)
	if err != nil {
		t.Fatal(err)
	}
	c := <-p.calls
	if !strings.Contains(c.req.Text, "plan.txt, b.txt\n\nFiles that belong to this message:") {
		t.Errorf("the agent is told %q", c.req.Text)
	}
	c.ok()
	w.settled(id)
	if again, err := w.hub.Prompt(t.Context(), id, ann, sent); err != nil || again != first {
		t.Errorf("sent again: %+v, %v", again, err)
	}
	if m, err := w.chats.Get(id); err != nil || m.Title != "plan.txt, b.txt" {
		t.Errorf("the chat is called %q, %v", m.Title, err)
	}
	sent.ClientID, sent.Attachments = "m2", nil
	if _, err := w.hub.Prompt(t.Context(), id, ann, sent); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("with nothing at all: %v", err)
	}
}

// A file that is not in the chat is refused, and nothing is kept.
func TestPrompt_unknownAttachment(t *testing.T) {
	t.Parallel()
	w := start(t, newPuppet("a"))
	id := w.chat()
	_, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{
		Text: "Look", Attachments: []wire.Attachment{{Name: "a.txt", SHA256: strings.Repeat("0", 64)}},
	})
	if fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("Prompt: %v, want a fault invalid that names the file", err)
	}
	if n := len(w.events(id)); n > 0 {
		t.Errorf("%d events were logged", n)
	}
}
