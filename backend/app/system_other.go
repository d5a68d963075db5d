//go:build !linux

package app

// examineSystem tells whether the system can find every process of a run.
func examineSystem() Finding {
	return Finding{
		What: "processes", State: "a process that leaves its session may outlive a killed daemon",
		Hint: "This system has no subreaper; docs/processes.md tells the limits.",
	}
}
