package prompt_test

import (
	"strings"
	"testing"

	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

// A43 to A48: each mode has its words, Code has none.
func TestForAgent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode wire.Mode
		want []string // words that carry the mode's meaning
	}{
		{wire.ModeChat, []string{"Answer directly", "no files"}},
		{wire.ModePlan, []string{"plan", "Edit nothing"}},
		{wire.ModeReview, []string{"bugs", "regressions", "missing tests", "risks"}},
		{wire.ModeDebug, []string{"Reproduce", "smallest change", "cause"}},
		{wire.ModeFullAuto, []string{"check", "Stop only"}},
	}
	const text = "  Why is it slow?\nsecond line "
	for _, tt := range tests {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			got := prompt.ForAgent(tt.mode, text)
			prefix, ok := strings.CutSuffix(got, "\n\n"+text)
			if !ok {
				t.Fatalf("the prompt is not kept as it is: %q", got)
			}
			for _, w := range tt.want {
				if !strings.Contains(prefix, w) {
					t.Errorf("%q is missing in %q", w, prefix)
				}
			}
		})
	}
	for _, mode := range []wire.Mode{wire.ModeCode, "", "no such mode"} {
		if got := prompt.ForAgent(mode, text); got != text {
			t.Errorf("mode %q changed the prompt to %q", mode, got)
		}
	}
}
