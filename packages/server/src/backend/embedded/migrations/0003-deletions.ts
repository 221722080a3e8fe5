/**
 * Deletion requests with their users, suppressed users, notices, and the indexes that find the events of a user:
 * those with the userId, and alias calls that name it as the former one.
 */
export const deletions = `
  ALTER TABLE events ADD COLUMN user_id TEXT;
  ALTER TABLE events ADD COLUMN previous_id TEXT;
  UPDATE events SET user_id = body ->> '$.userId', previous_id = body ->> '$.previousId' WHERE json_valid(body);
  CREATE INDEX events_by_user_id ON events (user_id) WHERE user_id IS NOT NULL;
  CREATE INDEX events_by_previous_id ON events (previous_id) WHERE previous_id IS NOT NULL;

  -- The request is in the document; what changes has columns. step is the one to be done next.
  CREATE TABLE deletions (
    id                TEXT    NOT NULL PRIMARY KEY,
    step              TEXT    NOT NULL,
    started_at        INTEGER,
    suppressed_at     INTEGER,
    purged_at         INTEGER,
    notified_at       INTEGER,
    purged_events     INTEGER NOT NULL DEFAULT 0,
    purged_deliveries INTEGER NOT NULL DEFAULT 0,
    document          TEXT    NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deletions_open ON deletions (id) WHERE step <> 'done';

  CREATE TABLE deletion_users (
    deletion_id TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    PRIMARY KEY (deletion_id, user_id)
  ) STRICT, WITHOUT ROWID;

  -- An empty source_id stands for every source, those to come included.
  CREATE TABLE suppressions (
    seq         INTEGER PRIMARY KEY,
    user_id     TEXT    NOT NULL,
    source_id   TEXT    NOT NULL,
    since       INTEGER NOT NULL,
    deletion_id TEXT    NOT NULL,
    UNIQUE (user_id, source_id)
  ) STRICT;

  -- A delivery each, of a deletion in place of an event. Failed attempts are in attempts, with all others.
  CREATE TABLE notices (
    id             TEXT    NOT NULL PRIMARY KEY,
    deletion_id    TEXT    NOT NULL,
    source_id      TEXT    NOT NULL,
    destination_id TEXT    NOT NULL,
    user_id        TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    state          TEXT    NOT NULL,
    rounds         INTEGER NOT NULL,
    first_due_at   INTEGER NOT NULL,
    due_at         INTEGER,
    ended_at       INTEGER,
    attempts       INTEGER NOT NULL,
    webhooks       TEXT    NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX notices_due ON notices (destination_id, due_at) WHERE state = 'pending';
  CREATE INDEX notices_held ON notices (destination_id) WHERE state = 'held';
  -- Holds all that is counted.
  CREATE INDEX notices_of_deletion
    ON notices (deletion_id, source_id, destination_id, state, ended_at, attempts);
`
