package dialog_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// words is a translator of one word a line: the stage that follows, or what is
// to be done.
type words struct {
	state  dialog.State
	mute   bool // there is no way to interrupt in-band
	answer func(agent.Answer, time.Time) dialog.Step
	errand dialog.Errand
	ending dialog.Ending
}

func (w *words) Begin(time.Time) dialog.Step {
	return dialog.Step{Send: [][]byte{[]byte("hello\n")}}
}

func (w *words) State() dialog.State { return w.state }

func (w *words) Interrupt(time.Time) dialog.Step {
	if w.mute {
		return dialog.Step{}
	}
	return dialog.Step{Send: [][]byte{[]byte("interrupt\n")}}
}

func (w *words) Line(b []byte, now time.Time) dialog.Step {
	var s dialog.Step
	word, rest, _ := strings.Cut(string(b), " ")
	switch word {
	case "turn":
		w.state = dialog.State{Stage: dialog.Turning}
	case "beside":
		w.state = dialog.State{Stage: dialog.Beside}
	case "wake":
		w.state = dialog.State{Stage: dialog.Waking}
	case "over":
		w.state = dialog.State{Stage: dialog.Over}
	case "until": // within a minute
		w.state = dialog.State{Stage: dialog.Turning, Until: now.Add(time.Minute), Code: dialog.CodeSilent}
	case "say":
		s.Emit(wire.AssistantText{Item: "i", Delta: rest})
	case "ask":
		s.Asks = append(s.Asks, dialog.Ask{ID: rest, Ask: agent.Ask{Title: rest}, Answer: w.answer})
	case "withdraw":
		s.Withdrawn = append(s.Withdrawn, rest)
	case "errand":
		s.Errands = append(s.Errands, w.errand)
	case "panic":
		panic("hostile")
	default:
		s.Odd = true
	}
	return s
}

func (w *words) Finish(e dialog.Ending, _ time.Time) ([]wire.Event, agent.Result) {
	w.ending = e
	switch {
	case e.Stopped != "":
		err := program.Stopped(e)
		return []wire.Event{err}, agent.Result{Status: wire.StatusFailed, Code: err.Code}
	case e.Cancelled:
		return nil, agent.Result{Status: wire.StatusCancelled}
	case w.state.Stage != dialog.Over:
		err := program.Unfinished(e.Exit, dialog.Progress{Spoke: true, Began: true})
		return []wire.Event{err}, agent.Result{Status: wire.StatusFailed, Code: err.Code}
	}
	return nil, agent.Result{Status: wire.StatusOK}
}

var program = dialog.Program{Name: "Wordy", Command: "wordy"}

// outcome is how a run ended and how long it took.
type outcome struct {
	res  agent.Result
	err  error
	took time.Duration
}

// follow drives p in a bubble.
func follow(ctx context.Context, t *testing.T, p *agenttest.Puppet, d *agenttest.Diary, w *words) <-chan outcome {
	t.Helper()
	done := make(chan outcome, 1)
	began := time.Now()
	go func() {
		res, err := dialog.Follow(ctx, p, d, w, program, agenttest.Logger(t))
		done <- outcome{res, err, time.Since(began)}
	}()
	return done
}

// heard reads stdin until a line.
func heard(p *agenttest.Puppet, line string) {
	for l := range p.Written {
		if strings.TrimSpace(l) == line {
			return
		}
	}
}

func say(p *agenttest.Puppet, lines ...string) {
	for _, l := range lines {
		p.Lines <- l
	}
	synctest.Wait() // all of them were acted on
}

