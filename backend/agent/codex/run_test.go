package codex_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/codex"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// follow plays a server by hand, in fake time.
func follow(ctx context.Context, t *testing.T, p *agenttest.Puppet, d *agenttest.Diary, req agent.Request) <-chan agent.Result {
	t.Helper()
	tr, program := codex.New(codex.Options{Environ: []string{}}).Translator(req)
	done := make(chan agent.Result, 1)
	go func() {
		res, err := dialog.Follow(ctx, p, d, tr, program, agenttest.Logger(t))
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	return done
}

// heard waits for a line with a method, or for an answer with no method.
func heard(p *agenttest.Puppet, method string) string {
	for line := range p.Written {
		if gjson.Get(line, "method").Str == method {
			return line
		}
	}
	return ""
}

// serve plays the server up to the turn.
func serve(p *agenttest.Puppet) {
	heard(p, "initialize")
	p.Lines <- `{"id":1,"result":{}}`
	heard(p, "thread/start")
	p.Lines <- `{"id":2,"result":{"thread":{"id":"t"},"model":"m"}}`
	heard(p, "turn/start")
	p.Lines <- `{"id":3,"result":{"turn":{"id":"u1"}}}`
}

const retry = `{"method":"error","params":{"threadId":"t","turnId":"u1","willRetry":true,"error":{"message":"Reconnecting... waiting for network","additionalDetails":"Connection failed"}}}`

// The server waits for a network without end; we do not.
func TestRun_retriesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, d := agenttest.NewPuppet(), &agenttest.Diary{}
		began := time.Now()
		done := follow(t.Context(), t, p, d, agent.Request{Cwd: "/w"})
		serve(p)
		var tries sync.WaitGroup
		tries.Go(func() {
			for range 6 {
				p.Lines <- retry
				time.Sleep(20 * time.Second)
			}
		})
		heard(p, "turn/interrupt")
		tries.Wait()
		if took := time.Since(began); took != 2*time.Minute {
			t.Errorf("it was given up after %v", took)
		}
		p.Lines <- `{"id":4,"result":{}}`
		p.Lines <- `{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u1","status":"interrupted"}}}`
		heard(p, "thread/backgroundTerminals/clean")
		p.Lines <- `{"id":5,"result":{}}`
		<-p.Closed
		p.Exit()
		res := <-done
		agenttest.Check(t, d.Events(), res)
		if e := agenttest.Of[wire.Error](d.Events()); res.Code != dialog.CodeUnreachable || len(e) != 1 || !strings.Contains(e[0].Message, "Connection failed") {
			t.Errorf("ended %+v, %+v", res, e)
		}
	})
}

// A plan ends the turn; what the person says of it begins another.
func TestRun_plan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		answer       agent.Answer
		mode, prompt string // of the turn that follows; none if empty
	}{
		{"accepted", agent.Answer{Allow: true}, "default", "Implement the plan."},
		{"refused", agent.Answer{Reason: "Ann said no."}, "", ""},
		{"changed", agent.Answer{Reason: "Ann said no, and wants this instead: use tea", Instead: "use tea"}, "plan", "Ann said no, and wants this instead: use tea"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := agenttest.NewPuppet()
				d := &agenttest.Diary{Answer: func(_ context.Context, ask agent.Ask) (agent.Answer, error) {
					if ask.Kind != wire.ApprovalPlan || ask.Detail != "1. Tea" {
						t.Errorf("asked %+v", ask)
					}
					time.Sleep(time.Hour) // a person reads it
					a := tt.answer
					tt.answer = agent.Answer{}
					return a, nil
				}}
				done := follow(t.Context(), t, p, d, agent.Request{Cwd: "/w", Selection: wire.Selection{Mode: wire.ModePlan}})
				serve(p)
				p.Lines <- `{"method":"item/completed","params":{"threadId":"t","turnId":"u1","item":{"type":"plan","id":"p","text":"1. Tea"}}}`
				p.Lines <- `{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u1","status":"completed"}}}`
				if tt.mode != "" {
					start := heard(p, "turn/start")
					if m := gjson.Get(start, "params.collaborationMode.mode").Str; m != tt.mode {
						t.Errorf("the next turn is in mode %q", m)
					}
					if got := gjson.Get(start, "params.input.0.text").Str; got != tt.prompt {
						t.Errorf("the next turn is told %q", got)
					}
					sandbox := gjson.Get(start, "params.sandboxPolicy.type").Str
					if want := map[string]string{"default": "workspaceWrite", "plan": "readOnly"}[tt.mode]; sandbox != want {
						t.Errorf("its sandbox is %q", sandbox)
					}
					p.Lines <- `{"id":4,"result":{"turn":{"id":"u2"}}}`
					p.Lines <- `{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u2","status":"completed"}}}`
				}
				<-p.Closed
				p.Exit()
				res := <-done
				agenttest.Check(t, d.Events(), res)
				if res.Status != wire.StatusOK {
					t.Errorf("ended %+v", res)
				}
			})
		})
	}
}

