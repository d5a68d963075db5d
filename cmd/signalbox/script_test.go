package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"signalbox": func() { os.Exit(run(os.Args[1:])) },
	})
}

// TestScript drives the whole program: testdata/*.txtar.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SIGNALBOX_DATA", e.WorkDir+"/data")
			e.Setenv("SIGNALBOX_ADDR", "127.0.0.1:0")
			d := new(*daemon)
			e.Values[daemonKey{}] = d
			e.Defer(func() {
				if *d != nil {
					_ = (*d).cmd.Process.Kill()
					_ = (*d).wait()
				}
			})
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"start": cmdStart, "end": cmdEnd, "set-up": cmdSetUp, "sign-in": cmdSignIn,
			"call": cmdCall, "chat": cmdChat, "answer": cmdAnswer, "unprivileged": cmdUnprivileged,
		},
	})
}

// daemonKey is where a script keeps its daemon.
type daemonKey struct{}

func theDaemon(ts *testscript.TestScript) *daemon {
	d := *ts.Value(daemonKey{}).(**daemon)
	if d == nil {
		ts.Fatalf("no daemon was started")
	}
	return d
}

// scriptEnv is the environment of the script, for a process of our own.
func scriptEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"HOME", "PATH", "TMPDIR", "SIGNALBOX_DATA", "SIGNALBOX_ADDR", "SIGNALBOX_CONFIG"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// start [arg...] starts the daemon and waits until it serves.
func cmdStart(ts *testscript.TestScript, _ bool, args []string) {
	d, err := start(scriptEnv(ts), ts.MkAbs("."), args...)
	ts.Check(err)
	*ts.Value(daemonKey{}).(**daemon) = d
	ts.Setenv("URL", d.url)
	ts.Setenv("ADDR", strings.TrimPrefix(d.url, "http://"))
	ts.Setenv("TOKEN", d.token)
}

// end ends the daemon by SIGTERM; what it logged is the command's stderr.
func cmdEnd(ts *testscript.TestScript, _ bool, _ []string) {
	d := theDaemon(ts)
	ts.Check(d.cmd.Process.Signal(syscall.SIGTERM))
	err := d.wait()
	*ts.Value(daemonKey{}).(**daemon) = nil
	fmt.Fprint(ts.Stderr(), d.stderr)
	ts.Check(err)
}

// set-up makes the first account with the token that the daemon printed.
func cmdSetUp(ts *testscript.TestScript, neg bool, args []string) {
	d := theDaemon(ts)
	if len(args) == 1 {
		d.token = args[0]
	}
	check(ts, neg, "", d.setUp(context.Background()))
}

// sign-in name password
func cmdSignIn(ts *testscript.TestScript, neg bool, args []string) {
	d := theDaemon(ts)
	d.secret = ""
	text, err := d.call(context.Background(), "POST", "/api/login",
		map[string]string{"name": args[0], "password": args[1]}, nil)
	check(ts, neg, text, err)
}

// call method path prints the answer.
func cmdCall(ts *testscript.TestScript, neg bool, args []string) {
	text, err := theDaemon(ts).call(context.Background(), args[0], args[1], nil, nil)
	check(ts, neg, text, err)
}

// chat makes a chat and sets CHAT.
func cmdChat(ts *testscript.TestScript, neg bool, _ []string) {
	id, err := theDaemon(ts).newChat(context.Background())
	check(ts, neg, id, err)
	ts.Setenv("CHAT", id)
}

// answer text... sends a prompt to CHAT and prints the events of its run.
func cmdAnswer(ts *testscript.TestScript, neg bool, args []string) {
	text, err := theDaemon(ts).answer(context.Background(), ts.Getenv("CHAT"), strings.Join(args, " "))
	check(ts, neg, text, err)
}

// check prints text and fails unless err is what was expected; an expected one
// is the command's stderr.
func check(ts *testscript.TestScript, neg bool, text string, err error) {
	fmt.Fprintln(ts.Stdout(), text)
	switch {
	case neg && err == nil:
		ts.Fatalf("it succeeded, and should not have")
	case neg:
		fmt.Fprintln(ts.Stderr(), err)
	default:
		ts.Check(err)
	}
}