func TestFollow_limits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		tr     words
		play   func(p *agenttest.Puppet, cancel context.CancelFunc)
		status wire.Status
		code   string
		took   time.Duration
	}{
		{
			name:   "no answer at the start",
			play:   func(*agenttest.Puppet, context.CancelFunc) {},
			status: wire.StatusFailed, code: dialog.CodeNoAnswer, took: 60 * time.Second,
		},
		{
			name: "a turn may take as long as it takes",
			play: func(p *agenttest.Puppet, _ context.CancelFunc) {
				say(p, "turn")
				time.Sleep(100 * time.Hour)
				say(p, "over")
				<-p.Closed
				p.Exit()
			},
			status: wire.StatusOK, took: 100 * time.Hour,
		},
		{
			name: "a process that does not exit is ended, and its answer counts",
			play: func(p *agenttest.Puppet, _ context.CancelFunc) {
				say(p, "turn", "over")
			},
			status: wire.StatusOK, took: 15 * time.Second,
		},
		{
			name: "a process that closes stdout and stays",
			play: func(p *agenttest.Puppet, _ context.CancelFunc) {
				say(p, "turn")
				close(p.Lines)
			},
			status: wire.StatusFailed, code: dialog.CodeKilled, took: 15 * time.Second,
		},
		{
			name: "the turn after the work beside may not come",
			play: func(p *agenttest.Puppet, _ context.CancelFunc) {
				say(p, "turn", "beside")
				time.Sleep(time.Hour) // it works
				say(p, "wake")
				<-p.Closed
				say(p, "over")
				p.Exit()
			},
			status: wire.StatusOK, took: time.Hour + 10*time.Second,
		},
		{
			name: "the turn after the work beside comes",
			play: func(p *agenttest.Puppet, _ context.CancelFunc) {
				say(p, "turn", "wake")
				time.Sleep(5 * time.Second)
				say(p, "turn")
				time.Sleep(time.Hour)
				say(p, "over")
				<-p.Closed
				p.Exit()
			},
			status: wire.StatusOK, took: time.Hour + 5*time.Second,
		},
		{
			name: "a limit of the translator's own stops as a person would",
			play: func(p *agenttest.Puppet, _ context.CancelFunc) {
				say(p, "until")
				heard(p, "interrupt")
				say(p, "over")
				<-p.Closed
				p.Exit()
			},
			status: wire.StatusFailed, code: dialog.CodeSilent, took: time.Minute,
		},
		{
			name: "a limit of the translator's own, and nobody hears",
			play: func(p *agenttest.Puppet, _ context.CancelFunc) {
				say(p, "until")
			},
			status: wire.StatusFailed, code: dialog.CodeSilent, took: time.Minute + 5*time.Second,
		},
		{
			name: "a limit that moves on with each line",
			play: func(p *agenttest.Puppet, _ context.CancelFunc) {
				for range 10 {
					say(p, "until")
					time.Sleep(59 * time.Second)
				}
				say(p, "over")
				<-p.Closed
				p.Exit()
			},
			status: wire.StatusOK, took: 590 * time.Second,
		},
		{
			name: "an interrupt that is not heard",
			play: func(p *agenttest.Puppet, cancel context.CancelFunc) {
				say(p, "turn")
				cancel()
			},
			status: wire.StatusCancelled, took: 5 * time.Second,
		},
		{
			name: "an interrupt before the first answer",
			play: func(_ *agenttest.Puppet, cancel context.CancelFunc) {
				cancel()
			},
			status: wire.StatusCancelled, took: 5 * time.Second,
		},
		{
			name: "an interrupt for which there is no way",
			tr:   words{mute: true},
			play: func(p *agenttest.Puppet, cancel context.CancelFunc) {
				say(p, "turn")
				cancel()
			},
			status: wire.StatusCancelled, took: 0,
		},
		{
			name: "an interrupt that is heard",
			play: func(p *agenttest.Puppet, cancel context.CancelFunc) {
				say(p, "turn")
				cancel()
				heard(p, "interrupt")
				say(p, "over")
				<-p.Closed
				p.Exit()
			},
			status: wire.StatusCancelled, took: 0,
		},
		{
			name: "stopped while only work beside goes on",
			play: func(p *agenttest.Puppet, cancel context.CancelFunc) {
				say(p, "turn", "beside")
				cancel()
			},
			status: wire.StatusCancelled, took: 0,
		},
		{
			name: "stopped after the answer: the answer stands",
			play: func(p *agenttest.Puppet, cancel context.CancelFunc) {
				say(p, "turn", "over")
				<-p.Closed
				cancel()
			},
			status: wire.StatusOK, took: 5 * time.Second,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p, d := agenttest.NewPuppet(), &agenttest.Diary{}
				done := follow(ctx, t, p, d, &tt.tr)
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

// A person may take their time; what they say is passed on once.
func TestFollow_asks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &agenttest.Diary{Answer: func(_ context.Context, a agent.Ask) (agent.Answer, error) {
			time.Sleep(time.Hour)
			switch a.Title {
			case "yes":
				return agent.Answer{Allow: true}, nil
			case "no":
				return agent.Answer{}, nil
			default:
				return agent.Answer{}, errors.New("nobody there")
			}
		}}
		w := &words{answer: func(a agent.Answer, _ time.Time) dialog.Step {
			word := "no: " + a.Reason
			if a.Allow {
				word = "yes"
			}
			return dialog.Step{Send: [][]byte{[]byte(word + "\n")}}
		}}
		p := agenttest.NewPuppet()
		done := follow(t.Context(), t, p, d, w)
		say(p, "turn")
		var got []string
		for _, ask := range []string{"yes", "no", "lost"} {
			say(p, "ask "+ask)
			synctest.Wait()
			time.Sleep(time.Hour)
			synctest.Wait()
			for len(p.Written) > 0 {
				got = append(got, strings.TrimSpace(<-p.Written))
			}
		}
		want := []string{"hello", "yes", "no: The person said no.", "no: No answer could be got."}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("written (-want +got):\n%s", diff)
		}
		say(p, "over")
		<-p.Closed
		p.Exit()
		if o := <-done; o.res.Status != wire.StatusOK {
			t.Errorf("ended %+v, %v", o.res, o.err)
		}
	})
}

