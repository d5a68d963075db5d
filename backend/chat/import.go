package chat

// ImportPrefix begins the client id of a prompt that was not sent here: it was
// imported with what an agent did outside.
const ImportPrefix = "import-"
