package fake

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Replay plays a capture of JSON-RPC back to a client that need not write what
// the captured one wrote: it answers what that one did not ask, leaves out what
// this one does not, and gives the answers the numbers that this one uses.
type Replay struct {
	Base string // the capture's path without its extension
	// Resumed is played instead, from its request to resume on, when the client
	// resumes a session and Base begins one.
	Resumed string
	// Next returns the client's next line; false when there are no more.
	Next func() ([]byte, bool)
	Say  func(line []byte) error
	// Interrupted, if set, is called before an interrupt of the capture is
	// waited for.
	Interrupted     func()
	IgnoreInterrupt bool
	Timed           bool
	// Refuse holds errors for requests, by their methods.
	Refuse map[string]json.RawMessage
	// Home, if set, is a folder in which the CLI's own record of the turns is
	// kept as Kimi Code keeps it; a capture notes its ends of turns.
	Home string

	in, out [][]byte
	ids     map[string]string // the client's numbers, by the captured ones
	asked   map[string]bool   // the requests that were put to the client
	pushed  []byte            // a line of the client that was not used
	turn    struct {
		open                        bool
		thread, id, prompt, session string
	}
	ends  []string // the noted ends of turns that were not recorded yet
	turns int
}

// errSwitched says that the client resumes and another capture is to be played.
var errSwitched = errors.New("a session is resumed")

// IsRPC reports whether a capture is one of JSON-RPC.
func IsRPC(base string) bool {
	in, err := lines(base + ".stdin.jsonl")
	return err == nil && len(in) > 0 && gjson.GetBytes(in[0], "method").Exists()
}

// Play plays the capture and returns the exit code; -1 is a kill. It returns
// when the client has closed its side, unless the capture ended by itself.
func (r *Replay) Play() (int, error) {
	r.ids, r.asked = map[string]string{}, map[string]bool{}
	err := r.play(r.Base, false)
	base := r.Base
	if errors.Is(err, errSwitched) {
		base = r.Resumed
		err = r.play(base, true)
	}
	code, why := exitOf(base + ".exit")
	if err == nil && why == byItself && !r.turn.open { // in the middle of a turn the CLI ended first
		err = r.await("", nil)
	}
	if errors.Is(err, errEOF) {
		err = nil
	}
	return code, err
}

// play plays one capture; from its request to resume on where resumed is set.
func (r *Replay) play(base string, resumed bool) error {
	var err error
	if r.out, err = lines(base + ".jsonl"); err != nil {
		return err
	}
	if r.in, err = lines(base + ".stdin.jsonl"); err != nil {
		return err
	}
	steps, err := order(base+".seq", len(r.in), len(r.out))
	if err != nil {
		return err
	}
	r.ends = nil
	if notes, err := lines(base + ".cmd"); err == nil {
		for _, note := range notes {
			if end, ok := strings.CutPrefix(string(note), "# wire.jsonl: "); ok && gjson.Get(end, "type").Str == "turn.ended" {
				r.ends = append(r.ends, end)
			}
		}
	}
	start := time.Now()
	for _, s := range steps {
		if resumed {
			if !s.in || !slices.ContainsFunc(r.in[s.from-1:s.to], resumes) {
				continue
			}
			for !resumes(r.in[s.from-1]) {
				s.from++
			}
			resumed = false
		}
		if s.in {
			for i := s.from - 1; i < s.to; i++ {
				if err := r.expect(i); err != nil {
					return err
				}
			}
			continue
		}
		if r.Timed {
			time.Sleep(time.Until(start.Add(time.Duration(s.at * float64(time.Second)))))
		}
		for _, line := range r.out[s.from-1 : s.to] {
			if err := r.say(line); err != nil {
				return err
			}
		}
	}
	return nil
}

func resumes(line []byte) bool {
	switch gjson.GetBytes(line, "method").Str {
	case "thread/resume", "thread/fork", "session/resume", "session/load", "session/fork":
		return true
	}
	return false
}

func begins(method string) bool { return method == "thread/start" || method == "session/new" }

func interrupts(method string) bool { return method == "turn/interrupt" || method == "session/cancel" }

// expect waits for the captured line i of the client.
func (r *Replay) expect(i int) error {
	line := r.in[i]
	method := gjson.GetBytes(line, "method").Str
	id := gjson.GetBytes(line, "id").Raw
	switch {
	case !gjson.ValidBytes(line) || len(line) == 0:
		return nil // what no client would write
	case method == "" && !r.asked[id]:
		return nil // an answer to nothing
	case method != "" && r.turn.open && !interrupts(method):
		return nil // in the middle of a turn no client of ours asks for more
	case method == "":
		return r.await("answer "+id, r.in[i+1:])
	case interrupts(method) && !r.turn.open:
		return nil // there is nothing to interrupt
	case interrupts(method) && r.Interrupted != nil:
		r.Interrupted()
	}
	return r.await(method+" "+id, r.in[i+1:])
}