// An ask that is withdrawn, and one that is open when the run is stopped, ends
// for the person too; neither is answered.
// What was printed together is logged together, but never after what is asked
// next.
func TestFollow_linesThatComeTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, d, w := agenttest.NewPuppet(), &agenttest.Diary{}, &words{}
		w.answer = func(agent.Answer, time.Time) dialog.Step { return dialog.Step{} }
		var before int
		d.Answer = func(context.Context, agent.Ask) (agent.Answer, error) {
			before = len(d.Events())
			return agent.Answer{Allow: true}, nil
		}
		done := follow(t.Context(), t, p, d, w)
		say(p, "turn\nsay a\nsay b\nsay c\nask x\nsay d\nsay e", "over")
		if got := len(d.Events()); got != 5 || d.Emits() != 2 || before < 3 {
			t.Errorf("%d events by %d calls, %d of them before the ask; want 5 by 2, at least 3 before", got, d.Emits(), before)
		}
		close(p.Lines)
		p.Exit()
		<-done
	})
}

func TestFollow_asksThatEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(p *agenttest.Puppet, cancel context.CancelFunc)
		want wire.Status
	}{
		{"withdrawn", func(p *agenttest.Puppet, _ context.CancelFunc) { say(p, "withdraw a") }, wire.StatusOK},
		{"stopped", func(_ *agenttest.Puppet, cancel context.CancelFunc) { cancel() }, wire.StatusCancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan struct{})
				d := &agenttest.Diary{Answer: func(ctx context.Context, _ agent.Ask) (agent.Answer, error) {
					<-ctx.Done()
					close(ended)
					return agent.Answer{Allow: true}, nil // too late
				}}
				w := &words{answer: func(agent.Answer, time.Time) dialog.Step {
					t.Error("it was answered")
					return dialog.Step{}
				}}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p := agenttest.NewPuppet()
				done := follow(ctx, t, p, d, w)
				say(p, "turn", "ask a")
				synctest.Wait()
				tt.end(p, cancel)
				<-ended
				synctest.Wait()
				say(p, "over")
				<-p.Closed
				p.Exit()
				if o := <-done; o.res.Status != tt.want {
					t.Errorf("ended %+v, %v", o.res, o.err)
				}
			})
		})
	}
}

