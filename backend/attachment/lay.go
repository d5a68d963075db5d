package attachment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// maxImage is the largest picture that vendors take.
const maxImage = 5 << 20

// images are the types of pictures that all agents can be shown.
var images = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// File is an attachment where an agent finds it.
type File struct {
	wire.Attachment
	Path string // absolute
}

// IsImage reports whether agents can be shown the file as a picture.
func (f File) IsImage() bool { return images[f.Media] && f.Bytes <= maxImage }

// Lay puts the files of a prompt into the folder dir, each in a folder of its
// own that is named by its hash. What lies there already from an earlier prompt
// is put there anew: an agent may have changed it.
func Lay(in Bodies, dir string, list []wire.Attachment) (_ []File, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fault.Disk("create folder of attachments", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.Disk("open folder of attachments", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	var files []File
	for _, a := range list {
		name := filepath.Join(a.SHA256[:min(len(a.SHA256), 12)], Clean(a.Name))
		if err := lay(in, root, name, a); err != nil {
			return nil, err
		}
		files = append(files, File{a, filepath.Join(dir, name)})
	}
	return files, nil
}

func lay(in Bodies, root *os.Root, name string, a wire.Attachment) (err error) {
	body, err := open(in, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	if err := root.Mkdir(filepath.Dir(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fault.Disk("create folder of attachment", err)
	}
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Disk("replace attachment", err)
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fault.Disk("create attachment", err)
	}
	_, err = io.Copy(f, body)
	return fault.Disk("write attachment", errors.Join(err, f.Close()))
}

// Images returns the pictures among files.
func Images(files []File) []agent.Image {
	var list []agent.Image
	for _, f := range files {
		if f.IsImage() {
			list = append(list, agent.Image{Path: f.Path, Media: f.Media})
		}
	}
	return list
}

// Words names files to an agent, to stand below the prompt; "" for none. shown
// says that the agent is shown the pictures among them, too.
func Words(files []File, shown bool) string {
	if len(files) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Files that belong to this message:")
	for _, f := range files {
		fmt.Fprintf(&b, "\n- %s (%s, %d bytes", f.Path, f.Media, f.Bytes)
		if shown && f.IsImage() {
			b.WriteString(", shown here too")
		}
		b.WriteString(")")
	}
	return b.String()
}
