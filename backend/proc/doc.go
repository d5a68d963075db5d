// Package proc runs the programs that agents start, and ends all of them.
//
// It owns child processes. A [Launcher] in the daemon starts each child under a
// supervisor: a process of the same binary (the hidden command "supervise", which
// calls [Supervise]) that gives the child a controlling terminal, is told to stop
// it, and is where its orphans arrive. Stdin, stdout and stderr are pipes that
// join the child and the daemon directly. The supervisors are children of one
// guard, again the same binary, where the orphans of a supervisor arrive that
// was killed itself.
//
//	daemon ── guard ── supervisor ── child ── whatever it starts
//	   ╰───── control channel ─╯        │
//	   ╰───── stdin, stdout, stderr ────╯
//
// What is promised on Linux: when [Child.Wait] returns nothing that the child
// started is left, in whatever session or group it is and whatever signals it
// ignores, or the rest is named in [Exit.Left]. When the daemon dies, also by
// SIGKILL, the control channels close and each supervisor ends its tree; a
// supervisor that died too is stood in for by the guard, and a guard by
// [Launcher.Sweep] of the next daemon. docs/processes.md tells the limits, and
// what differs on macOS.
//
// Concurrency: a Launcher may be used from many goroutines. Of a Child, one
// goroutine reads lines, any may write, stop and wait. Nothing here waits for a
// reader of stdout but the child itself.
package proc
