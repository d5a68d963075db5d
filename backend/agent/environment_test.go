package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		parent []string
		extra  map[string]string
		want   []string
	}{
		{
			name: "nothing is inherited but what is listed",
			parent: []string{
				"ANTHROPIC_API_KEY=secret", "SIGNALBOX_DATA=/d", "AWS_SECRET_ACCESS_KEY=secret", "LD_PRELOAD=x.so",
			},
			want: []string{},
		},
		{
			name:   "the listed ones and every LC_ variable",
			parent: []string{"PATH=/bin", "HOME=/home/user", "LC_ALL=C", "LC_TIME=de", "https_proxy=http://p:1"},
			want:   []string{"HOME=/home/user", "LC_ALL=C", "LC_TIME=de", "PATH=/bin", "https_proxy=http://p:1"},
		},
		{
			name:   "extra wins over the parent",
			parent: []string{"PATH=/bin", "TERM=dumb"},
			extra:  map[string]string{"PATH": "/opt", "GIT_TERMINAL_PROMPT": "1", "ANTHROPIC_API_KEY": "k"},
			want:   []string{"ANTHROPIC_API_KEY=k", "GIT_TERMINAL_PROMPT=1", "PATH=/opt", "TERM=dumb"},
		},
		{
			name:   "values keep their equals signs, and the last of a name wins",
			parent: []string{"HOME=/a", "HOME=/b=c"},
			want:   []string{"HOME=/b=c"},
		},
		{
			name:   "what can be in no environment is left out",
			parent: []string{"HOME", "=C:", ""},
			extra:  map[string]string{"": "x", "A=B": "x", "N\x00": "x", "V": "x\x00"},
			want:   []string{},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, agent.Environment(tt.parent, tt.extra)); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	env := []string{"A=1", "B=", "A=2=3"}
	if v, ok := agent.Lookup(env, "A"); v != "2=3" || !ok {
		t.Errorf("A = %q, %v", v, ok)
	}
	if v, ok := agent.Lookup(env, "B"); v != "" || !ok {
		t.Errorf("B = %q, %v", v, ok)
	}
	if _, ok := agent.Lookup(env, "C"); ok {
		t.Error("C is there")
	}
}
