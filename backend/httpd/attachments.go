package httpd

import (
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"signalbox/backend/attachment"
	"signalbox/backend/fault"
)

// uploadLimit is how long a file may take to arrive.
const uploadLimit = 5 * time.Minute

func attachOp() huma.Operation {
	o := op("attach", http.MethodPost, "/api/chats/{id}/attachments", "Upload a file, to be sent with a prompt")
	o.Description = "The body is the file, at most 20 MB. Prompts name it by what is answered. " +
		"Its type is told by its bytes; Content-Type says nothing."
	o.Parameters = []*huma.Param{pathParam("id"), queryParam("name", "The file's name.")}
	o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		blobType: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
	}}
	o.Responses = map[string]*huma.Response{"200": jsonAnswer("The file as it is kept", "Attachment")}
	return o
}

// attach keeps a file of the chat.
func (s *Server) attach(c echo.Context) error {
	chat, err := parseChat(c.Param("id"))
	if err != nil {
		return err
	}
	if _, err := s.deps.Chats.Get(chat); err != nil {
		return err
	}
	log, err := s.deps.Logs.Log(chat)
	if err != nil {
		return err
	}
	r := c.Request()
	if err := http.NewResponseController(c.Response()).SetReadDeadline(time.Now().Add(uploadLimit)); err != nil {
		return fault.New(fault.Internal, "The file cannot be taken.").Because(err)
	}
	kept, err := attachment.Save(log, c.QueryParam("name"), r.Body)
	if fault.CodeOf(err) == fault.TooLarge {
		// Clients hear the answer only once they have sent what they began to.
		_, _ = io.CopyN(io.Discard, r.Body, attachment.MaxBytes)
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, kept)
}