// A stop while the person reads the plan ends the run.
func TestRun_stoppedWhileAPlanIsRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := agenttest.NewPuppet()
		d := &agenttest.Diary{Answer: func(ctx context.Context, _ agent.Ask) (agent.Answer, error) {
			<-ctx.Done()
			return agent.Answer{}, context.Cause(ctx)
		}}
		done := follow(ctx, t, p, d, agent.Request{Cwd: "/w", Selection: wire.Selection{Mode: wire.ModePlan}})
		serve(p)
		p.Lines <- `{"method":"item/completed","params":{"threadId":"t","turnId":"u1","item":{"type":"plan","id":"p","text":"1. Tea"}}}`
		p.Lines <- `{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u1","status":"completed"}}}`
		synctest.Wait()
		cancel()
		if res := <-done; res.Status != wire.StatusCancelled {
			t.Errorf("ended %+v", res)
		}
	})
}

func run(t *testing.T, s fake.Script, opts agenttest.Options) *agenttest.Running {
	t.Helper()
	return agenttest.Whole(t, provider(t, s), opts)
}

func TestRun_badDays(t *testing.T) {
	t.Parallel()
	code := func(n int) *int { return &n }
	agenttest.BadDays(t, func(t testing.TB, s fake.Script) agent.Provider { return provider(t, s) }, map[string]agenttest.BadDay{
		"stderr is flooded": {Script: fake.Script{Capture: agenttest.TwoWay(t, "text"), StderrBytes: 4 << 20}, Status: wire.StatusOK},
		"garbage and lines of the future": {Script: fake.Script{Capture: agenttest.TwoWay(t, "text"), Before: []string{
			"not json", "", "[1,2]", "null", "{", `{"id":99,"result":{}}`, `{"method":"future/thing","params":{}}`,
			`{"method":"item/started","params":7}`, `{"id":"x","method":"future/request"}`, "\xff\xfe",
		}}, Status: wire.StatusOK},
		"a subcommand that is no longer known": {Script: fake.Script{ExitEarly: true, Exit: code(2), Stderr: "error: unrecognized subcommand 'app-server'\n"}, Status: wire.StatusFailed, Code: "bad_flag", Words: "app-server"},
		"a start that fails":                   {Script: fake.Script{ExitEarly: true, Exit: code(1), Stderr: "no space left on device\n"}, Status: wire.StatusFailed, Code: "start_failed", Words: "no space left"},
		"killed":                               {Script: fake.Script{Capture: agenttest.TwoWay(t, "lose-kill-tool")}, Status: wire.StatusFailed, Code: "killed"},
		"no sign-in":                           {Script: fake.Script{Capture: agenttest.TwoWay(t, "no-login")}, Status: wire.StatusFailed, Code: "key_refused"},
		"too much context":                     {Script: fake.Script{Capture: agenttest.TwoWay(t, "overflow2")}, Status: wire.StatusFailed, Code: "context_overflow"},
	})
}

func TestRun_choiceThatCannotBe(t *testing.T) {
	t.Parallel()
	r := run(t, fake.Script{}, agenttest.Options{Session: "-c"})
	r.Check(wire.StatusFailed)
	if r.Result.Code != "bad_choice" {
		t.Errorf("code %q", r.Result.Code)
	}
}

func TestRun_silenceCanBeStopped(t *testing.T) {
	t.Parallel()
	r := agenttest.Start(t, agenttest.Part{Provider: provider(t, fake.Script{Silent: true, IgnoreSignals: true}), Prompt: "go"}, agenttest.Options{})
	r.Cancel(errors.New("a person pressed stop"))
	r.Wait(15 * time.Second)
	r.Check(wire.StatusCancelled)
}

// Where the sandbox cannot be made every command fails, and the person is told why,
// once.
func TestRun_sandboxHelperThatDoesNotWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, d := agenttest.NewPuppet(), &agenttest.Diary{}
		done := follow(t.Context(), t, p, d, agent.Request{Cwd: "/w"})
		serve(p)
		for _, item := range []string{
			`"id":"c1","status":"failed","exitCode":1,"aggregatedOutput":"bwrap: No permissions to create new namespace, likely because the kernel does not allow it\n"`,
			`"id":"c2","status":"failed","exitCode":1,"aggregatedOutput":"bwrap: Creating new namespace failed: Operation not permitted\n"`,
			`"id":"c3","status":"failed","exitCode":1,"aggregatedOutput":"about bwrap: namespace\n"`,
		} {
			p.Lines <- `{"method":"item/completed","params":{"threadId":"t","turnId":"u1","item":{"type":"commandExecution","command":"ls","cwd":"/w",` + item + `}}}`
		}
		p.Lines <- `{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u1","status":"completed"}}}`
		<-p.Closed
		p.Exit()
		agenttest.Check(t, d.Events(), <-done)
		if n := agenttest.Of[wire.System](d.Events()); len(n) != 1 || n[0].Code != dialog.CodeSandbox || !strings.Contains(n[0].Text, "bubblewrap") {
			t.Errorf("notices %+v", n)
		}
	})
}
