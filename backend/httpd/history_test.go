package httpd_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"signalbox/backend/access"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/wire"
)

// with is a message whose line holds all the words.
func with(words ...string) func(message) bool {
	return func(m message) bool {
		for _, w := range words {
			if !strings.Contains(m.line, w) {
				return false
			}
		}
		return true
	}
}

// A7, A9, A94, A95, A99: what people do with a chat's history over REST, and
// what the others see of it at once.
func TestChat_history(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob := d.signIn("ann", access.Admin), d.signIn("bob", access.Member)
	id := d.chat(ann)
	base := fmt.Sprintf("/api/chats/%s", id)
	d.say(ann, id, 1)
	d.say(ann, id, 2)
	sock := bob.socket("/ws/chat/" + string(id))
	list := bob.socket("/ws/workspace")

	outline := read[wire.Outline](t, bob.call(http.MethodGet, base+"/prompts", ""), http.StatusOK)
	if len(outline.Prompts) != 2 {
		t.Fatalf("outline = %+v", outline)
	}
	second := outline.Prompts[1]
	if second.Line != "say 2" || outline.Cuts == nil {
		t.Errorf("outline = %+v", outline)
	}
	cut := read[wire.Cut](t, bob.call(http.MethodPost, base+"/rewind", fmt.Sprintf(`{"seq":%d}`, second.Seq)), http.StatusOK)
	sock.until(with(`"cause":"rewind"`))
	again := bob.call(http.MethodPost, base+"/rewind", fmt.Sprintf(`{"seq":%d}`, second.Seq))
	if p := read[contract.Problem](t, again, http.StatusNotFound); p.Code != fault.NotFound {
		t.Errorf("rewinding again = %+v", p)
	}
	old := read[eventlog.Page](t, bob.call(http.MethodGet, fmt.Sprintf("%s/rewound/%d", base, cut.Epoch), ""), http.StatusOK)
	if old.HasMore || len(old.Events) == 0 || !strings.Contains(string(old.Events[0]), "say 2") {
		t.Errorf("what was taken out = %+v", old)
	}
	read[contract.Problem](t, bob.call(http.MethodGet, base+"/rewound/99", ""), http.StatusNotFound)
	fork := read[wire.ChatSummary](t, bob.call(http.MethodPost, base+"/fork", fmt.Sprintf(`{"cut":%d}`, cut.Epoch)), http.StatusOK)
	if fork.ForkOf == nil || fork.ForkOf.Chat != id || fork.Owner != bob.who || !strings.HasSuffix(fork.Title, "(fork)") {
		t.Errorf("fork = %+v", fork)
	}
	list.until(with(string(fork.ID)))
	read[wire.ChatSummary](t, bob.call(http.MethodPost, base+"/restore", ""), http.StatusOK)
	sock.until(with(`"type":"reset"`))
	if p := read[contract.Problem](t, bob.call(http.MethodPost, base+"/restore", "{}"), http.StatusNotFound); p.Hint == "" {
		t.Errorf("restoring again = %+v", p)
	}
	read[wire.ChatSummary](t, ann.call(http.MethodPost, base+"/fork", ""), http.StatusOK)

	got := read[wire.ChatSummary](t, bob.call(http.MethodPatch, base, `{"title":"Named","archived":true,"pinned":true}`), http.StatusOK)
	if got.Title != "Named" || !got.Archived || !got.Pinned {
		t.Errorf("changed = %+v", got)
	}
	list.until(with(`"Named"`, `"pinned":true`))
	if of := read[wire.ChatSummary](t, ann.call(http.MethodGet, base, ""), http.StatusOK); of.Pinned || !of.Archived {
		t.Errorf("to another person = %+v", of)
	}
	for path, unread := range map[string]bool{"/unread": true, "/read": false} {
		if r := bob.call(http.MethodPost, base+path, ""); r.status != http.StatusNoContent {
			t.Errorf("%s: status %d", path, r.status)
		}
		if got := read[wire.ChatSummary](t, bob.call(http.MethodGet, base, ""), http.StatusOK); got.Unread != unread {
			t.Errorf("after %s unread is %v", path, got.Unread)
		}
	}
}

