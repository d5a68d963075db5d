//go:build race

package eventlog_test

// poolsLeak tells that sync.Pool drops some of what it is given, as it does
// under the race detector.
const poolsLeak = true
