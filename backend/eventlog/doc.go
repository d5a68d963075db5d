// Package eventlog keeps each chat's events in an append-only file of JSON
// lines, with the large strings of the events beside it by hash. docs/formats.md
// specifies the files.
//
// A [Store] owns one data folder: it holds the folder's lock, and in every
// chat's folder the files events.jsonl, events.bad, open, rewound and blobs.
// Other packages keep files of other names there. A [Log] is one chat's log; a
// [Follower] is a cursor over it, for which replay and live are one loop: so
// nothing can be missed or seen twice, and a slow reader costs one number.
//
// Concurrency: all methods may be called from many goroutines at once, but for
// [Follower.Next], which one goroutine calls. Append and the methods that
// replace the file take turns; readers never wait for a write or a sync.
//
// Durability: what [Log.Append] has returned survives the end of the process;
// what [Log.Sync] has confirmed survives a loss of power. One group sync serves
// the whole folder. A sync that fails is reported to all who wait for it, and
// since the system may then have dropped what it could not write, the log is
// written anew, from what can be read back, before any later sync succeeds.
// Rewind, restore, clear, fork and repair put a new file in place by rename,
// synced before they return.
//
// Times in a log never go backwards: an event appended while the clock is
// behind the last event gets the last event's time.
//
// What an event means, who may append, and that no run lives during a rewind
// are the caller's business.
package eventlog
