/**
 * Deletions, suppressions and notices of anonymous ids. `kind` says what the id in `user_id` is, as in `profile_ids`: `user` or
 * `anonymous`. Kept answers from before may show events of users; such answers are no longer kept.
 */
export const anonymousDeletions = `
  DELETE FROM kept_answers;

  CREATE TABLE deletion_anonymous_ids (
    deletion_id  TEXT NOT NULL,
    anonymous_id TEXT NOT NULL,
    PRIMARY KEY (deletion_id, anonymous_id)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE deletions ADD COLUMN purged_anonymous_events INTEGER NOT NULL DEFAULT 0;

  ALTER TABLE notices ADD COLUMN kind TEXT NOT NULL DEFAULT 'user';

  ALTER TABLE suppressions RENAME TO suppressions_before;
  CREATE TABLE suppressions (
    seq              INTEGER PRIMARY KEY,
    kind             TEXT    NOT NULL,
    user_id          TEXT    NOT NULL,
    source_id        TEXT    NOT NULL,
    since            INTEGER NOT NULL,
    deletion_id      TEXT    NOT NULL,
    calls_left_out   INTEGER NOT NULL DEFAULT 0,
    last_left_out_at INTEGER,
    UNIQUE (kind, user_id, source_id)
  ) STRICT;
  INSERT INTO suppressions
    SELECT seq, 'user', user_id, source_id, since, deletion_id, calls_left_out, last_left_out_at
    FROM suppressions_before;
  DROP TABLE suppressions_before;
`
