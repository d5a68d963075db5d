// Package chat holds the rules of a chat: what its events mean, which prompts
// are taken, what it is called.
//
// [State] is a fold of a chat's log, [Recall] one from its end back. A State is made again from the log whenever it
// is needed, so nothing in it needs to be stored. Whoever owns a State guards
// it; the functions of the package may be called from many goroutines at once.
package chat
