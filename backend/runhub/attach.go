package runhub

import (
	"path/filepath"

	"signalbox/backend/agent"
	"signalbox/backend/attachment"
	"signalbox/backend/wire"
)

// filesName is the folder of a chat in which its agents find attachments.
const filesName = "files"

// attach puts the prompt's files where the agent finds them and names them to it
// below whatever it is given; pictures it is shown, where it can be.
func (r *run) attach(req *agent.Request, sent []wire.Attachment) error {
	dir := filepath.Join(r.hub.logs.Dir(r.room.id), filesName)
	files, err := attachment.Lay(r.room.log, dir, sent)
	if err != nil || len(files) == 0 {
		return err
	}
	shown := r.provider.Info().Images
	if shown {
		req.Images = attachment.Images(files)
	}
	words := "\n\n" + attachment.Words(files, shown)
	req.Text += words
	if req.Fresh != "" {
		req.Fresh += words
	}
	return nil
}
