/** Log, archive, deliveries with their attempts, catalog. */
export const initial = `
  -- The log and the archive in one: appended by ingest, consumed in the order of seq.
  CREATE TABLE events (
    seq         INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    source_id   TEXT    NOT NULL,
    message_id  TEXT    NOT NULL,
    type        TEXT    NOT NULL,
    received_at INTEGER NOT NULL,
    marks       TEXT    NOT NULL,
    duplicates  INTEGER NOT NULL DEFAULT 0,
    body        TEXT    NOT NULL
  ) STRICT;
  CREATE INDEX events_by_message_id ON events (message_id);

  -- The consumer's position: every event up to this seq is acked.
  CREATE TABLE log_position (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    acked    INTEGER NOT NULL
  ) STRICT;
  INSERT INTO log_position VALUES (1, 0);

  CREATE TABLE declined (
    event_id       TEXT NOT NULL,
    destination_id TEXT NOT NULL,
    reason         TEXT NOT NULL,
    PRIMARY KEY (event_id, destination_id)
  ) STRICT, WITHOUT ROWID;

  -- Clustered by id, which begins with the time of the event: appended in order, and the
  -- deliveries of one event lie together.
  CREATE TABLE deliveries (
    id             TEXT    NOT NULL PRIMARY KEY,
    event_id       TEXT    NOT NULL,
    destination_id TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    rounds         INTEGER NOT NULL,
    first_due_at   INTEGER NOT NULL,
    due_at         INTEGER,
    webhooks       TEXT    NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_due ON deliveries (destination_id, due_at) WHERE state = 'pending';

  -- Attempts that did not deliver. Those that did are in the delivery itself.
  CREATE TABLE attempts (
    delivery_id TEXT NOT NULL,
    id          TEXT NOT NULL,
    document    TEXT NOT NULL,
    PRIMARY KEY (delivery_id, id)
  ) STRICT, WITHOUT ROWID;

  -- Sources and destinations, a JSON document each.
  CREATE TABLE catalog (
    kind     TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    version  INTEGER NOT NULL,
    document TEXT    NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;
`
