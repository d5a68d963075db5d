package transfer

import (
	"bufio"
	"fmt"
	"html"
	"io"

	"signalbox/backend/eventlog"
)

// page is the beginning of an HTML export: one file, without scripts, that asks
// nothing of anybody. The policy holds also where the file is opened from a disk.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>%[1]s</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; }
h2 { font-size: 1rem; margin: 2.5rem 0 .5rem; border-top: 1px solid #8886; padding-top: 1rem; }
time, .quiet { color: GrayText; font-weight: normal; font-size: .875rem; }
.text, pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.thinking { color: GrayText; border-left: 3px solid #8886; padding-left: .75rem; }
pre { font: 13px/1.45 ui-monospace, monospace; background: #8881; padding: .5rem .75rem; border-radius: 6px; }
summary { cursor: pointer; font-weight: 600; }
.sub { margin-left: 1.5rem; }
.error { border-left: 3px solid #c33; padding-left: .75rem; }
@media print {
  body { max-width: none; margin: 0; font-size: 11pt; }
  h2 { break-after: avoid; }
  details > * { display: block; }
  details::details-content { content-visibility: visible; height: auto; }
  pre { background: none; border: 1px solid #bbb; }
}
</style>
</head>
<body>
<main>
<h1>%[1]s</h1>
<p class="quiet">Exported on %[2]s</p>
`

// HTML writes a chat for people to read, as one file that needs nothing else. All
// that people, agents and tools said is text in it.
func HTML(w io.Writer, about About, log *eventlog.Log) error {
	out := bufio.NewWriter(w)
	esc := html.EscapeString
	fmt.Fprintf(out, page, esc(about.title()), esc(about.At.In(about.Zone).Format("2006-01-02 15:04 MST")))
	err := read(log, func(b block) error {
		sub := ""
		if b.sub {
			sub = " sub"
		}
		switch b.kind {
		case kindPrompt:
			at := b.at.In(about.Zone)
			fmt.Fprintf(out, "<h2>%s <time datetime=%q>%s</time></h2>\n<div class=\"text\">%s</div>\n",
				esc(b.who), b.at.String(), esc(at.Format("2006-01-02 15:04")), esc(b.text))
		case kindText:
			fmt.Fprintf(out, "<div class=\"text%s\"><p>%s</p></div>\n", sub, esc(b.text))
		case kindThinking:
			fmt.Fprintf(out, "<details class=\"%s\"><summary class=\"quiet\">Thinking</summary><div class=\"text thinking\">%s</div></details>\n", sub, esc(b.text))
		case kindTool:
			fmt.Fprintf(out, "<details class=\"%s\" open><summary>%s%s</summary>\n", sub, esc(b.who), esc(outcome(b)))
			for _, text := range []string{b.input, b.text} {
				if text != "" {
					fmt.Fprintf(out, "<pre>%s</pre>\n", esc(text))
				}
			}
			fmt.Fprint(out, "</details>\n")
		case kindNotice:
			fmt.Fprintf(out, "<p class=\"quiet\">%s</p>\n", esc(b.text))
		case kindError:
			fmt.Fprintf(out, "<p class=\"error\" role=\"note\">%s</p>\n", esc(b.text))
		case kindVerdict:
			fmt.Fprintf(out, "<p><strong>The run ended: %s</strong></p>\n", esc(b.text))
		}
		return out.Flush()
	})
	if err != nil {
		return err
	}
	fmt.Fprint(out, "</main>\n</body>\n</html>\n")
	return out.Flush()
}
