-- Which chat has an agent's session; of several, as forks have it too, the oldest.
CREATE TABLE sessions (
  id   TEXT PRIMARY KEY,
  chat TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_chat ON sessions (chat);

-- What was read before has to be read again for that.
UPDATE chats SET epoch = 0, seq = 0, size = -1, mtime = -1;
