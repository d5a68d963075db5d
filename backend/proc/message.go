package proc

import "syscall"

// What the daemon and a supervisor tell each other, one JSON value a line on the
// control channel. The daemon closing its half is an order too: end the tree.

// order is told to a supervisor: a launch first, then at most one stop.
type order struct {
	Launch *launch `json:"launch,omitempty"`
	Stop   bool    `json:"stop,omitempty"`
}

// launch is what to start. Strings of the system are bytes: JSON text would
// change those that are not UTF-8.
type launch struct {
	Path    []byte   `json:"path"` // absolute
	Argv    [][]byte `json:"argv"`
	Dir     []byte   `json:"dir"`
	Env     [][]byte `json:"env"`
	Private []byte   `json:"private,omitempty"`
	Mark    string   `json:"mark"`
	Grace   Grace    `json:"grace"`
}

// report is told by a supervisor, one field at a time: Failed alone, or Started
// first and Gone last, with Ending and Exited between them in any order.
type report struct {
	Started *started `json:"started,omitempty"`
	Ending  bool     `json:"ending,omitempty"` // the ladder has begun
	Failed  *failure `json:"failed,omitempty"`
	Exited  *exited  `json:"exited,omitempty"`
	Gone    *gone    `json:"gone,omitempty"`
}

type started struct {
	Supervisor Process `json:"supervisor"`
	Child      Process `json:"child"`
}

// failure says at which stage a start failed.
type failure struct {
	Stage stage         `json:"stage"`
	Errno syscall.Errno `json:"errno"`
	Text  string        `json:"text"`
}

type stage string

const (
	stageSupervisor stage = "supervisor" // the guard could not start it
	stageTerminal   stage = "terminal"
	stageExec       stage = "exec"
)

type exited struct {
	Code   int    `json:"code"`
	Signal string `json:"signal,omitempty"`
}

type gone struct {
	Left []Process `json:"left,omitempty"`
}

// ended is what the guard tells of a supervisor that is no more: what is left
// of the tree that it may have left behind.
type ended struct {
	ID     uint64    `json:"id"`
	Failed *failure  `json:"failed,omitempty"` // it never ran
	Left   []Process `json:"left,omitempty"`
}
