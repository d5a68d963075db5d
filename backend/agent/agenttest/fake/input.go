package fake

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"sync"

	"github.com/tidwall/gjson"
)

// message is a line from stdin.
type message struct {
	kind string // "user", "control_response", "control_request/interrupt", ...
	id   string // of a control request
	text string // of a user line
	line []byte // as it came, without its end
}

func parse(line []byte) message {
	root := gjson.ParseBytes(line)
	m := message{kind: root.Get("type").Str, id: root.Get("request_id").Str, line: bytes.TrimSpace(line)}
	if m.kind == "control_request" {
		m.kind += "/" + root.Get("request.subtype").Str
	}
	if m.kind == "user" {
		m.text = root.Get("message.content.0.text").Str
	}
	return m
}

// input reads stdin in a goroutine of its own, which ends with stdin or with
// the process. It holds every line until it is asked for: a fake is not what is
// tested for its memory.
type input struct {
	mu sync.Mutex

	queue []message
	eof   bool
	come  chan struct{} // one slot: something was queued
}

func readInput(rec *recorder) *input {
	in := &input{come: make(chan struct{}, 1)}
	go func() {
		r := bufio.NewReaderSize(os.Stdin, 64<<10)
		for {
			line, err := r.ReadBytes('\n')
			if len(line) > 0 {
				rec.add(Record{Stdin: string(line)})
				in.put(parse(line))
			}
			if err != nil {
				rec.add(Record{EOF: true})
				in.close()
				return
			}
		}
	}()
	return in
}

func (in *input) put(m message) {
	in.mu.Lock()
	in.queue = append(in.queue, m)
	in.mu.Unlock()
	in.wake()
}

func (in *input) close() {
	in.mu.Lock()
	in.eof = true
	in.mu.Unlock()
	in.wake()
}

func (in *input) wake() {
	select {
	case in.come <- struct{}{}:
	default:
	}
}

// next returns the next line; false after the last.
func (in *input) next() (message, bool) {
	for {
		in.mu.Lock()
		if len(in.queue) > 0 {
			m := in.queue[0]
			in.queue = in.queue[1:]
			in.mu.Unlock()
			return m, true
		}
		eof := in.eof
		in.mu.Unlock()
		if eof {
			return message{}, false
		}
		<-in.come
	}
}

// recorder writes what the process was given to a file.
type recorder struct {
	mu sync.Mutex

	f *os.File // nil records nothing
}

func (r *recorder) add(rec Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.f == nil {
		return
	}
	b, err := json.Marshal(rec)
	if err != nil {
		die(err)
	}
	if _, err := r.f.Write(append(b, '\n')); err != nil {
		die(err)
	}
}