// What an errand comes back with is a part of the run, also when the process has
// ended meanwhile and when the run was stopped.
func TestFollow_errands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(p *agenttest.Puppet, cancel context.CancelFunc)
		want string
	}{
		{"in time", func(p *agenttest.Puppet, _ context.CancelFunc) {
			time.Sleep(2 * time.Second)
			synctest.Wait()
			say(p, "over")
			<-p.Closed
			p.Exit()
		}, "whole"},
		{"the process ends first", func(p *agenttest.Puppet, _ context.CancelFunc) { p.Exit() }, "cut short"},
		{"the run is stopped", func(p *agenttest.Puppet, cancel context.CancelFunc) {
			cancel()
			time.Sleep(2 * time.Second)
			p.Exit()
		}, "whole"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &words{errand: func(ctx context.Context) func(time.Time) dialog.Step {
					text := "whole"
					select {
					case <-time.After(time.Second):
					case <-ctx.Done():
						text = "cut short"
					}
					return func(time.Time) dialog.Step {
						return dialog.Step{Events: []wire.Event{wire.AssistantText{Item: "e", Delta: text}}}
					}
				}}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p, d := agenttest.NewPuppet(), &agenttest.Diary{}
				done := follow(ctx, t, p, d, w)
				say(p, "turn", "errand")
				synctest.Wait()
				tt.end(p, cancel)
				<-done
				if got := agenttest.Text(d.Events(), ""); got != tt.want {
					t.Errorf("the errand told %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// A fault in a translator or an errand fails its run and nothing else.
func TestFollow_survivesAPanic(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"panic", "errand"} {
		synctest.Test(t, func(t *testing.T) {
			p, d := agenttest.NewPuppet(), &agenttest.Diary{}
			w := &words{errand: func(context.Context) func(time.Time) dialog.Step { panic("hostile file") }}
			done := follow(t.Context(), t, p, d, w)
			say(p, "turn", line)
			got := <-done
			if got.err != nil || got.res.Code != dialog.CodeAdapter {
				t.Errorf("%s: ended %+v, %v", line, got.res, got.err)
			}
			agenttest.Check(t, d.Events(), got.res)
		})
	}
}

func TestFollow_readsToTheEndAfterARefusedEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("the disk is full")
		p := agenttest.NewPuppet()
		p.Stays = true
		done := follow(t.Context(), t, p, &agenttest.Diary{Refuse: full}, &words{})
		say(p, "turn", "say hello")
		<-p.Stopped
		for range 100 {
			say(p, "say more") // late lines are taken, or the process would hang on its pipe
		}
		p.Exit()
		if got := <-done; !errors.Is(got.err, full) {
			t.Errorf("returned %v", got.err)
		}
	})
}

// A program that does not read what it is told is stopped; nothing grows
// meanwhile.
func TestFollow_stopsWhatDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := agenttest.NewPuppet()
		p.Deaf = true
		w := &words{answer: func(agent.Answer, time.Time) dialog.Step {
			return dialog.Step{Send: [][]byte{[]byte("yes\n")}}
		}}
		done := follow(t.Context(), t, p, &agenttest.Diary{}, w)
		say(p, "turn")
		for range 1000 {
			select {
			case p.Lines <- "ask a":
				synctest.Wait()
			case <-p.Done():
			}
		}
		if got := <-done; got.res.Code != dialog.CodeNotReading {
			t.Errorf("ended %+v, %v", got.res, got.err)
		}
	})
}

