/** The triggers that keep `waiting_parts` for the rows of a table. `unsplit`: the lane of those without parts. */
function waitingPartsOf(table: 'deliveries' | 'notices', unsplit: 0 | -1): string {
  const parts = (row: string): string => `
    INSERT INTO waiting_parts SELECT ${row}.id, part.value ->> '$.lane', part.value ->> '$.dueAt'
      FROM json_each(iif(json_valid(${row}.webhooks), ${row}.webhooks, '[]')) AS part
      WHERE ${row}.is_waiting AND part.value ->> '$.state' IN ('pending', 'held');
    INSERT INTO waiting_parts SELECT ${row}.id, ${unsplit}, ${row}.due_at
      WHERE ${row}.is_waiting AND NOT EXISTS (SELECT 1 FROM waiting_parts WHERE delivery_id = ${row}.id);`
  return `
  CREATE TRIGGER ${table}_begin_waiting AFTER INSERT ON ${table} WHEN NEW.is_waiting BEGIN ${parts('NEW')}
  END;
  CREATE TRIGGER ${table}_change_waiting AFTER UPDATE OF webhooks, due_at, is_waiting ON ${table}
    WHEN OLD.is_waiting OR NEW.is_waiting
  BEGIN
    DELETE FROM waiting_parts WHERE delivery_id = OLD.id; ${parts('NEW')}
  END;
  CREATE TRIGGER ${table}_end_waiting AFTER DELETE ON ${table} WHEN OLD.is_waiting BEGIN
    DELETE FROM waiting_parts WHERE delivery_id = OLD.id;
  END;
  INSERT INTO waiting_parts SELECT id, ${unsplit}, COALESCE(due_at, first_due_at) FROM ${table} WHERE is_waiting;`
}

/** Gives the webhooks of a table the form of parts: their lane in place of the URL, and a state of their own. */
function partsOf(table: 'deliveries' | 'notices'): string {
  return `
  INSERT OR IGNORE INTO lanes_by_url SELECT '${table}', destination_id, webhook.value ->> '$.url'
    FROM ${table}, json_each(iif(json_valid(webhooks), webhooks, '[]')) AS webhook
    WHERE webhook.value ->> '$.url' IS NOT NULL;
  UPDATE ${table} SET is_waiting = 1 WHERE state IN ('pending', 'held');
  UPDATE ${table} SET webhooks = (
    SELECT json_group_array(json_set(
      json_remove(webhook.value, '$.url', '$.outcome', '$.last.url', '$.last.round'),
      '$.lane', (SELECT rowid FROM lanes_by_url
        WHERE queue = '${table}' AND destination_id = ${table}.destination_id AND url = webhook.value ->> '$.url'),
      '$.firstDueAt', first_due_at,
      '$.dueAt', iif(state = 'pending', webhook.value ->> '$.dueAt', NULL),
      '$.state', CASE
        WHEN webhook.value ->> '$.outcome' <> 'retry' THEN webhook.value ->> '$.outcome'
        WHEN state = 'delivered' THEN 'not_retried'
        WHEN webhook.value ->> '$.dueAt' IS NULL OR state = 'expired' THEN 'expired'
        WHEN state = 'rejected' THEN 'removed'
        WHEN state = 'held' THEN 'held' ELSE 'pending' END))
    FROM json_each(${table}.webhooks) AS webhook)
  WHERE webhooks <> '[]' AND json_valid(webhooks);`
}

/**
 * A delivery has a part for each webhook, and each webhook has a lane. `waiting_parts` is the queue of the lanes: the
 * triggers make it from the parts in `webhooks`, so it never differs from them. URLs, which may contain credentials, are
 * stored once, sealed, in `lanes`; deliveries and attempts name the lane. `is_waiting`: a part is pending or held.
 *
 * A delivery without a waiting part waits in the lane 0, a notice in the lane -1, until the engine gives it its parts. So
 * does everything that waits when this step is taken: earlier versions stored no part for a webhook without an attempt.
 */
export const lanes = `
  CREATE TABLE lanes (
    number         INTEGER PRIMARY KEY,
    queue          TEXT NOT NULL,
    destination_id TEXT NOT NULL,
    url            TEXT NOT NULL
  ) STRICT;
  CREATE TABLE waiting_parts (
    delivery_id TEXT    NOT NULL,
    lane        INTEGER NOT NULL,
    due_at      INTEGER, -- NULL while it is held
    PRIMARY KEY (delivery_id, lane)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX waiting_parts_due ON waiting_parts (lane, due_at, delivery_id);
  CREATE TABLE waiting_lanes (
    lane    INTEGER NOT NULL,
    is_held INTEGER NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (lane, is_held)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER part_begins_waiting AFTER INSERT ON waiting_parts BEGIN
    INSERT INTO waiting_lanes VALUES (NEW.lane, NEW.due_at IS NULL, 1)
      ON CONFLICT (lane, is_held) DO UPDATE SET count = count + 1;
  END;
  CREATE TRIGGER part_ends_waiting AFTER DELETE ON waiting_parts BEGIN
    UPDATE waiting_lanes SET count = count - 1 WHERE lane = OLD.lane AND is_held = (OLD.due_at IS NULL);
  END;

  ALTER TABLE deliveries ADD COLUMN is_waiting INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE notices ADD COLUMN is_waiting INTEGER NOT NULL DEFAULT 0;
  DROP INDEX deliveries_due;
  DROP INDEX deliveries_held;
  DROP INDEX notices_due;
  DROP INDEX notices_held;

  CREATE TEMP TABLE lanes_by_url (
    queue TEXT, destination_id TEXT, url TEXT, UNIQUE (queue, destination_id, url)
  );
  ${partsOf('deliveries')}
  ${partsOf('notices')}
  INSERT OR IGNORE INTO lanes_by_url SELECT 'deliveries', destination_id, document ->> '$.url'
    FROM attempts JOIN deliveries ON deliveries.id = delivery_id WHERE json_valid(document);
  INSERT OR IGNORE INTO lanes_by_url SELECT 'notices', destination_id, document ->> '$.url'
    FROM attempts JOIN notices ON notices.id = delivery_id WHERE json_valid(document);
  UPDATE attempts SET document = json_set(json_remove(document, '$.url', '$.round'), '$.lane', (
    SELECT lanes_by_url.rowid FROM lanes_by_url
    LEFT JOIN deliveries ON deliveries.id = delivery_id LEFT JOIN notices ON notices.id = delivery_id
    WHERE queue = iif(deliveries.id IS NULL, 'notices', 'deliveries')
      AND lanes_by_url.destination_id = COALESCE(deliveries.destination_id, notices.destination_id)
      AND url = document ->> '$.url'))
  WHERE json_valid(document);
  INSERT INTO lanes SELECT rowid, queue, destination_id, seal(url, destination_id) FROM lanes_by_url
    WHERE url IS NOT NULL;
  DROP TABLE lanes_by_url;
  -- Pages that were split before have copies of the URLs in unused bytes: sealCatalog rewrites the file, as it does where
  -- no key is recorded.
  DELETE FROM catalog WHERE kind = 'encryption_key';
  ${waitingPartsOf('deliveries', 0)}
  ${waitingPartsOf('notices', -1)}
`
