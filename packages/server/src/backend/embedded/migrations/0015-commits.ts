/** Also for a salvage, which may make the database of an older version. */
export const DAMAGES_TABLE = `
  CREATE TABLE IF NOT EXISTS damages (
    found_at    INTEGER NOT NULL,
    description TEXT    NOT NULL,
    blocks      INTEGER NOT NULL, -- the start is refused until a person accepts it
    is_told     INTEGER NOT NULL
  ) STRICT;
`

/**
 * The number of the last commit, which a file beside the database has as well (`database/commit-mark.ts`), a checksum of each
 * event, and what damage was found.
 */
export const commits = `
  ALTER TABLE log_position ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN checksum INTEGER;
  ${DAMAGES_TABLE}
`
