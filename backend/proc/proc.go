package proc

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"signalbox/backend/wire"
)

// Spec says what to start.
type Spec struct {
	Run  wire.RunID // SIGNALBOX_RUN of every process of the run; may be empty
	Argv []string   // Argv[0] is a path, or a name looked up in PATH of Env
	Dir  string     // absolute
	// Env is the whole environment: nothing is inherited. Start adds the marks
	// and what keeps git and ssh from asking at a terminal that nobody sees;
	// Env wins over the latter.
	Env []string
	// Private, if set, is a folder with what only this process may read. It is
	// removed with its end, also if nobody waits for that any more. An absolute path.
	Private string
	// Spill takes the bytes of a line over the limit; nil drops them. OnCut is
	// called by the reader's goroutine after such a line. The hub sets both.
	Spill func() (Spill, error)
	OnCut func(wire.BlobRef)
}

// Spill is a body that grows beside the log (eventlog.BlobWriter).
type Spill interface {
	io.Writer
	Commit() (wire.BlobRef, error)
	Abort() error
}

// Options configure a Launcher.
type Options struct {
	Exe      string       // the binary with the supervise command; default the running one
	Instance string       // names the data folder, so that Sweep knows what is its own
	Grace    Grace        // default 3 s, 3 s, 1 s, 2 s
	Log      *slog.Logger // default discards
}

// Grace is how long each step of ending a tree may take. A zero field is its
// default.
type Grace struct {
	Interrupt time.Duration `json:"interrupt"` // after SIGINT, for the child; default 3 s
	Terminate time.Duration `json:"terminate"` // after SIGTERM, while the child lives; default 3 s
	Leftover  time.Duration `json:"leftover"`  // after SIGTERM, once the child is gone; default 1 s
	Kill      time.Duration `json:"kill"`      // after SIGKILL, before giving up; default 2 s
}

func (g Grace) withDefaults() Grace {
	def := func(d, otherwise time.Duration) time.Duration {
		if d <= 0 {
			return otherwise
		}
		return d
	}
	return Grace{
		Interrupt: def(g.Interrupt, 3*time.Second),
		Terminate: def(g.Terminate, 3*time.Second),
		Leftover:  def(g.Leftover, time.Second),
		Kill:      def(g.Kill, 2*time.Second),
	}
}

// short is the longest that ending a tree takes without asking the child.
func (g Grace) short() time.Duration { return g.Leftover + g.Kill }

// whole is the longest that a Stop takes.
func (g Grace) whole() time.Duration { return g.Interrupt + g.Terminate + g.Kill }

// slack is what a busy machine may take on top of the times of a Grace.
const slack = 2 * time.Second

// Process names a process that can be told from a later one with its pid.
type Process struct {
	PID     int    `json:"pid"`
	Start   uint64 `json:"start"`   // clock ticks since boot (Linux), microseconds (macOS)
	Command string `json:"command"` // the program's name, without arguments: they may hold secrets
}

// String names p for people: "sleep (4711)".
func (p Process) String() string { return fmt.Sprintf("%s (%d)", p.Command, p.PID) }

// Exit is how a child and its tree ended.
type Exit struct {
	Code   int    // -1 when a signal ended it, or Lost
	Signal string // "killed"; empty when it exited
	// Lost is true when the supervisor was killed before it could tell how the
	// child ended.
	Lost   bool
	Left   []Process // what could not be ended; the run's chat must be held
	Stderr string    // the last 64 KiB, cut on line borders
}
