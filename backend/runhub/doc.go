// Package runhub runs prompts: it holds each chat's lock, its run and those who
// follow it.
//
// The life of a chat's lock is idle, starting, running, stopping, idle. A prompt
// takes the lock, is logged and synced, and only then acknowledged and given to
// an agent. Every logged prompt gets exactly one complete event, whatever
// happens: when the agent has ended and no process of it is left, complete is
// logged and synced, and then the lock is free. What a crash or a full disk
// leaves without one, [Hub.Recover] completes at the next start, and the chat's
// next prompt before its own. If processes cannot be ended the chat is held: its
// lock stays taken until they are gone.
//
// A prompt to a busy chat waits in its queue (package queue), which is saved before
// the prompt is acknowledged. Who frees the lock sends the next one under the same
// hold of the chat's door, so that nobody overtakes it. The log decides what was
// sent: a prompt leaves the queue after it is in the log, and what a crash leaves in
// both is dropped from the queue. After any verdict but ok, a restart or a rewind the
// queue rests until somebody resumes it, or until the time that it was given.
//
// What an agent asks lies on its run's desk until the mode, a rule of the chat or
// a person answers. The first answer is logged and counts; the others are told
// who was first. Nothing times out: what nobody answered has expired when its run
// is complete, which is read from the log and never written into it.
//
// A rewind, a restore and the deletion of a chat need its lock to be free: what
// waits in the queue or comes meanwhile begins after them, or not at all. An agent
// goes on where the chat does. Its session is resumed as long as it holds what the
// chat shows and nothing else; else a copy of it that ends with the chat, or a new
// one that is told what was said.
//
// Ownership. The table of chats has a mutex. A chat has a door, held while
// somebody is let in, its queue or its log is changed; one mutex for its lock and its fold of
// the log, under which the log may be read; and one for its passing frames. A fork
// may take those of the chat that it is a fork of, not the other way round. A desk
// has one, under which its answers are logged; it may be held while the metadata
// is written and a chat's is taken, not the other way round. Each run has one
// goroutine, which alone moves the run on; [Hub.Run] waits for all of them, and
// for the one that removes what is kept no longer, and itself looks when a queue's
// time has come. The agent's own goroutine is waited for too, unless it does not
// react to being stopped: then it is left behind, with nothing that it could still
// write to.
//
// Delivery. A [Feed] is a cursor over the chat's log, plus the latest passing
// frame of each kind. Events are never lost or doubled; of passing frames a slow
// feed gets the latest. A frame never overtakes the events before it, so nobody
// hears that a run has ended before they have its complete.
package runhub
