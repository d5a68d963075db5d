// Package fake stands in for a vendor's CLI in tests: a program that plays a
// capture back byte for byte, or prints lines of its own, with faults. A capture
// of JSON-RPC is played by a [Replay]; what is made up is as Claude Code prints
// it.
//
// What it does is told by one [Script] in its environment; the flags of the CLI
// that it is started with are recorded and otherwise ignored. It is the program
// cmd/fakeagent, and any test binary whose TestMain calls [Main]. It owns its
// process: it writes to stdout from one goroutine, reads stdin with another and
// ends with the process.
package fake

import (
	"encoding/json"
	"fmt"
	"os"
)

// The variables that hold the script: itself as JSON, or the name of a file
// with it.
const (
	Variable     = "FAKEAGENT"
	FileVariable = "FAKEAGENT_FILE"
)

// Script says what the program does. Its parts are taken in this order: the
// grandchild, stderr, the lines before, then one of Capture, Text, LineBytes and
// Lines, each after the prompt has come in. The zero Script answers a prompt
// with one short text.
type Script struct {
	// Capture is a capture's path without its extension. Its .seq tells what
	// waits for what; Timed keeps its pauses too.
	Capture string `json:"capture,omitempty"`
	Timed   bool   `json:"timed,omitempty"`

	// Text is the whole answer, in one line. At each offset of SplitText into
	// it the write is cut and waits as for Split.
	Text      string `json:"text,omitempty"`
	SplitText []int  `json:"splitText,omitempty"`
	// LineBytes prints one line whose text has so many bytes, then a short one.
	LineBytes int `json:"lineBytes,omitempty"`
	// Lines is how many lines are made up, a mix as the CLI prints it. Rate is
	// lines in a second, 0 as fast as they go. Stamp puts the time of writing,
	// "@", nanoseconds and a space, before each piece of text and each command.
	Lines int     `json:"lines,omitempty"`
	Rate  float64 `json:"rate,omitempty"`
	Stamp bool    `json:"stamp,omitempty"`

	// Replace changes what is printed of a capture: each first text of a pair
	// becomes the second.
	Replace [][2]string `json:"replace,omitempty"`
	// Refuse answers requests of the client by their methods, in a capture of
	// JSON-RPC, with an error that is given as JSON.
	Refuse map[string]json.RawMessage `json:"refuse,omitempty"`
	// Before is printed as it is, a line each, before all else.
	Before []string `json:"before,omitempty"`
	// StopAfter ends the output after so many bytes, also in mid-line; Then is
	// what follows: "exit" (default), "hang" or "kill" (itself).
	StopAfter int64  `json:"stopAfter,omitempty"`
	Then      string `json:"then,omitempty"`
	// Split cuts the output at these offsets. Each cut waits for a byte from
	// the named pipe Gate, or for PauseMS.
	Split   []int64 `json:"split,omitempty"`
	Gate    string  `json:"gate,omitempty"`
	PauseMS int     `json:"pauseMs,omitempty"`
	CRLF    bool    `json:"crlf,omitempty"` // lines end as on a terminal

	Exit        *int   `json:"exit,omitempty"`        // instead of what fits
	ExitEarly   bool   `json:"exitEarly,omitempty"`   // at once, without reading or printing
	Silent      bool   `json:"silent,omitempty"`      // prints nothing, not even answers, and does not end
	StderrBytes int    `json:"stderrBytes,omitempty"` // written in lines before the output
	Stderr      string `json:"stderr,omitempty"`      // the same, as it is
	Deaf        bool   `json:"deaf,omitempty"`        // never reads stdin and waits for nothing there

	IgnoreInterrupt bool `json:"ignoreInterrupt,omitempty"` // of the protocol
	IgnoreEOF       bool `json:"ignoreEof,omitempty"`       // hangs after its work
	IgnoreSignals   bool `json:"ignoreSignals,omitempty"`   // SIGINT and SIGTERM

	// Grandchild starts a process that ignores every signal it can and holds
	// stdout open, in the same "group" or in a "session" of its own. Its id is
	// written to PIDFile.
	Grandchild string `json:"grandchild,omitempty"`
	PIDFile    string `json:"pidFile,omitempty"`

	// Record is a file to which a line is added for the command line, the
	// environment and each line from stdin: see [Record].
	Record string `json:"record,omitempty"`
	// Version is what --version prints; default that of the captures.
	Version string `json:"version,omitempty"`
	// ResumeCapture is played instead of Capture where --resume is given, or the
	// client resumes its session.
	ResumeCapture string `json:"resumeCapture,omitempty"`
}

// Record is a line of the file that [Script.Record] names; one field is set.
type Record struct {
	Argv  []string `json:"argv,omitempty"`
	Env   []string `json:"env,omitempty"`
	Stdin string   `json:"stdin,omitempty"`
	EOF   bool     `json:"eof,omitempty"`
}

// Env returns the variable that makes a process play s.
func (s Script) Env() map[string]string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("encode script: %v", err)) // it holds plain values
	}
	return map[string]string{Variable: string(b)}
}

// Wanted reports whether this process was started to play a script.
func Wanted() bool {
	return os.Getenv(Variable) != "" || os.Getenv(FileVariable) != ""
}

// load reads the script from the environment.
func load() (Script, error) {
	var s Script
	b := []byte(os.Getenv(Variable))
	if file := os.Getenv(FileVariable); len(b) == 0 && file != "" {
		var err error
		if b, err = os.ReadFile(file); err != nil {
			return s, fmt.Errorf("read script: %w", err)
		}
	}
	if len(b) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("read script: %w", err)
	}
	return s, nil
}
