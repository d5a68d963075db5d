-- How far each chat's log was read.
CREATE TABLE chats (
  num   INTEGER PRIMARY KEY,
  id    TEXT    NOT NULL UNIQUE,
  epoch INTEGER NOT NULL,
  seq   INTEGER NOT NULL,
  size  INTEGER NOT NULL, -- of the log when all of it was read, else -1
  mtime INTEGER NOT NULL  -- likewise, in nanoseconds
) STRICT;

-- A piece of text of a chat. The id is its time in milliseconds, times 2^20, plus
-- a count: so ids are in the order of time, and a span of time is a span of ids.
CREATE TABLE docs (
  id    INTEGER PRIMARY KEY,
  chat  INTEGER NOT NULL, -- chats.num
  seq   INTEGER NOT NULL,
  kind  TEXT    NOT NULL, -- the type of its event
  agent TEXT    NOT NULL,
  text  TEXT    NOT NULL
) STRICT;
CREATE INDEX docs_by_seq ON docs (chat, seq);

-- The words of docs, by the same id; the text itself is not kept twice. In scope
-- are tokens of the daemon's own: c12 for a chat, a and hex for an agent.
CREATE VIRTUAL TABLE words USING fts5(
  text, scope,
  content = '', contentless_delete = 1,
  tokenize = 'unicode61 remove_diacritics 2'
);

-- The words that occur, folded: so a search for the beginning of a word becomes
-- one for words. Those that only removed texts had stay.
CREATE TABLE terms (
  word TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- What each run used. A run that forks copied belongs to the oldest chat.
CREATE TABLE runs (
  run         TEXT    PRIMARY KEY,
  chat        TEXT    NOT NULL,
  started     INTEGER NOT NULL, -- milliseconds
  person      TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  agent       TEXT    NOT NULL,
  model       TEXT    NOT NULL,
  status      TEXT    NOT NULL, -- empty before the run's end
  ms          INTEGER NOT NULL,
  input       INTEGER NOT NULL,
  output      INTEGER NOT NULL,
  cache_read  INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  reasoning   INTEGER NOT NULL,
  cost        REAL,             -- dollars; null where it is not known
  cost_kind   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_by_time ON runs (started);
CREATE INDEX runs_by_chat ON runs (chat);
