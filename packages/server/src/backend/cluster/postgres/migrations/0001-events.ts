/**
 * The archive. `txt` is text in the order of its bytes. Ids sort by time, so one partition has the events of a day; what
 * belongs to an event is partitioned in the same way.
 *
 * `seq` is the order of archiving, and `log_position` that of the log: a purge goes by the log, a follower by the archive.
 *
 * An id that a client sends may be as long as a call, and a row of a B-tree has at most 2,700 bytes, so the indexes have only how
 * it begins: `isId` of event-rows.ts makes a condition that they serve.
 */
export const events = `
  CREATE DOMAIN txt AS text COLLATE "C";

  CREATE TABLE events (
    id                txt    NOT NULL PRIMARY KEY,
    seq               bigint NOT NULL,
    log_position      bigint NOT NULL,
    source_id         txt    NOT NULL,
    message_id        txt    NOT NULL,
    type              txt    NOT NULL,
    user_id           txt,
    anonymous_id      txt,
    previous_id       txt,
    received_at       bigint NOT NULL,
    marks             text   NOT NULL,
    origin            text,
    body              bytea  NOT NULL,
    rest              text   NOT NULL,
    duplicates        int    NOT NULL DEFAULT 0,
    last_duplicate_at bigint
  ) PARTITION BY RANGE (id);
  CREATE TABLE events_default PARTITION OF events DEFAULT;
  CREATE INDEX events_by_seq ON events (seq);
  CREATE INDEX events_by_time ON events (received_at, seq);
  CREATE INDEX events_by_message ON events (left(message_id, 500), received_at, seq);
  CREATE INDEX events_by_user ON events (left(user_id, 500), received_at, seq) WHERE user_id IS NOT NULL;
  CREATE INDEX events_by_anonymous ON events (left(anonymous_id, 500), received_at, seq) WHERE anonymous_id IS NOT NULL;
  CREATE INDEX events_by_previous ON events (left(previous_id, 500), received_at, seq) WHERE previous_id IS NOT NULL;

  -- The last seq that was given. One row: the lock of the archive is held while it changes.
  CREATE TABLE archive (only_row boolean PRIMARY KEY CHECK (only_row), seq bigint NOT NULL);
  INSERT INTO archive VALUES (true, 0);

  -- Duplicates that their first event has counted, so that each counts once. The archive forgets the oldest of them itself.
  CREATE TABLE counted_duplicates (id txt PRIMARY KEY);

  CREATE TABLE declined (
    event_id       txt NOT NULL,
    destination_id txt NOT NULL,
    reason         txt NOT NULL,
    since          bigint,
    PRIMARY KEY (event_id, destination_id)
  ) PARTITION BY RANGE (event_id);
  CREATE TABLE declined_default PARTITION OF declined DEFAULT;

  -- Whom a purge covers: events of these ids up to the position of the log. An empty source stands for every source.
  CREATE TABLE purged_ids (
    kind        txt    NOT NULL,
    id          txt    NOT NULL,
    source_id   txt    NOT NULL,
    through     bigint NOT NULL,
    deletion_id txt    NOT NULL,
    PRIMARY KEY (kind, id, source_id)
  );

  -- Events that a transaction of the database has appended: each row is a chunk for the log, in the order of its number.
  CREATE TABLE outbox (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chunk  bytea  NOT NULL
  );
`
