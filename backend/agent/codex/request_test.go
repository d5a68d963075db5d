package codex_test

import (
	"strings"
	"testing"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/codex"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/permission"
	"signalbox/backend/wire"
)

// A command that wants out of the sandbox is never taken for one that only reads,
// whatever the server's summary of it says; an answer for the chat holds for that
// command in the directory where it runs, and for no other request.
func TestTranslator_asksForWhatItIs(t *testing.T) {
	t.Parallel()
	const command = `{"method":"item/commandExecution/requestApproval","id":0,"params":{"itemId":"i","command":"/bin/bash -lc 'cat x | tee ~/.bashrc'","cwd":"/other","commandActions":[{"type":"read"}]}}`
	tests := []struct {
		name, line string
		dir        string
		scoped     bool
		detail     string
	}{
		{name: "a summary that leaves a part out", line: command, dir: "/other", scoped: true},
		{
			name: "no command",
			line: `{"method":"item/commandExecution/requestApproval","id":0,"params":{"itemId":"i","cwd":"/workspace"}}`,
			dir:  "/workspace",
		},
		{
			name:   "permissions",
			line:   `{"method":"item/permissions/requestApproval","id":0,"params":{"permissions":{"network":{"enabled":true}}}}`,
			dir:    "/workspace",
			detail: `{"network":{"enabled":true}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr, _ := codex.New(codex.Options{}).Translator(agent.Request{Cwd: "/workspace", Selection: wire.Selection{Mode: wire.ModeChat}})
			step := tr.Line([]byte(tt.line), time.Now())
			if len(step.Asks) != 1 {
				t.Fatalf("it asked %d times", len(step.Asks))
			}
			ask := step.Asks[0].Ask
			if ask.ReadOnly || ask.Cwd != tt.dir || !strings.Contains(ask.Detail, tt.detail) {
				t.Errorf("ask = %+v", ask)
			}
			if got := permission.ScopeOf(ask); (got != nil) != tt.scoped {
				t.Errorf("for the chat it may cover %+v", got)
			}
			for _, mode := range []wire.Mode{wire.ModeChat, wire.ModePlan, wire.ModeReview, wire.ModeCode} {
				if v := permission.Decide(mode, nil, ask).Verdict; v == permission.Allow {
					t.Errorf("%s mode allows it unasked", mode)
				}
			}
		})
	}
}

// A change of files is judged by what it last was, and by the folder that a yes would
// open for more.
func TestTranslator_asksForTheLatestPatch(t *testing.T) {
	t.Parallel()
	const (
		started = `{"method":"item/started","params":{"threadId":"t","item":{"type":"fileChange","id":"i","status":"inProgress","changes":[{"path":"/workspace/a.txt","kind":{"type":"add"},"diff":"+a"}]}}}`
		updated = `{"method":"item/fileChange/patchUpdated","params":{"threadId":"t","itemId":"i","changes":[{"path":"/workspace/a.txt","kind":{"type":"add"},"diff":"+b"},{"path":"/etc/b.txt","kind":{"type":"update"},"diff":"+b"}]}}`
		asked   = `{"method":"item/fileChange/requestApproval","id":0,"params":{"itemId":"i"}}`
		granted = `{"method":"item/fileChange/requestApproval","id":1,"params":{"itemId":"i","grantRoot":"/"}}`
	)
	tests := []struct {
		name  string
		lines []string
		paths string
		want  permission.Verdict
	}{
		{"as it began", []string{started, asked}, "/workspace/a.txt", permission.Allow},
		{"as it was changed", []string{started, updated, asked}, "/workspace/a.txt /etc/b.txt", permission.Ask},
		{"with all of a folder", []string{started, granted}, "/workspace/a.txt /", permission.Ask},
		{"of no known item", []string{updated, asked}, "", permission.Ask},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr, _ := codex.New(codex.Options{}).Translator(agent.Request{Cwd: "/workspace", Selection: wire.Selection{Mode: wire.ModeCode}})
			var asks []agent.Ask
			for _, line := range tt.lines {
				step := tr.Line([]byte(line), time.Now())
				for _, a := range step.Asks {
					asks = append(asks, a.Ask)
				}
				if step.Odd {
					t.Errorf("not understood: %s", line)
				}
			}
			if len(asks) != 1 || strings.Join(asks[0].Paths, " ") != tt.paths {
				t.Fatalf("asked %+v, want for %s", asks, tt.paths)
			}
			if got := permission.Decide(wire.ModeCode, nil, asks[0]).Verdict; got != tt.want {
				t.Errorf("in Code mode it is %s, want %s", got, tt.want)
			}
		})
	}
}

// The end of a turn ends it whatever its members look like: else the run would wait
// for ever.
func TestTranslator_oddEnd(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]wire.Status{
		`{"threadId":"th","turn":{"id":"tu","status":"completed"},"name":7,"tokenUsage":"many"}`: wire.StatusOK,
		`{"threadId":"th","turn":{"id":"tu","status":{"kind":"completed"}}}`:                     wire.StatusFailed,
		`{"threadId":"th","turn":"tu"}`: wire.StatusFailed,
		`{"threadId":"th"}`:             wire.StatusFailed,
	} {
		tr, _ := codex.New(codex.Options{}).Translator(agent.Request{Cwd: "/workspace"})
		tr.Begin(time.Now())
		for _, line := range []string{
			`{"id":1,"result":{}}`, `{"id":2,"result":{"thread":{"id":"th"}}}`, `{"id":3,"result":{"turn":{"id":"tu"}}}`,
		} {
			tr.Line([]byte(line), time.Now())
		}
		if stage := tr.State().Stage; stage != dialog.Turning {
			t.Fatalf("before the end it is at %v", stage)
		}
		if s := tr.Line([]byte(`{"method":"turn/completed","params":`+params+`}`), time.Now()); !s.Odd {
			t.Errorf("%s is taken for usual", params)
		}
		if stage := tr.State().Stage; stage != dialog.Over {
			t.Errorf("%s: it is at %v", params, stage)
		}
		if _, res := tr.Finish(dialog.Ending{}, time.Now()); res.Status != want {
			t.Errorf("%s: the run ended with %+v, want %s", params, res, want)
		}
	}
}
