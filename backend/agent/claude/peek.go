package claude

import "github.com/tidwall/gjson"

// header is what decides how a line is read.
type header struct {
	Type, Subtype, Parent string
}

// peek reads the header without decoding the rest, which is read once, as what
// it then is. Of bytes that are no JSON it returns something: the decoding finds
// that out.
func peek(b []byte) header {
	var h header
	gjson.ParseBytes(b).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "type":
			h.Type = value.Str
		case "subtype":
			h.Subtype = value.Str
		case "parent_tool_use_id":
			h.Parent = value.Str
		}
		return true
	})
	return h
}
