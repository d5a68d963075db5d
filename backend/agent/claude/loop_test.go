package claude_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/claude"
	"signalbox/backend/wire"
)

// outcome is how a run ended and how long it took.
type outcome struct {
	res  agent.Result
	err  error
	took time.Duration
}

// follow runs the loop over p in a bubble.
func follow(ctx context.Context, t *testing.T, p *agenttest.Puppet, d *agenttest.Diary) <-chan outcome {
	t.Helper()
	done := make(chan outcome, 1)
	provider := claude.New(claude.Options{Log: agenttest.Logger(t), Environ: []string{}})
	began := time.Now()
	go func() {
		res, err := provider.Follow(ctx, agent.Request{Text: "go", Cwd: "/w"}, d, p)
		done <- outcome{res, err, time.Since(began)}
	}()
	return done
}

const (
	initLine   = `{"type":"system","subtype":"init","session_id":"s","model":"m"}`
	resultLine = `{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"s"}`
)

func TestLoop_limits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		play   func(p *agenttest.Puppet, cancel context.CancelFunc)
		status wire.Status
		code   string
		took   time.Duration
	}{
		{
			name: "the turn after a subagent may not come",
			play: func(p *agenttest.Puppet, _ context.CancelFunc) {
				p.Lines <- initLine
				p.Lines <- `{"type":"system","subtype":"task_started","task_id":"t","task_type":"local_agent","is_backgrounded":true}`
				p.Lines <- resultLine
				time.Sleep(time.Hour) // it works
				p.Lines <- `{"type":"system","subtype":"background_tasks_changed","tasks":[]}`
				<-p.Closed
				p.Exit()
			},
			status: wire.StatusOK, took: time.Hour + 10*time.Second,
		},
		{
			name: "a shell in the background is not waited for",
			play: func(p *agenttest.Puppet, _ context.CancelFunc) {
				p.Lines <- initLine
				p.Lines <- `{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"b","task_type":"local_bash"}]}`
				p.Lines <- resultLine
				<-p.Closed
				p.Exit()
			},
			status: wire.StatusOK, took: 0,
		},
		{
			name: "a queued turn is waited for",
			play: func(p *agenttest.Puppet, _ context.CancelFunc) {
				p.Lines <- initLine
				p.Lines <- strings.Replace(resultLine, "{", `{"queued_turn_count":1,`, 1)
				time.Sleep(5 * time.Second)
				p.Lines <- initLine
				time.Sleep(time.Hour)
				p.Lines <- resultLine
				<-p.Closed
				p.Exit()
			},
			status: wire.StatusOK, took: time.Hour + 5*time.Second,
		},
		{
			name: "an interrupt that is heard",
			play: func(p *agenttest.Puppet, cancel context.CancelFunc) {
				p.Lines <- initLine
				cancel()
				for line := range p.Written {
					if strings.Contains(line, `"subtype":"interrupt"`) {
						break
					}
				}
				p.Lines <- `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}`
				<-p.Closed
				p.Exit()
			},
			status: wire.StatusCancelled, took: 0,
		},
		{
			name: "stopped while only a subagent works",
			play: func(p *agenttest.Puppet, cancel context.CancelFunc) {
				p.Lines <- initLine
				p.Lines <- `{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"t","task_type":"local_agent"}]}`
				p.Lines <- resultLine
				synctest.Wait() // all of them were acted on
				cancel()
			},
			status: wire.StatusCancelled, took: 0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p, d := agenttest.NewPuppet(), &agenttest.Diary{}
				done := follow(ctx, t, p, d)
				tt.play(p, cancel)
				got := <-done
				if got.err != nil || got.res.Status != tt.status || got.res.Code != tt.code {
					t.Errorf("ended %+v, %v; want %s %q", got.res, got.err, tt.status, tt.code)
				}
				if got.took != tt.took {
					t.Errorf("took %v, want %v", got.took, tt.took)
				}
				agenttest.Check(t, d.Events(), got.res)
			})
		})
	}
}

// A request of a kind that is not known is answered, so that the CLI goes on.
func TestLoop_refusesUnknownRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, d := agenttest.NewPuppet(), &agenttest.Diary{}
		done := follow(t.Context(), t, p, d)
		p.Lines <- `{"type":"control_request","request_id":"h1","request":{"subtype":"hook_callback"}}`
		for line := range p.Written {
			if strings.Contains(line, `"h1"`) {
				if !strings.Contains(line, `"subtype":"error"`) {
					t.Errorf("answered %s", line)
				}
				break
			}
		}
		p.Lines <- resultLine
		<-p.Closed
		p.Exit()
		if got := <-done; got.res.Status != wire.StatusOK {
			t.Errorf("ended %+v, %v", got.res, got.err)
		}
	})
}

// The time in which a person makes up their mind is not the tool's.
func TestLoop_waitingForLeaveIsNotTheToolsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := agenttest.NewPuppet()
		d := &agenttest.Diary{Answer: func(context.Context, agent.Ask) (agent.Answer, error) {
			time.Sleep(time.Hour)
			return agent.Answer{Allow: true}, nil
		}}
		done := follow(t.Context(), t, p, d)
		p.Lines <- initLine
		p.Lines <- `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}`
		p.Lines <- `{"type":"control_request","request_id":"a","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{"command":"make"}}}`
		for line := range p.Written {
			if strings.Contains(line, `"allow"`) {
				break
			}
		}
		time.Sleep(3 * time.Second)
		p.Lines <- `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"done"}]}}`
		p.Lines <- resultLine
		<-p.Closed
		p.Exit()
		<-done
		ends := agenttest.Of[wire.ToolUseEnd](d.Events())
		if len(ends) != 1 || ends[0].MS != 3000 {
			t.Errorf("ends %+v, want one of 3 s", ends)
		}
	})
}
