/** Tables of the management API, counts over time, and the index for failure reports. */
export const tokensAuditStatistics = `
  CREATE TABLE tokens (
    id           TEXT NOT NULL PRIMARY KEY,
    last_used_at INTEGER,
    document     TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE audit (
    seq       INTEGER PRIMARY KEY,
    actor_id  TEXT NOT NULL,
    action    TEXT NOT NULL,
    target_id TEXT,
    document  TEXT NOT NULL
  ) STRICT;

  CREATE TABLE kept_answers (
    key         TEXT    NOT NULL PRIMARY KEY,
    fingerprint TEXT    NOT NULL,
    sealed      TEXT    NOT NULL,
    expires_at  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX kept_answers_expiring ON kept_answers (expires_at);

  CREATE TABLE statistics (
    span           TEXT    NOT NULL,
    start          INTEGER NOT NULL,
    source_id      TEXT    NOT NULL,
    destination_id TEXT    NOT NULL,
    counts         TEXT    NOT NULL,
    PRIMARY KEY (span, start, source_id, destination_id)
  ) STRICT, WITHOUT ROWID;

  -- Written only when a round has failed: a delivery that goes well never touches it.
  CREATE INDEX deliveries_failing ON deliveries (destination_id, id)
    WHERE rounds > 0 AND state <> 'delivered';
`
