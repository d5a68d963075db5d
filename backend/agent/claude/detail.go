package claude

import (
	"encoding/json"
	"strings"
)

// longDetail is how long a text must be to be left out where the event has it
// already.
const longDetail = 256

// blanks are what JSON may have between its parts.
const blanks = " \t\r\n"

// detailOf returns the detail of a tool's result, both in JSON as they came, less a
// stream of a command that is the output letter for letter: the log, and all that is
// sent of it, would be twice as long.
func detailOf(detail, output string) json.RawMessage {
	before, rest, found := strings.Cut(detail, `"stdout":`)
	after, same := strings.CutPrefix(rest, output)
	text := strings.HasPrefix(output, `"`) && len(output) >= longDetail
	// Behind a backslash it is the end of another name.
	if !found || !same || !text || strings.HasSuffix(before, `\`) {
		return json.RawMessage(detail)
	}
	// A comma stands behind the field, or before it if it is the last.
	after, more := strings.CutPrefix(strings.TrimLeft(after, blanks), ",")
	if !more {
		before = strings.TrimRight(before, ","+blanks)
	}
	return json.RawMessage(before + after)
}
