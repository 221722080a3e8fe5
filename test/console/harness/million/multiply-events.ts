import { newId } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import { type CopiedRows, copyRows, NO_CHECKSUM } from '@hookline/testing/files/fill-database'

/** How many copies of events to make, and when they were received. */
export interface EventCopies {
  readonly count: number
  /** In milliseconds since the epoch, like `to`. */
  readonly from: number
  readonly to: number
  /** The number of copies of the users. */
  readonly userGroups: number
}

const RETRY_WINDOW_MS = 4 * 60 * 60 * 1000

/**
 * Copies all events, with their decisions, deliveries and failed attempts. The copies are older than the originals, whose
 * sequence numbers are shifted. Pending deliveries become expired in copies that are older than the retry window.
 *
 * The delivery ids of copies are not derived from the ids of event and destination, as real ones are. An old copy has no
 * more attempts than its original.
 * @returns the number of originals
 */
export function multiplyEvents(
  db: DatabaseSync,
  { count, from, to, userGroups }: EventCopies,
): number {
  db.function('new_event_id', (at) => newId('evt', Number(at)))
  db.function('iso', (at) => new Date(Number(at)).toISOString())
  const originals = Number(db.prepare('SELECT COUNT(*) AS count FROM events').get()?.['count'])
  db.exec(`UPDATE events SET seq = seq + ${count};
    CREATE TEMP TABLE original_event AS
      SELECT events.*, row_number() OVER (ORDER BY seq) - 1 AS number FROM events;
    CREATE INDEX temp.original_event_by_id ON original_event (id);
    CREATE TEMP TABLE copy AS
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}),
        timed AS (SELECT n, ${from} + n * ${to - from} / ${count} AS at FROM numbers)
      SELECT n, at, iso(at) AS iso, new_event_id(at) AS event_id, (n - 1) % ${originals} AS number,
        '-' || ((n - 1) / ${originals} % ${userGroups}) AS user_group FROM timed`)
  for (const copied of [EVENTS, DECISIONS, deliveriesWithin(to - RETRY_WINDOW_MS), ATTEMPTS])
    copyRows(db, copied)
  db.exec(`UPDATE log_position SET acked = acked + ${count};
    UPDATE cursors SET through = through + ${count};
    DROP TABLE copy; DROP TABLE original_event`)
  return originals
}

const NUMBER = 'original.number = copy.number'

/** The user's id in the group of the copy. */
const USER = 'original.user_id || copy.user_group'

const EVENTS: CopiedRows = {
  table: 'events',
  originals: 'SELECT * FROM original_event',
  on: NUMBER,
  changed: {
    seq: 'copy.n',
    id: 'copy.event_id',
    message_id: "'m-' || copy.event_id",
    received_at: 'copy.at',
    user_id: USER,
    // Does not add fields that the call lacks.
    body: `json_replace(original.body, '$.messageId', 'm-' || copy.event_id, '$.userId', ${USER},
      '$.anonymousId', (original.body ->> '$.anonymousId') || copy.user_group,
      '$.timestamp', copy.iso)`,
    rest: `json_replace(original.rest, '$.sentAt', copy.iso, '$.originalTimestamp', copy.iso)`,
    checksum: NO_CHECKSUM,
  },
}

const DECISIONS: CopiedRows = {
  table: 'declined',
  originals:
    'SELECT declined.*, number FROM declined JOIN original_event AS event ON event_id = event.id',
  on: NUMBER,
  changed: { event_id: 'copy.event_id' },
}

/** Delivery ids begin with the time of their event. */
const DELIVERY = "'msg_' || substr(copy.event_id, 5, 24) || substr(original.destination_id, -2)"

function deliveriesWithin(pendingSince: number): CopiedRows {
  const isExpired = `original.is_waiting AND copy.at < ${pendingSince}`
  const times = `'$[0].firstDueAt', copy.at,
    '$[0].last.startedAt', copy.at + (original.webhooks ->> '$[0].last.startedAt') - original.first_due_at`
  return {
    table: 'deliveries',
    originals:
      'SELECT deliveries.*, number FROM deliveries JOIN original_event AS event ON event_id = event.id',
    on: NUMBER,
    changed: {
      id: DELIVERY,
      event_id: 'copy.event_id',
      state: `iif(${isExpired}, 'expired', original.state)`,
      first_due_at: 'copy.at',
      due_at: `iif(${isExpired}, NULL, original.due_at)`,
      is_waiting: `iif(${isExpired}, 0, original.is_waiting)`,
      webhooks: `iif(${isExpired},
        json_replace(original.webhooks, ${times}, '$[0].state', 'expired', '$[0].dueAt', NULL),
        json_replace(original.webhooks, ${times}))`,
    },
  }
}

const ATTEMPTS: CopiedRows = {
  table: 'attempts',
  originals: `SELECT attempts.*, number, destination_id, first_due_at FROM attempts
    JOIN deliveries ON deliveries.id = delivery_id JOIN original_event AS event ON event_id = event.id`,
  on: NUMBER,
  changed: {
    delivery_id: DELIVERY,
    id: "'att_' || substr(copy.event_id, 5)",
    document: `json_replace(original.document,
      '$.startedAt', copy.at + (original.document ->> '$.startedAt') - original.first_due_at)`,
  },
}
