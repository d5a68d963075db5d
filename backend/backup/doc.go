// Package backup writes all that a data folder holds into one file, also while
// the daemon works, and makes a data folder of such a file. docs/formats.md
// specifies it.
//
// Of each chat the file has the log up to one moment and all that this refers to,
// so each chat is as it was at a moment of its own. The search index is left out,
// as it can be made again; so is what belongs to a process: locks, sockets, the
// records of live runs. A run that lived is found without an end, and is told as
// interrupted.
//
// A restored folder is checked against the hashes in the file. Until it is whole
// it has a mark, [Unfinished], with which no daemon starts.
//
// Concurrency: functions may be called from many goroutines, on different folders.
package backup
