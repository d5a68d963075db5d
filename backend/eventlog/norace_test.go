//go:build !race

package eventlog_test

const poolsLeak = false
