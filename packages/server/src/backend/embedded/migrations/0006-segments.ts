/**
 * The indexes of events begin with the segment (`segments.ts`), so that new events change few pages. Filters find the
 * segments that may have a messageId, within the window for duplicates.
 */
export const segments = `
  DROP INDEX events_by_message_id;
  DROP INDEX events_by_user_id;
  DROP INDEX events_by_previous_id;
  CREATE INDEX events_by_message_id ON events (seq >> 10, message_id);
  CREATE INDEX events_by_user_id ON events (seq >> 10, user_id) WHERE user_id IS NOT NULL;
  CREATE INDEX events_by_previous_id ON events (seq >> 10, previous_id) WHERE previous_id IS NOT NULL;

  CREATE TABLE message_id_filters (
    number             INTEGER PRIMARY KEY,
    newest_received_at INTEGER NOT NULL,
    bits               BLOB    NOT NULL
  ) STRICT;
  ALTER TABLE log_position ADD COLUMN hash_seed INTEGER NOT NULL DEFAULT 0;
  UPDATE log_position SET hash_seed = random() & 0x1fffffffffffff;
`
