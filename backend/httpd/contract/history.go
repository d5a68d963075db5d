package contract

// Rewind takes a prompt and all that follows out of a chat.
type Rewind struct {
	Seq uint64 `json:"seq" minimum:"1" doc:"The seq of the prompt's user event."`
}

// Restore brings back what a rewind took out.
type Restore struct {
	// Epoch names the cut; absent means the last one.
	Epoch uint64 `json:"epoch,omitempty"`
}

// Fork makes a new chat of what another holds: of all of it, unless After or Cut
// says else.
type Fork struct {
	// After is the seq of the complete event with which the fork ends.
	After uint64 `json:"after,omitempty"`
	// Cut is the epoch of what a rewind took out: the fork is the chat as it was
	// before that.
	Cut uint64 `json:"cut,omitempty"`
	// Title is the fork's; absent means one that is made of the chat's.
	Title string `json:"title,omitempty" maxLength:"200"`
}
