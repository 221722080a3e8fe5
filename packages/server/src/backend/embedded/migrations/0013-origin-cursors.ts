/**
 * Where an event comes from that no client sent, as JSON; `NULL` for an event of a client. And how far each of those who
 * follow the log has come: retention removes no event that one of them has not reached.
 */
export const originCursors = `
  ALTER TABLE events ADD COLUMN origin TEXT;
  CREATE TABLE cursors (name TEXT PRIMARY KEY, through INTEGER NOT NULL) STRICT;
`
