package demo

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxFile bounds a file that the agent reads back: it wrote it itself, but
// somebody may have changed it since.
const maxFile = 256 << 10

// folder is the chat's folder. Nothing outside it can be reached, also not by a
// link that lies in it.
type folder struct {
	root *os.Root
	path string
}

func openFolder(path string) (*folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open the chat's folder: %w", err)
	}
	return &folder{root: root, path: path}, nil
}

func (f *folder) close() error { return f.root.Close() }

// abs is the path of a file as it is shown and asked for.
func (f *folder) abs(name string) string { return filepath.Join(f.path, name) }

// read returns a file's text, and "" with fs.ErrNotExist if there is none.
func (f *folder) read(name string) (string, error) {
	file, err := f.root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file", name)
	}
	b, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", err
	}
	if len(b) > maxFile {
		return "", fmt.Errorf("%s has more than %d bytes", name, maxFile)
	}
	return string(b), nil
}

// write replaces a file whole: a reader sees the old text or the new. A link
// with the name is replaced, not followed.
func (f *folder) write(name, text string) error {
	suffix := make([]byte, 4)
	rand.Read(suffix) // never fails
	draft := "." + name + "." + hex.EncodeToString(suffix)
	if err := f.writeNew(draft, text); err != nil {
		return errors.Join(err, f.remove(draft))
	}
	if err := f.root.Rename(draft, name); err != nil {
		return errors.Join(err, f.remove(draft))
	}
	return nil
}

func (f *folder) writeNew(name, text string) error {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

func (f *folder) remove(name string) error {
	if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
