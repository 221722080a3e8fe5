/**
 * The number of the last commit, which a file beside the database has as well (`damage/commit-mark.ts`), a checksum of each
 * event, and what damage was found.
 */
export const commits = `
  ALTER TABLE log_position ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN checksum INTEGER;
  CREATE TABLE damages (
    found_at    INTEGER NOT NULL,
    description TEXT    NOT NULL
  ) STRICT;
`
