export const INSERT_EVENT = `INSERT INTO events
  (seq, id, source_id, message_id, type, received_at, warnings, user_id, previous_id, origin, rest, body, checksum)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?)`

export const EVENT_FIELDS =
  'source_id, message_id, type, received_at, warnings, user_id, previous_id, origin, rest, CAST(body AS BLOB) AS body, checksum'

export const EVENT_COLUMNS = `events.id AS id, ${EVENT_FIELDS}`

const WITH_ANONYMOUS_ID = `iif(type = 'alias', rest, body)`

export const ANONYMOUS_ID = `CASE WHEN json_valid(${WITH_ANONYMOUS_ID}) THEN ${WITH_ANONYMOUS_ID} ->> '$.anonymousId' END`
