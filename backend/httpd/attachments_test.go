package httpd_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"signalbox/backend/access"
	"signalbox/backend/attachment"
	"signalbox/backend/wire"
)

// A file is uploaded, then named by a prompt; what it is is told by its bytes.
func TestREST_attachment(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := "/api/chats/" + string(d.chat(ann))
	r := ann.call(http.MethodPost, chat+"/attachments?name=..%2Fnotes%20%C3%A9.txt", "some notes")
	var got wire.Attachment
	if err := json.Unmarshal(r.body, &got); err != nil || r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if got.Name != "notes é.txt" || got.Media != "text/plain" || got.Bytes != 10 {
		t.Errorf("kept %+v", got)
	}
	body, err := json.Marshal(map[string]any{"text": "say 1", "attachments": []wire.Attachment{got}})
	if err != nil {
		t.Fatal(err)
	}
	if r := ann.call(http.MethodPost, chat+"/messages", string(body)); r.status != http.StatusAccepted {
		t.Errorf("prompt: %d %s", r.status, r.body)
	}
	if r := ann.call(http.MethodGet, chat+"/blobs/"+got.SHA256, ""); string(r.body) != "some notes" {
		t.Errorf("its bytes: %d %q", r.status, r.body)
	}
	unknown := strings.Replace(string(body), got.SHA256, strings.Repeat("0", 64), 1)
	if r := ann.call(http.MethodPost, chat+"/messages", unknown); r.status != http.StatusBadRequest || !bytes.Contains(r.body, []byte("notes é.txt")) {
		t.Errorf("an unknown hash: %d %s", r.status, r.body)
	}
}

func TestREST_attachmentRefused(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := "/api/chats/" + string(d.chat(ann))
	for name, tt := range map[string]struct {
		path, body string
		status     int
	}{
		"empty":     {chat + "/attachments?name=a", "", http.StatusBadRequest},
		"too large": {chat + "/attachments?name=a", strings.Repeat("x", attachment.MaxBytes+1), http.StatusRequestEntityTooLarge},
		"no chat":   {"/api/chats/c_01M8PCT4V00123456789ABCDEF/attachments", "x", http.StatusNotFound},
	} {
		if r := ann.call(http.MethodPost, tt.path, tt.body); r.status != tt.status {
			t.Errorf("%s: %d %s, want %d", name, r.status, r.body, tt.status)
		}
	}
}
