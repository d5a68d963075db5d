//go:build real

package realtest_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"signalbox/backend/model/scripted"
	"signalbox/backend/wire"
)

func testRecovers(t *testing.T, v vendor) {
	for _, tt := range []struct{ scenario, text string }{
		{"once-429", "Recovered after a rate limit."},
	} {
		tn := v.rig(t).run("SCENARIO "+tt.scenario, wire.StatusOK)
		if got := tn.Text(""); got != tt.text {
			t.Errorf("%s: text = %q, want %q", tt.scenario, got, tt.text)
		}
	}
}

func testErrors(t *testing.T, v vendor) {
	for scenario, code := range v.errors {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			tn := v.rig(t).run("SCENARIO "+scenario, wire.StatusFailed)
			errs := of[wire.Error](tn)
			if len(errs) != 1 {
				t.Fatalf("errors %+v", errs)
			}
			e := errs[0]
			if e.Code != code || tn.Result.Code != code {
				t.Errorf("result code %q, error %+v, want code %q", tn.Result.Code, e, code)
			}
			if len(e.Message) < 20 || e.Hint == "" || strings.ContainsAny(e.Message, "{}") {
				t.Errorf("message %q, hint %q", e.Message, e.Hint)
			}
		})
	}
}

// testStopCommand: T9: a command that ignores TERM, its child, and a child in a
// session of its own.
func testStopCommand(t *testing.T, v vendor) {
	r := v.rig(t)
	ready := r.pidsOf()
	tn := r.start(wire.ModeFullAuto, "SCENARIO shell-stuck", "")
	var pids []int
	select {
	case pids = <-ready:
	case <-time.After(turnLimit):
		t.Fatalf("the command does not say that it runs; events %+v", tn.Events())
	}
	stopped(tn)
	if len(pids) < 2 {
		t.Fatalf("the command named %v", pids)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is left: %v", pid, err)
		}
	}
	again := ended(r.start(wire.ModeCode, "SCENARIO recall", r.session(tn).SessionID), wire.StatusOK)
	if !strings.Contains(again.Text(""), "shell-stuck") {
		t.Errorf("after the stop the model was told of %q", again.Text(""))
	}
}

func testStopAnywhere(t *testing.T, v vendor) {
	t.Run("before the first byte", func(t *testing.T) {
		t.Parallel()
		r := v.rig(t)
		tn := r.start(wire.ModeCode, "SCENARIO hang", "")
		ctx, cancel := context.WithTimeout(t.Context(), turnLimit)
		defer cancel()
		if _, err := r.model.Wait(ctx, func(req scripted.Request) bool { return req.Scenario == "hang" }); err != nil {
			t.Fatal(err)
		}
		stopped(tn)
	})
	t.Run("while it tries again", func(t *testing.T) {
		t.Parallel()
		r := v.rig(t)
		tn := r.start(wire.ModeCode, "SCENARIO error-500", "")
		ctx, cancel := context.WithTimeout(t.Context(), turnLimit)
		defer cancel()
		if _, err := r.model.Wait(ctx, func(req scripted.Request) bool { return req.Scenario == "error-500" && req.End == scripted.EndWhole }); err != nil {
			t.Fatal(err)
		}
		tn.Cancel(errors.New("the person pressed stop"))
		tn.Wait(stopLimit)
		if s := tn.Result.Status; s != wire.StatusCancelled && s != wire.StatusFailed { // it may have given up in that moment
			t.Errorf("ended %+v", tn.Result)
		}
	})
	for scenario, typ := range map[string]wire.Type{"slow": wire.TypeAssistantText, "slow-thinking": wire.TypeThinking} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			tn := v.rig(t).start(wire.ModeCode, "SCENARIO "+scenario, "")
			tn.Until("the middle", func(ev wire.Event) bool { return ev.Type() == typ })
			stopped(tn)
		})
	}
}
