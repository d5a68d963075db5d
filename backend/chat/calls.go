package chat

import (
	"strings"

	"github.com/tidwall/gjson"

	"signalbox/backend/wire"
)

// Calls returns a function that tells the lines of a log that say what calls of
// the named tools did: the calls and their results, what was asked about any call,
// and how runs began and ended. Case and the marks . _ - of names do not count, as
// vendors write the same name in several ways. Of tools of MCP servers none is told.
func Calls(names []string) func(line []byte) bool {
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[plainName(name)] = true
	}
	return func(line []byte) bool {
		switch wire.Type(TypeOf(line)) {
		case wire.TypeToolUseStart:
			of := gjson.GetManyBytes(line, "name", "server")
			return known[plainName(of[0].Str)] && of[1].Str == ""
		case wire.TypeToolUseEnd:
			// A result need not say whose it is.
			name := gjson.GetBytes(line, "name").Str
			return name == "" || known[plainName(name)]
		case wire.TypeApproval, wire.TypeApprovalAnswered, wire.TypeRunStarted, wire.TypeComplete:
			return true
		default:
			return false
		}
	}
}

var marks = strings.NewReplacer(".", "", "_", "", "-", "")

func plainName(name string) string { return marks.Replace(strings.ToLower(name)) }
