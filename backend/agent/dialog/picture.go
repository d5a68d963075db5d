package dialog

import (
	"errors"
	"fmt"
	"io"
	"os"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// maxPictures bounds the bytes of all pictures of a prompt: they go to an agent
// in one line, a third longer.
const maxPictures = 32 << 20

// Picture is a picture as it goes into a line: JSON makes base64 of its data.
type Picture struct {
	Media string
	Data  []byte
}

// Pictures reads the images of a prompt.
func Pictures(images []agent.Image) ([]Picture, error) {
	var list []Picture
	left := int64(maxPictures)
	for _, image := range images {
		data, err := readPicture(image.Path, left)
		if err != nil {
			return nil, err
		}
		left -= int64(len(data))
		list = append(list, Picture{image.Media, data})
	}
	return list, nil
}

func readPicture(path string, limit int64) (_ []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open picture: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("read picture: those of one prompt have more than %d MB", maxPictures>>20)
	}
	return data, err
}

// PictureError is the error of a prompt whose pictures cannot be given.
func (p Program) PictureError(err error) wire.Error {
	return wire.Error{
		Code: CodeAttachment, Message: "The prompt was not given to " + p.Name + ": a picture that belongs to it could not be read (" + Clip(err.Error()) + ").",
		Hint: "Attach the picture again, or send the prompt without it.",
	}
}