// await waits for a line of the client: "method id", with the captured id, or
// "answer id"; empty for no line at all. What the client writes instead is
// answered; when it comes later in the capture, nothing more is waited for.
func (r *Replay) await(want string, later [][]byte) error {
	wanted, captured, _ := strings.Cut(want, " ")
	for {
		line := r.pushed
		r.pushed = nil
		if line == nil {
			next, ok := r.Next()
			if !ok {
				return errEOF
			}
			line = next
		}
		method := gjson.GetBytes(line, "method").Str
		id := gjson.GetBytes(line, "id").Raw
		switch {
		case id != "" && r.Refuse[method] != nil:
			if err := r.Say(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, r.Refuse[method])); err != nil {
				return err
			}
		case method == "" && wanted == "answer" && id == captured:
			return nil
		case method == "":
			continue // an answer that nobody waits for any more
		case method == wanted:
			if id != "" && captured != "" {
				r.ids[captured] = id
			}
			r.began(line)
			return nil
		case resumes(line) && begins(wanted) && r.Resumed != "":
			r.pushed = line
			return errSwitched
		case resumes(line) && begins(wanted):
			// As the CLIs say it of a session that is gone.
			err := r.Say(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such session"}}`, id))
			if err != nil {
				return err
			}
		case want != "" && comes(method, later):
			r.pushed = line
			return nil
		case interrupts(method):
			if err := r.interrupt(id); err != nil {
				return err
			}
		case id != "":
			if err := r.Say(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)); err != nil {
				return err
			}
		}
	}
}

func comes(method string, later [][]byte) bool {
	return slices.ContainsFunc(later, func(line []byte) bool { return gjson.GetBytes(line, "method").Str == method })
}

// began remembers what an interrupt would have to end.
func (r *Replay) began(line []byte) {
	switch gjson.GetBytes(line, "method").Str {
	case "session/prompt":
		r.turn.open = true
		r.turn.prompt = gjson.GetBytes(line, "id").Raw
		r.turn.session = gjson.GetBytes(line, "params.sessionId").Str
	case "turn/start":
		r.turn.open = true
		r.turn.thread = gjson.GetBytes(line, "params.threadId").Str
	}
}

// interrupt makes up how a CLI ends a turn that was interrupted.
func (r *Replay) interrupt(id string) error {
	if r.IgnoreInterrupt {
		return nil
	}
	r.turn.open = false
	if id != "" {
		if err := r.Say(fmt.Appendf(nil, `{"id":%s,"result":{}}`, id)); err != nil {
			return err
		}
		return r.Say(fmt.Appendf(nil, `{"method":"turn/completed","params":{"threadId":%q,"turn":{"id":%q,"items":[],"status":"interrupted","error":null}}}`,
			r.turn.thread, r.turn.id))
	}
	if r.turn.prompt == "" {
		return nil
	}
	err := r.Say(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"cancelled"}}`, r.turn.prompt))
	return errors.Join(err, r.record(`{"type":"turn.ended","agentId":"main","reason":"cancelled"}`))
}

// say prints a captured line, with the client's numbers.
func (r *Replay) say(line []byte) error {
	root := gjson.ParseBytes(line)
	id := root.Get("id").Raw
	switch {
	case !root.IsObject():
	case root.Get("method").Exists():
		if id != "" {
			r.asked[id] = true
		}
		if root.Get("params.threadId").Str == r.turn.thread {
			switch root.Get("method").Str {
			case "turn/started":
				r.turn.id = root.Get("params.turn.id").Str
			case "turn/completed":
				r.turn.open = false
			}
		}
	case id != "":
		ours, ok := r.ids[id]
		if !ok {
			return nil // the answer to what this client did not ask
		}
		at := root.Get("id").Index
		line = slices.Concat(line[:at], []byte(ours), line[at+len(id):])
		if ours == r.turn.prompt {
			r.turn.open = false
			return errors.Join(r.Say(line), r.ended())
		}
	}
	return r.Say(line)
}

// ended records the end of a turn as the capture notes it, or as one that went
// well.
func (r *Replay) ended() error {
	end := `{"type":"turn.ended","agentId":"main","reason":"completed"}`
	if len(r.ends) > 0 {
		end, r.ends = r.ends[0], r.ends[1:]
	}
	return r.record(end)
}

// record adds a line to the CLI's own record of the session.
func (r *Replay) record(end string) error {
	if r.Home == "" || r.turn.session == "" {
		return nil
	}
	folder := filepath.Join(r.Home, "sessions", "wd_fake_000000000000", r.turn.session, "agents", "main")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(folder, "wire.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	r.turns++
	usage, err := json.Marshal(map[string]any{
		"type": "usage.record", "model": "lab-model", "usageScope": "turn",
		"usage": map[string]int{"inputOther": 400, "inputCacheRead": 800, "inputCacheCreation": 0, "output": 9},
	})
	if err == nil {
		_, err = f.Write(append(append(usage, '\n'), end+"\n"...))
	}
	return errors.Join(err, f.Close())
}
