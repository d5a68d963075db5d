// Package store is the index of all chats in one SQLite file: what was said, to
// be searched, and what each run used. It alone knows SQL and its driver.
//
// The file holds nothing that the logs do not hold: it may be deleted at any
// time, and whoever keeps it up to date fills it again. What cannot be read as a
// database is put aside by [Open], which begins a new one. A file of another
// version is brought forward, or begun anew where it is of a later one.
//
// Concurrency: all methods may be called from many goroutines. One writes at a
// time; readers see what was there when they began and wait for nobody.
//
// Durability: an [Store.Apply] that returned is there after the process ends; a
// loss of power may take the last ones back, together with the cursor that says
// how far a chat was read, so that nothing is missing once it is read again.
package store
