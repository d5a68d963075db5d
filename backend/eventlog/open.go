package eventlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"

	"github.com/tidwall/gjson"

	"signalbox/backend/wire"
)

// openBytes is how far back the starts of a page's items are looked for. They
// are in the same run, so a prompt ends the search.
const openBytes = 16 << 20

// ids are what an event belongs to.
type ids struct{ item, tool, parent string }

func idsOf(raw []byte) ids {
	return ids{
		item:   fieldOf(raw, `"item"`, "item"),
		tool:   fieldOf(raw, `"toolId"`, "toolId"),
		parent: fieldOf(raw, `"parentToolId"`, "parentToolId"),
	}
}

// fieldOf returns a string of the event. Most events have few of the fields that
// are asked for, and to look for the name costs less than to read the event.
func fieldOf(raw []byte, quoted, name string) string {
	if !bytes.Contains(raw, []byte(quoted)) {
		return ""
	}
	return gjson.GetBytes(raw, name).String()
}

// border returns the index of the first line that does not go on with the item
// of the line before. If the first half has none the page begins inside an item,
// since half a page is better than the rest of a long one: 0.
func border(lines []line) int {
	prev := idsOf(lines[0].raw).item
	skipped := len(lines[0].raw)
	for i, ln := range lines[1:] {
		item := ""
		if ln.typ == wire.TypeAssistantText || ln.typ == wire.TypeThinking {
			item = idsOf(ln.raw).item
		}
		if item == "" || item != prev {
			return i + 1
		}
		if skipped += len(ln.raw); skipped > pageBytes/2 {
			return 0
		}
	}
	return 0
}

// openAt returns the lines before a page that start what its events belong to:
// of tools the call, of blocks the first piece.
func (v *view) openAt(f io.ReaderAt, page []line) ([]json.RawMessage, error) {
	blocks, tools := wanted(page)
	var starts []line
	firsts := map[string]line{} // the earliest piece so far, by agent
	seen := 0
	for ln, err := range v.back(f, page[0].off, page[0].before()) {
		if err != nil {
			return nil, err
		}
		if seen += len(ln.raw); seen > openBytes || ln.typ == wire.TypeUser || len(blocks)+len(tools) == 0 {
			break
		}
		if !startsBlock(ln.typ) {
			continue
		}
		id := idsOf(ln.raw)
		if item, ok := blocks[id.parent]; ok {
			if item == id.item {
				firsts[id.parent] = ln
			} else {
				delete(blocks, id.parent)
			}
		}
		if ln.typ == wire.TypeToolUseStart && tools[id.tool] {
			delete(tools, id.tool)
			starts = append(starts, ln)
			if id.parent != "" {
				tools[id.parent] = true
			}
		}
	}
	for _, ln := range firsts {
		starts = append(starts, ln)
	}
	slices.SortFunc(starts, func(a, b line) int { return cmp.Compare(a.seq, b.seq) })
	var open []json.RawMessage
	for _, ln := range starts {
		open = append(open, ln.raw)
	}
	return open, nil
}

// startsBlock reports whether events of the type begin or go on with a block. An
// agent, be it the chat's or a subagent, writes one block at a time.
func startsBlock(t wire.Type) bool {
	return t == wire.TypeAssistantText || t == wire.TypeThinking || t == wire.TypeToolUseStart
}

// wanted returns what a page's events belong to and may have started before it:
// by agent, the block that the page begins with, and the tools.
func wanted(page []line) (blocks map[string]string, tools map[string]bool) {
	blocks, tools = map[string]string{}, map[string]bool{}
	started, agents := map[string]bool{}, map[string]bool{}
	for _, ln := range page {
		id := idsOf(ln.raw)
		if startsBlock(ln.typ) && !agents[id.parent] {
			agents[id.parent] = true
			if id.item != "" {
				blocks[id.parent] = id.item
			}
		}
		if ln.typ == wire.TypeToolUseStart {
			started[id.tool] = true
		} else if id.tool != "" && !started[id.tool] {
			tools[id.tool] = true
		}
		if id.parent != "" && !started[id.parent] {
			tools[id.parent] = true
		}
	}
	return blocks, tools
}
