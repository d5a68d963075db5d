// Package attachment keeps the files that people send with prompts: from the
// upload, through the prompt that names them, to the place where an agent finds
// them.
//
// The bytes lie beside the chat's log, by their hash; what a prompt says of a
// file is taken from the bytes, not from who sent it. For an agent each file is
// copied into a folder of the chat under its own name: an agent may write to
// what it is given, and a body beside the log never changes.
//
// The functions hold no state and may be called from many goroutines.
package attachment

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

const (
	// MaxBytes is the size of the largest file.
	MaxBytes = 20 << 20
	// MaxFiles is how many files a prompt may have.
	MaxFiles = 20
	// maxName bounds a name: file systems take 255 bytes.
	maxName = 120
	// sniffed is how much of a file its type is told by.
	sniffed = 512
)

// Bodies is where the bytes lie. *eventlog.Log is one.
type Bodies interface {
	NewBlob() (*eventlog.BlobWriter, error)
	OpenBlob(sum string) (io.ReadSeekCloser, error)
}

// Save keeps a file that is uploaded. It is durable with the next sync of the
// log. A file that is empty or too large is a fault, and nothing is kept of it.
func Save(to Bodies, name string, body io.Reader) (_ wire.Attachment, err error) {
	blob, err := to.NewBlob()
	if err != nil {
		return wire.Attachment{}, err
	}
	defer func() { err = errors.Join(err, blob.Abort()) }() // which does nothing after Commit
	head := make([]byte, sniffed)
	n, err := io.ReadFull(body, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return wire.Attachment{}, brokenOff(err)
	}
	if n == 0 {
		return wire.Attachment{}, fault.New(fault.Invalid, "The file is empty.").WithHint("Choose another file.")
	}
	rest := &reader{r: io.LimitReader(io.MultiReader(bytes.NewReader(head[:n]), body), MaxBytes+1)}
	size, err := io.Copy(blob, rest)
	switch {
	case rest.err != nil:
		return wire.Attachment{}, brokenOff(rest.err)
	case err != nil:
		return wire.Attachment{}, err
	case size > MaxBytes:
		return wire.Attachment{}, TooLarge()
	}
	ref, err := blob.Commit()
	if err != nil {
		return wire.Attachment{}, err
	}
	return wire.Attachment{Name: Clean(name), Media: sniff(head[:n]), SHA256: ref.SHA256, Bytes: ref.Bytes}, nil
}

// TooLarge is the fault of a file over [MaxBytes].
func TooLarge() error {
	return fault.New(fault.TooLarge, "The file is over %d MB.", MaxBytes>>20).
		WithHint("Put it into the chat's folder and name it in the prompt.")
}

func brokenOff(err error) error {
	return fault.New(fault.Invalid, "The file did not arrive whole.").WithHint("Attach it again.").Because(err)
}

// reader tells its own error from that of who writes what it read.
type reader struct {
	r   io.Reader
	err error
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// Check returns the files of a prompt as the bytes beside the log have them: of
// what was sent only the hashes and the names count. An unknown hash, too many
// files or the same file twice is a fault invalid.
func Check(in Bodies, list []wire.Attachment) ([]wire.Attachment, error) {
	if len(list) > MaxFiles {
		return nil, fault.New(fault.Invalid, "A prompt may have %d files, and this one has %d.", MaxFiles, len(list)).
			WithHint("Put them into the chat's folder and name the folder in the prompt.")
	}
	var checked []wire.Attachment
	seen := map[[2]string]bool{}
	for _, a := range list {
		a.Name = Clean(a.Name)
		if key := [2]string{a.SHA256, a.Name}; seen[key] {
			return nil, fault.New(fault.Invalid, "The file %s is attached twice.", a.Name).WithHint("Take one of the two out.")
		} else {
			seen[key] = true
		}
		if err := describe(in, &a); err != nil {
			return nil, err
		}
		checked = append(checked, a)
	}
	return checked, nil
}

// describe takes the size and the type of a file from its bytes.
func describe(in Bodies, a *wire.Attachment) (err error) {
	body, err := open(in, *a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	head := make([]byte, sniffed)
	n, err := io.ReadFull(body, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return fault.Disk("read attachment", err)
	}
	a.Media = sniff(head[:n])
	a.Bytes, err = body.Seek(0, io.SeekEnd)
	return fault.Disk("measure attachment", err)
}

// open opens a file's bytes; one that is not there is a fault invalid that names it.
func open(in Bodies, a wire.Attachment) (io.ReadSeekCloser, error) {
	body, err := in.OpenBlob(a.SHA256)
	if f, ok := errors.AsType[*fault.Error](err); ok && (f.Code == fault.NotFound || f.Code == fault.Invalid) {
		return nil, fault.New(fault.Invalid, "The file %s is not in this chat.", Clean(a.Name)).
			WithHint("Attach it again, or send the prompt without it.").Because(err)
	}
	return body, err
}

// sniff tells a file's type by its first bytes.
func sniff(head []byte) string {
	media, _, err := mime.ParseMediaType(http.DetectContentType(head))
	if err != nil {
		return "application/octet-stream"
	}
	return media
}

// Clean makes a name of a file that is safe in every folder and honest to look
// at: the last part of a path, without control characters, marks that turn the
// direction of writing and dots at its beginning, cut in the middle of the name
// rather than of its extension.
func Clean(name string) string {
	name = strings.ToValidUTF8(name, "")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError, strings.ContainsRune(`<>:"|?*`, r):
			return -1
		default:
			return r
		}
	}, name)
	name = strings.Trim(strings.TrimLeft(name, ". "), " .")
	if name == "" {
		return "file"
	}
	if len(name) <= maxName {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > maxName/4 {
		ext = ""
	}
	return strings.ToValidUTF8(name[:maxName-len(ext)], "") + ext
}
