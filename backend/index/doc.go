// Package index keeps the search index up to date from the logs: what was said,
// to be found, and what runs used, to be counted.
//
// It owns the file of package store and, for each chat, a cursor over its log. At
// the start it looks which logs grew while nobody watched, and reads them in the
// background, a piece of one and then of the next; then it follows what is
// appended. Events that a rewind took out leave the index, and come back when
// they are restored; what their runs used stays counted.
//
// The logs are the truth: the index may be deleted at any time, and is then made
// anew. A run never waits for it. Where the disk refuses to take more, searching
// goes on with what is there, and reading goes on when there is room; a file that
// is damaged is put aside and begun anew.
//
// Concurrency: all methods may be called from many goroutines. One goroutine
// reads and writes, that of [Index.Run]. It keeps in memory the cursors, and of
// the chats that change now the text of unfinished answers, at most 64 KiB each.
package index
