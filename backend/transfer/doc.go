// Package transfer takes chats out of Signalbox and into it: exports to read
// (Markdown, HTML) and to keep (JSON lines, with all that the chat holds), imports
// of the latter, and imports of sessions that an agent keeps outside.
//
// What is imported is hostile input: it is checked line by line, every size is
// bounded, and nothing in it names a file. Sessions of agents that an export
// names are not taken over: they belong to another machine, and resuming one here
// would read what somebody else said to an agent.
//
// The package owns nothing. Its functions may be called from many goroutines.
package transfer
