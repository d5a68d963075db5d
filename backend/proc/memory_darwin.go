package proc

import "runtime/debug"

// slim gives back what this process needed to begin and does not need to wait.
func slim() { debug.FreeOSMemory() }
