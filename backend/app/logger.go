package app

import (
	"log/slog"
	"os"
	"time"

	"github.com/lmittmann/tint"
	"golang.org/x/sys/unix"
)

// NewLogger returns a logger to f: coloured lines on a terminal, JSON lines
// elsewhere.
func NewLogger(f *os.File, level slog.Level) *slog.Logger {
	if isTerminal(f) {
		return slog.New(tint.NewTextHandler(f, &tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: os.Getenv("NO_COLOR") != ""}))
	}
	return slog.New(slog.NewJSONHandler(f, &slog.HandlerOptions{Level: level}))
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}
