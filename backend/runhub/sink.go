package runhub

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"signalbox/backend/wire"
)

const (
	// window and windowBytes are how late a delta may be.
	window      = 40 * time.Millisecond
	windowBytes = 2 << 10
	// maxItems is how many blocks of a run are told apart: the first delta of
	// one that was forgotten counts as the first again, and is not delayed.
	maxItems = 4096
)

var errSinkClosed = errors.New("the run has ended")

// appender is what a sink needs of a chat's log.
type appender interface {
	Append(drafts ...wire.Draft) (last uint64, err error)
	End() wire.Position
}

// sink is the one way into the log for a run's events. It joins deltas: the
// first of a block is logged at once, later ones up to a window late, and any
// other event makes those that wait go first, in the same write. Passing
// remarks are slowed down by the same window.
//
// Once the log has refused a write the sink takes nothing more but the end.
type sink struct {
	log   appender
	run   wire.RunID
	board *board
	// failed is told, once and with the mutex held, that the log refuses.
	failed func(error)

	mu      sync.Mutex
	items   map[itemKey]*item // the blocks seen
	waiting []*item           // those with text, in the order of their first piece
	outputs outputs
	remarks map[slotKey]wire.Frame // those that wait
	last    time.Time              // of the last write or remark
	timer   *time.Timer            // runs while something waits
	ready   []wire.Draft           // what goes out with the next write
	unsaved []wire.Draft           // what the log refused
	err     error                  // why the sink takes no more
}

type itemKey struct {
	kind         wire.Type
	id, parentID string
}

type item struct {
	key  itemKey
	text []byte
}

// emit logs the events, in one write. Deltas may be logged later. After an error
// of one of them the others are logged.
func (s *sink) emit(evs ...wire.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	var errs []error
	for _, ev := range evs {
		errs = append(errs, s.takeLocked(ev))
	}
	return errors.Join(append(errs, s.writeLocked())...)
}

// settle logs events of which somebody is told whether they count: those that the
// log refuses are gone, and are not written later with what else it refused.
func (s *sink) settle(evs ...wire.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if err := s.readyLocked(evs...); err != nil {
		return err
	}
	err := s.writeLocked()
	if err != nil {
		s.unsaved = s.unsaved[:len(s.unsaved)-len(evs)]
	}
	return err
}

// takeLocked makes an event ready to be written, or joins a delta to those that
// wait.
func (s *sink) takeLocked(ev wire.Event) error {
	switch ev := ev.(type) {
	case wire.AssistantText:
		if ev.Final == "" {
			return s.deltaLocked(itemKey{ev.Type(), ev.Item, ev.ParentToolID}, ev.Delta)
		}
	case wire.Thinking:
		if ev.Final == "" {
			return s.deltaLocked(itemKey{ev.Type(), ev.Item, ev.ParentToolID}, ev.Delta)
		}
	case wire.ToolOutput:
		for _, piece := range pieces(s.outputs.take(ev.ToolID, ev.Delta)) {
			if err := s.deltaLocked(itemKey{kind: ev.Type(), id: ev.ToolID}, piece); err != nil {
				return err
			}
		}
		return nil
	case wire.ToolUseStart:
		s.forgetRemarkLocked(ev.ToolID)
	case wire.ToolUseEnd:
		if err := s.readyLocked(s.outputs.end(ev.ToolID)...); err != nil {
			return err
		}
	}
	return s.readyLocked(ev)
}

// remark shows a passing frame, now or within the window; the latest wins.
func (s *sink) remark(key slotKey, f wire.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	if s.remarks == nil {
		s.remarks = map[slotKey]wire.Frame{}
	}
	if _, ok := s.remarks[key]; !ok && len(s.remarks) >= maxRemarks {
		return // more tools at once than are shown
	}
	s.remarks[key] = f
	if s.timer == nil && time.Since(s.last) >= window {
		s.showLocked()
		s.last = time.Now()
		return
	}
	s.armLocked()
}

// finish logs what waits and then evs, the last of the run, all in one write. An
// error means that nothing of it was logged: it may be tried again.
func (s *sink) finish(evs ...wire.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disarmLocked()
	if !errors.Is(s.err, errSinkClosed) {
		if err := s.readyLocked(s.outputs.endAll()...); err != nil {
			return err
		}
		s.unsaved, s.ready = append(s.unsaved, s.ready...), nil
		s.err = errSinkClosed
	}
	last, err := drafts(s.run, evs...)
	if err != nil {
		return err
	}
	_, err = s.log.Append(append(s.unsaved[:len(s.unsaved):len(s.unsaved)], last...)...)
	if err != nil && len(s.unsaved) > 0 {
		// What was refused before may be what is refused now. The end counts
		// more, with a word of what is missing.
		_, err = s.appendWithout(last)
	}
	if err != nil {
		return err
	}
	s.unsaved = nil
	s.board.drop(func(slotKey) bool { return true })
	return nil
}