// A11, A101: a chat that is deleted is gone for everybody, comes back as it was,
// and is deleted for good by its owner or an admin.
func TestChat_trash(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob := d.signIn("ann", access.Admin), d.signIn("bob", access.Member)
	id := d.chat(ann)
	base := fmt.Sprintf("/api/chats/%s", id)
	sock, list := bob.socket("/ws/chat/"+string(id)), bob.socket("/ws/workspace")
	read[wire.PromptResult](t, ann.call(http.MethodPost, base+"/messages", `{"text":"wait"}`), http.StatusAccepted)

	if r := bob.call(http.MethodDelete, base, ""); r.status != http.StatusNoContent {
		t.Fatalf("delete: status %d, %s", r.status, r.body)
	}
	if code := sock.closed(); code != 4502 {
		t.Errorf("who follows it is closed with %d", code)
	}
	list.until(with(`"chat_removed"`, string(id)))
	for _, path := range []string{"", "/events", "/prompts", "/rules", "/stream", "/blobs/" + strings.Repeat("0", 64)} {
		if r := ann.call(http.MethodGet, base+path, ""); r.status != http.StatusNotFound {
			t.Errorf("GET %s of a deleted chat: status %d", path, r.status)
		}
	}
	for _, path := range []string{"/messages", "/rewind", "/restore", "/fork", "/cancel"} {
		if r := ann.call(http.MethodPost, base+path, `{"text":"x"}`); r.status == http.StatusOK || r.status == http.StatusAccepted {
			t.Errorf("POST %s to a deleted chat: status %d", path, r.status)
		}
	}
	trash := read[contract.ChatList](t, bob.call(http.MethodGet, "/api/trash", ""), http.StatusOK)
	if len(trash.Chats) != 1 || trash.Chats[0].ID != id || trash.Chats[0].Trashed == nil || trash.Chats[0].Verdict != wire.StatusCancelled {
		t.Errorf("trash = %+v", trash)
	}
	back := read[wire.ChatSummary](t, bob.call(http.MethodPost, fmt.Sprintf("/api/trash/%s/restore", id), ""), http.StatusOK)
	if back.ID != id || back.Trashed != nil || back.Running {
		t.Errorf("taken out of the trash = %+v", back)
	}
	list.until(with(`"type":"chat"`, string(id)))
	if r := ann.call(http.MethodGet, base+"/events", ""); r.status != http.StatusOK {
		t.Errorf("its events: status %d", r.status)
	}

	bob.call(http.MethodDelete, base, "")
	purge := "/api/trash/" + string(id)
	if r := bob.call(http.MethodDelete, purge, ""); r.status != http.StatusForbidden {
		t.Errorf("delete for good what is another's: status %d", r.status)
	}
	if r := ann.call(http.MethodDelete, purge, ""); r.status != http.StatusNoContent {
		t.Errorf("delete for good: status %d, %s", r.status, r.body)
	}
	if r := ann.call(http.MethodDelete, purge, ""); r.status != http.StatusNotFound {
		t.Errorf("delete for good again: status %d", r.status)
	}
	mine := d.chat(bob)
	bob.call(http.MethodDelete, "/api/chats/"+string(mine), "")
	if r := bob.call(http.MethodDelete, "/api/trash/"+string(mine), ""); r.status != http.StatusNoContent {
		t.Errorf("delete for good what is one's own: status %d", r.status)
	}
	if trash := read[contract.ChatList](t, ann.call(http.MethodGet, "/api/trash", ""), http.StatusOK); len(trash.Chats) != 0 || trash.Chats == nil {
		t.Errorf("trash = %+v", trash)
	}
}

// Who may only look changes nothing.
func TestChat_history_viewer(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, vic := d.signIn("ann", access.Admin), d.signIn("vic", access.Viewer)
	id := d.chat(ann)
	base := fmt.Sprintf("/api/chats/%s", id)
	for _, try := range [][2]string{
		{http.MethodPost, base + "/rewind"},
		{http.MethodPost, base + "/restore"},
		{http.MethodPost, base + "/fork"},
		{http.MethodPatch, base},
		{http.MethodDelete, base},
		{http.MethodPost, "/api/trash/" + string(id) + "/restore"},
		{http.MethodDelete, "/api/trash/" + string(id)},
	} {
		if r := vic.call(try[0], try[1], `{"seq":1}`); r.status != http.StatusForbidden {
			t.Errorf("%s %s: status %d", try[0], try[1], r.status)
		}
	}
	if r := vic.call(http.MethodPost, base+"/unread", ""); r.status != http.StatusNoContent {
		t.Errorf("mark as unread: status %d", r.status)
	}
}
