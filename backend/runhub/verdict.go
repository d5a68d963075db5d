package runhub

import (
	"errors"

	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// ending is how a run came to its end.
type ending struct {
	result agent.Result
	err    error          // a fault on our side
	cause  error          // why the run's context ended; nil if it did not
	left   []proc.Process // what could not be ended
}

// verdict returns the run's complete and the events that go before it.
func (e *ending) verdict() (wire.Complete, []wire.Event) {
	c := wire.Complete{
		Status: e.result.Status, Code: e.result.Code, Notice: e.result.Notice,
		Usage: e.result.Usage, Turn: e.result.Turn,
	}
	var evs []wire.Event
	fail := func(code, message, hint string) {
		c.Status, c.Code = wire.StatusFailed, code
		evs = append(evs, wire.Error{Code: code, Message: message, Hint: hint})
	}
	person, byPerson := errors.AsType[*stopped](e.cause)
	over, byBudget := errors.AsType[*overBudget](e.cause)
	refused, byLog := errors.AsType[*unwritable](e.cause)
	switch {
	case len(e.left) > 0:
		fail("processes_left", "Processes of this run could not be ended: "+names(e.left)+".",
			"End them by hand; the chat is free again once they are gone.")
		c.Notice = "Left running: " + names(e.left) + "."
	case byLog:
		fail("log_refused", "The run was stopped, since what it did could not be saved. "+message(refused.err),
			"Free some space on the disk of the data folder, then go on with another prompt.")
	case errors.Is(e.cause, errShutdown):
		c.Status, c.Code, c.Notice = wire.StatusInterrupted, codeShutdown, "Signalbox was stopped during the run."
	case byBudget:
		c.Status, c.Code, c.Notice = wire.StatusMaxIterations, over.code, over.notice
	case byPerson:
		c.Status, c.Code, c.Notice = wire.StatusCancelled, "", "Stopped by "+person.by.Name+"."
		if person.instead {
			c.Notice = "Stopped by " + person.by.Name + " for another prompt."
		}
	case e.err != nil:
		f, ok := errors.AsType[*fault.Error](e.err)
		if !ok {
			f = fault.New(fault.Internal, "The agent could not be run, through a fault of Signalbox.").
				WithHint("Send the prompt again; what happened is in the daemon's log.")
		}
		fail(string(f.Code), f.Message, f.Hint)
	case !ended(e.result.Status):
		fail("no_verdict", "The agent ended without saying how the run went.", "Look at what it did, then send the prompt again.")
	}
	return c, evs
}

// ended reports whether an agent may end a run with s.
func ended(s wire.Status) bool {
	switch s {
	case wire.StatusOK, wire.StatusCancelled, wire.StatusFailed, wire.StatusMaxIterations, wire.StatusInterrupted:
		return true
	default:
		return false
	}
}

// message returns what people may read of err.
func message(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Message
	}
	return "The disk may be full or read-only."
}
