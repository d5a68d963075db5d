//go:build linux

package main

import (
	"testing"

	"signalbox/backend/wire"
)

// What a client had may be gone only where the log says that it took it out, and may
// be another event only where that was a damage.
func TestCuts_excuse(t *testing.T) {
	t.Parallel()
	rewind := wire.Epoch{Epoch: 2, Keep: 10, Cause: wire.CauseRewind}
	repair := wire.Epoch{Epoch: 3, Keep: 20, Cause: wire.CauseRepair}
	restore := wire.Epoch{Epoch: 4, Keep: 15, Cause: wire.CauseRestore}
	tests := []struct {
		name        string
		cuts        cuts
		at          wire.Position
		gone, other bool
	}{
		{name: "nothing was taken out", at: wire.Position{Epoch: 1, Seq: 5}},
		{name: "a rewind keeps what is before it", cuts: cuts{rewind}, at: wire.Position{Epoch: 1, Seq: 10}},
		{name: "a rewind takes what follows", cuts: cuts{rewind}, at: wire.Position{Epoch: 1, Seq: 11}, gone: true},
		{name: "what came after the rewind stays", cuts: cuts{rewind}, at: wire.Position{Epoch: 2, Seq: 12}},
		{name: "a power cut takes what was not durable", cuts: cuts{rewind, repair}, at: wire.Position{Epoch: 2, Seq: 21}, gone: true, other: true},
		{name: "a power cut keeps what was", cuts: cuts{rewind, repair}, at: wire.Position{Epoch: 2, Seq: 20}},
		{name: "a rewind that was taken back", cuts: cuts{restore}, at: wire.Position{Epoch: 1, Seq: 15}},
		{name: "the event of a rewind that was taken back", cuts: cuts{restore}, at: wire.Position{Epoch: 2, Seq: 16}, gone: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if gone, other := tt.cuts.excuse(tt.at); gone != tt.gone || other != tt.other {
				t.Errorf("excuse(%s) = gone %v, other %v, want %v, %v", tt.at, gone, other, tt.gone, tt.other)
			}
		})
	}
}