// Garbage is told once and left out. Lines of kinds that are new are told at the end,
// and kept as they came.
func TestFollow_linesThatAreNotUnderstood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// Nested deeper than the standard library reads.
		deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
		p, d := agenttest.NewPuppet(), &agenttest.Diary{}
		done := follow(t.Context(), t, p, d, &words{})
		say(p, "turn", "", "  ", `{"type":"future"}`, `{"x":1}`, `{"type":"future", "n":2}`, deep, "{half", "noise", "\xff\xfe", "more noise", "say hi", "over")
		<-p.Closed
		p.Exit()
		<-done
		notices := agenttest.Of[wire.System](d.Events())
		if len(notices) != 2 || notices[0].Code != "garbage" || !strings.Contains(notices[0].Text, "Wordy") ||
			notices[1].Code != "not_understood" || !strings.Contains(notices[1].Text, "lines: 4, kinds: future, unnamed, unreadable") || notices[1].Ref == nil {
			t.Errorf("notices %+v", notices)
		}
		want := "{\"type\":\"future\"}\n{\"x\":1}\n{\"type\":\"future\", \"n\":2}\n" + deep[:16<<10] + "\n"
		if kept := d.Kept(); len(kept) != 1 || string(kept[0]) != want {
			t.Errorf("kept %q, want %q", kept, want)
		}
		if got := agenttest.Text(d.Events(), ""); got != "hi" {
			t.Errorf("text %q", got)
		}
	})
}

// A program that prints nothing but what nobody knows keeps no more than a bound.
func TestFollow_keepsABoundedPartOfWhatIsNotUnderstood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, d := agenttest.NewPuppet(), &agenttest.Diary{}
		done := follow(t.Context(), t, p, d, &words{})
		say(p, "turn")
		for range 50 {
			say(p, `{"type":"future","data":"`+strings.Repeat("x", 1<<20)+`"}`)
		}
		say(p, "over")
		<-p.Closed
		p.Exit()
		<-done
		if kept := d.Kept(); len(kept) != 1 || len(kept[0]) > 256<<10 || len(kept[0]) < 128<<10 {
			t.Errorf("%d bodies were kept", len(kept))
		}
	})
}

// A turn that goes well without a word is told as such: it leaves no empty bubble.
func TestFollow_aTurnOfNoWords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, d := agenttest.NewPuppet(), &agenttest.Diary{}
		done := follow(t.Context(), t, p, d, &words{})
		say(p, "turn", "over")
		<-p.Closed
		p.Exit()
		if got := <-done; got.res.Status != wire.StatusOK {
			t.Errorf("ended %+v, %v", got.res, got.err)
		}
		if notices := agenttest.Of[wire.System](d.Events()); len(notices) != 1 || notices[0].Code != "no_words" {
			t.Errorf("notices %+v", notices)
		}
	})
}

// An id that is used again while it is open is another request: the late end of the
// first one is no answer to the second.
func TestFollow_anAskWithTheSameID(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := true
		d := &agenttest.Diary{Answer: func(ctx context.Context, _ agent.Ask) (agent.Answer, error) {
			if first {
				first = false
				<-ctx.Done()
				return agent.Answer{Reason: "of the first"}, context.Cause(ctx)
			}
			time.Sleep(time.Hour)
			return agent.Answer{Allow: true, Reason: "of the second"}, nil
		}}
		var heard []string
		w := &words{answer: func(a agent.Answer, _ time.Time) dialog.Step {
			heard = append(heard, a.Reason)
			return dialog.Step{}
		}}
		p := agenttest.NewPuppet()
		done := follow(t.Context(), t, p, d, w)
		say(p, "turn", "ask a")
		synctest.Wait()
		say(p, "ask a")
		time.Sleep(2 * time.Hour)
		say(p, "say hi", "over")
		<-p.Closed
		p.Exit()
		<-done
		if len(heard) != 1 || heard[0] != "of the second" {
			t.Errorf("answers %q, want that of the second alone", heard)
		}
	})
}
