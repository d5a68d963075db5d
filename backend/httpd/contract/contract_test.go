package contract_test

import (
	"testing"

	"signalbox/backend/httpd/contract"
)

func TestDiskOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		free, size int64
		want       string
	}{
		{0, 0, ""}, // not known
		{0, 1 << 30, "full"},
		{1<<20 - 1, 1 << 30, "full"},
		{1 << 20, 1 << 30, ""},
	} {
		if got := contract.DiskOf(tt.free, tt.size); got != tt.want {
			t.Errorf("DiskOf(%d, %d) = %q, want %q", tt.free, tt.size, got, tt.want)
		}
	}
}
