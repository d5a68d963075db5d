// Package catalog is the list of chats: what each is called, whose it is, what
// was chosen for it and how its last run ended.
//
// It owns chats/<id>/meta.json, one writer for all of them, and an index of
// them in memory. A change is durable before it shows: the file is replaced
// whole first. Fields that this version does not know are kept. A file that is
// missing or cannot be read is made again from the chat's log as far as the log
// tells it, and a damaged one is kept beside it. The phase of a chat's run lives
// in memory alone; the hub sets it.
//
// All methods may be called from many goroutines at once. Changes of one chat
// happen one after the other; those of different chats do not wait for each
// other. Watchers hold a set of the chats that changed, never a queue, so one
// that is slow costs an id per chat.
//
// A chat in the trash keeps its files as they are, and is not found by any method
// but those for the trash. What is deleted for good is marked so first, and its
// metadata goes last, so that a deletion that is cut off is gone on with.
//
// The catalog knows no agents and no rights: those who call it check both.
package catalog
