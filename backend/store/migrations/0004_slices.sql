-- Each text has its slice of time among its words. What was read before is read again
-- for that.
UPDATE chats SET epoch = 0, seq = 0, size = -1, mtime = -1;
