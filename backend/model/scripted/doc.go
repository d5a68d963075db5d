// Package scripted is a scripted model API on loopback: real agents run whole
// turns against it, offline and the same each time.
//
// A [Server] owns the scenarios, the counters of faults that pass and the log of
// requests. It speaks the Messages API (Claude Code), the Responses API (Codex)
// and chat completions (Kimi Code), each through a door of its own, which reads a
// request into a [Conversation] and writes the neutral blocks of a [Step] in its
// own words.
//
// What is answered: the last "SCENARIO <name>" of the user's texts picks the
// [Scenario], and the number of batches of tool results after it is the step. So
// an agent that ran the tool and calls again gets the next step, and one that
// tries again gets the same. Without that word the scenario is "text".
//
// Tokens are counted, four characters each, so what an agent reports can be
// compared with what the server told it: [Request.Usage].
//
// Concurrency: all methods may be called from many goroutines at once. The log
// keeps the newest requests up to [Options.Keep]; [Server.Dropped] counts the
// rest.
package scripted
