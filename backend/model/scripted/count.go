package scripted

import (
	"crypto/sha256"
	"unicode/utf8"
)

// charsPerToken is the usual rule of thumb. What matters is that it is counted.
const charsPerToken = 4

// Count is the size of a request in tokens.
type Count struct {
	Prefix int64 // instructions and tools, which a vendor caches
	Rest   int64
	// prefix tells one prefix from another.
	prefix [sha256.Size]byte
}

// Usage is what the server told an agent that an answer cost, in tokens.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
}

// Add returns the sum of u and v.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:      u.Input + v.Input,
		Output:     u.Output + v.Output,
		CacheRead:  u.CacheRead + v.CacheRead,
		CacheWrite: u.CacheWrite + v.CacheWrite,
	}
}

func newCount(prefix, rest string) Count {
	return Count{Prefix: tokens(prefix), Rest: tokens(rest), prefix: sha256.Sum256([]byte(prefix))}
}

// total is the whole request.
func (c Count) total() int64 { return c.Prefix + c.Rest }

// tokens counts the tokens of s.
func tokens(s string) int64 {
	return int64((utf8.RuneCountInString(s) + charsPerToken - 1) / charsPerToken)
}

// outputTokens counts what a step says.
func outputTokens(blocks []Block) int64 {
	var n int64
	for _, b := range blocks {
		n += tokens(blockText(b))
	}
	return n
}

// blockText is what of a block streams.
func blockText(b Block) string {
	switch b := b.(type) {
	case Text:
		return string(b)
	case Thinking:
		return string(b)
	case Call:
		return string(b.Input)
	default:
		return ""
	}
}
