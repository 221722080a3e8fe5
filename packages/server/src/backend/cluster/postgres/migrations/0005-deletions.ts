/**
 * Deletions, whom they are about, suppressions and notices. An id of a user may be as long as a call, and a row of a B-tree
 * has at most 2,700 bytes, so ids are in hash indexes, or in others by how they begin. What must be there once is looked for under a lock.
 */
export const deletions = `
  CREATE TABLE deletions (
    id                      txt    NOT NULL PRIMARY KEY,
    step                    txt    NOT NULL,
    started_at              bigint,
    suppressed_at           bigint,
    purged_at               bigint,
    notified_at             bigint,
    purge_through           bigint,
    purged_events           bigint NOT NULL DEFAULT 0,
    purged_anonymous_events bigint NOT NULL DEFAULT 0,
    purged_deliveries       bigint NOT NULL DEFAULT 0,
    document                text   NOT NULL
  );
  CREATE INDEX deletions_open ON deletions (id) WHERE step <> 'done';

  CREATE TABLE deletion_ids (deletion_id txt NOT NULL, kind txt NOT NULL, id txt NOT NULL);
  CREATE INDEX deletion_ids_in_order ON deletion_ids (deletion_id, kind, left(id, 500));

  -- Each purge of an id adds a row, in the order of number: a node reads on from the last one that it knows.
  ALTER TABLE purged_ids
    DROP CONSTRAINT purged_ids_pkey,
    ADD number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ADD added_at timestamptz NOT NULL DEFAULT now();
  CREATE INDEX purged_ids_by_id ON purged_ids USING hash (id);
  CREATE INDEX purged_ids_by_time ON purged_ids (added_at);

  -- An empty source_id stands for every source, those to come included.
  CREATE TABLE suppressions (
    seq              bigint NOT NULL PRIMARY KEY,
    kind             txt    NOT NULL,
    user_id          txt    NOT NULL,
    source_id        txt    NOT NULL,
    since            bigint NOT NULL,
    deletion_id      txt    NOT NULL,
    calls_left_out   bigint NOT NULL DEFAULT 0,
    last_left_out_at bigint
  );
  CREATE INDEX suppressions_of_user ON suppressions USING hash (user_id);

  -- Suppressions that ended lately. Both tables draw from one sequence under a lock, so a replica reads on from a number.
  CREATE SEQUENCE suppression_changes;
  CREATE TABLE ended_suppressions (
    seq      bigint NOT NULL PRIMARY KEY,
    kind     txt    NOT NULL,
    user_id  txt    NOT NULL,
    ended_at timestamptz NOT NULL DEFAULT now()
  );

  -- A delivery each, of a deletion in place of an event.
  CREATE TABLE notices (
    id             txt     NOT NULL PRIMARY KEY,
    deletion_id    txt     NOT NULL,
    source_id      txt     NOT NULL,
    destination_id txt     NOT NULL,
    kind           txt     NOT NULL,
    user_id        txt     NOT NULL,
    created_at     bigint  NOT NULL,
    state          txt     NOT NULL,
    rounds         int     NOT NULL,
    first_due_at   bigint  NOT NULL,
    due_at         bigint,
    ended_at       bigint,
    attempts       int     NOT NULL,
    webhooks       text    NOT NULL,
    is_waiting     boolean NOT NULL
  );
  CREATE INDEX notices_of_deletion ON notices (deletion_id, id);
  CREATE INDEX notices_open ON notices (destination_id, state) WHERE state IN ('pending', 'held');
`
