/**
 * Entries of the audit log show the URLs of webhooks, which may contain credentials: they are stored sealed. What lists and
 * retention look for is in columns of its own. An entry that is damaged counts as made now, so that it is kept as long as a
 * new one.
 *
 * With `secure_delete`, the pages of the old table are overwritten with zeros. The write-ahead log, which has copies of them,
 * is removed when the connection that migrates is closed.
 */
export const sealedAudit = `
  CREATE TABLE sealed_audit (
    seq       INTEGER PRIMARY KEY,
    id        TEXT    NOT NULL,
    at        INTEGER NOT NULL,
    actor_id  TEXT    NOT NULL,
    action    TEXT    NOT NULL,
    target_id TEXT,
    sealed    TEXT    NOT NULL
  ) STRICT;
  INSERT INTO sealed_audit
    SELECT seq, id, at, actor_id, action, target_id, seal(document, id) FROM (
      SELECT *,
        COALESCE(iif(json_valid(document), document ->> '$.id', NULL), 'adt_' || seq) AS id,
        COALESCE(iif(json_valid(document), CAST(document ->> '$.at' AS INTEGER), NULL), unixepoch() * 1000)
          AS at
      FROM audit);
  DROP TABLE audit;
  ALTER TABLE sealed_audit RENAME TO audit;
`
