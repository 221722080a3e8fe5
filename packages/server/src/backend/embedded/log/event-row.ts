/** Inserts `seq`, an `EventHead`, the body and their checksum. */
export const INSERT_EVENT = `INSERT INTO events
  (seq, id, source_id, message_id, type, received_at, marks, user_id, previous_id, origin, rest, body, checksum)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?)`

/** The columns that `eventOfRow` reads beside the id. The bytes of the body, because nobody on the way to a receiver reads its text. */
export const EVENT_FIELDS =
  'source_id, message_id, type, received_at, marks, user_id, previous_id, origin, rest, CAST(body AS BLOB) AS body, checksum'

/** The columns that `eventOfRow` reads. */
export const EVENT_COLUMNS = `events.id AS id, ${EVENT_FIELDS}`

/** The JSON that has the anonymousId: the payload of an alias call has none. */
const WITH_ANONYMOUS_ID = `iif(type = 'alias', rest, body)`

/** The anonymousId of an event. */
export const ANONYMOUS_ID = `CASE WHEN json_valid(${WITH_ANONYMOUS_ID}) THEN ${WITH_ANONYMOUS_ID} ->> '$.anonymousId' END`