func (s *sink) appendWithout(last []wire.Draft) (uint64, error) {
	notice, err := wire.NewDraft(s.run, wire.System{
		Level: wire.LevelWarn, Code: "events_lost",
		Text: fmt.Sprintf("%d events of this run could not be written down.", len(s.unsaved)),
	})
	if err != nil {
		return 0, err
	}
	return s.log.Append(append([]wire.Draft{notice}, last...)...)
}

func (s *sink) deltaLocked(key itemKey, delta string) error {
	if delta == "" {
		return nil
	}
	it := s.items[key]
	first := it == nil
	if first {
		it = s.itemLocked(key)
	}
	fresh := len(s.waiting) == 0 && time.Since(s.last) >= window
	if first || fresh || len(delta) >= windowBytes {
		// Long pieces are not joined: they may be kept beside the log.
		return s.readyLocked(key.event(delta))
	}
	if len(it.text) == 0 {
		s.waiting = append(s.waiting, it)
	}
	it.text = append(it.text, delta...)
	if len(it.text) >= windowBytes {
		return s.readyLocked()
	}
	s.armLocked()
	return nil
}

func (s *sink) itemLocked(key itemKey) *item {
	if s.items == nil || len(s.items) >= maxItems {
		s.items = map[itemKey]*item{}
		for _, it := range s.waiting {
			s.items[it.key] = it
		}
	}
	it := &item{key: key}
	s.items[key] = it
	return it
}

// readyLocked makes the deltas that wait and then evs ready to be written. If one
// of evs cannot be encoded, the deltas go on waiting.
func (s *sink) readyLocked(evs ...wire.Event) error {
	own, err := drafts(s.run, evs...)
	if err != nil {
		return err
	}
	for _, it := range s.waiting {
		d, err := wire.NewDraft(s.run, it.key.event(string(it.text)))
		if err != nil {
			return err
		}
		s.ready = append(s.ready, d)
		it.text = it.text[:0]
	}
	s.waiting = s.waiting[:0]
	s.ready = append(s.ready, own...)
	s.last = time.Now()
	return nil
}

// writeLocked logs what is ready.
func (s *sink) writeLocked() error {
	if len(s.ready) == 0 {
		return nil
	}
	if len(s.waiting) == 0 {
		s.disarmLocked()
	}
	s.showLocked()
	if _, err := s.log.Append(s.ready...); err != nil {
		s.unsaved, s.ready, s.err = s.ready, nil, err
		s.failed(err)
		return err
	}
	clear(s.ready) // they may be large
	s.ready = s.ready[:0]
	return nil
}

func drafts(run wire.RunID, evs ...wire.Event) ([]wire.Draft, error) {
	ds := make([]wire.Draft, 0, len(evs))
	for _, ev := range evs {
		d, err := wire.NewDraft(run, ev)
		if err != nil {
			return nil, err
		}
		ds = append(ds, d)
	}
	return ds, nil
}

func (k itemKey) event(text string) wire.Event {
	switch k.kind {
	case wire.TypeThinking:
		return wire.Thinking{Item: k.id, Delta: text, ParentToolID: k.parentID}
	case wire.TypeToolOutput:
		return wire.ToolOutput{ToolID: k.id, Delta: text}
	default:
		return wire.AssistantText{Item: k.id, Delta: text, ParentToolID: k.parentID}
	}
}

func (s *sink) showLocked() {
	if len(s.remarks) > 0 {
		s.board.remark(s.remarks, s.log.End().Seq)
		clear(s.remarks)
	}
}

func (s *sink) forgetRemarkLocked(tool string) {
	key := slotKey{kind: wire.TypeToolUseInput, id: tool}
	delete(s.remarks, key)
	s.board.drop(func(k slotKey) bool { return k == key })
}

func (s *sink) armLocked() {
	if s.timer == nil {
		s.timer = time.AfterFunc(window-time.Since(s.last), s.elapsed)
	}
}

func (s *sink) disarmLocked() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// elapsed runs when the window is over. A timer that was stopped too late finds
// nothing that waits.
func (s *sink) elapsed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.disarmLocked()
	s.showLocked()
	s.last = time.Now()
	if err := errors.Join(s.readyLocked(), s.writeLocked()); err != nil {
		return // failed was told
	}
}
