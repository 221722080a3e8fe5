import type { DatabaseSync } from 'node:sqlite'
import type { SqliteRow } from '../database/statements.ts'
import { missingRowsCounter } from '../database/missing-rows.ts'
import { type DedupeWindow, KnownMessageIds } from './known-message-ids.ts'
import { bodyIn, type EventBlock, blockOf } from './event-block.ts'
import { checksumOf } from '../../../util/event-checksum.ts'
import type { EventHead } from '../../accepted-event.ts'
import { INSERT_EVENT } from './event-row.ts'
import { SEGMENT } from '../../store/event-order.ts'
import type { AcceptedEvent } from '@hookline/protocol'
import type { EvaluatedProfile } from '../../evaluations.ts'
import { storeEvaluations } from '../../store/profiles/evaluations.ts'
import { lockProfiles } from '../../store/profiles/lock-profiles.ts'
import type { Tx } from '../../store/store.ts'

/** The result of an append. Positions are consecutive up to `lastSeq`, duplicates included. */
export interface AppendResult {
  readonly lastSeq: number
  readonly duplicates: readonly string[]
}

export type EventAppender = (block: EventBlock) => AppendResult

/** Prepares the append of events. A duplicate is added to the count of the first event with its source and messageId. */
export function eventAppender(
  db: DatabaseSync,
  { numbering, ...window }: DedupeWindow & { readonly numbering: LogNumbering },
): EventAppender {
  const known = new KnownMessageIds(db, window)
  const originalOf = originalFinder(db, known, window)
  const count = db.prepare(
    'UPDATE events SET duplicates = duplicates + 1, last_duplicate_at = ? WHERE seq = ?',
  )
  const insert = db.prepare(INSERT_EVENT)
  const countMissing = missingRowsCounter(db)
  return (block) => {
    const duplicates: string[] = []
    let inserted = 0
    for (const [index, head] of block.heads.entries()) {
      const [id, , messageId, , receivedAt] = head
      const seq = numbering.next()
      const original = originalOf(head)
      // The INSERT refuses a known id.
      if (original === undefined || original['id'] === id) {
        const body = bodyIn(block, index)
        inserted += Number(insert.run(seq, ...head, body, checksumOf(head, body)).changes)
        known.add(seq, messageId, receivedAt)
      } else {
        count.run(receivedAt, original['seq']!)
        duplicates.push(id)
      }
    }
    countMissing({ events: block.heads.length - duplicates.length - inserted })
    return { lastSeq: numbering.last, duplicates }
  }
}

/** Prepares the lookup of the first event with a source and messageId within the window. */
function originalFinder(
  db: DatabaseSync,
  known: KnownMessageIds,
  { dedupeWindowMs }: DedupeWindow,
): (head: EventHead) => SqliteRow | undefined {
  const first = db.prepare(
    `SELECT seq, id FROM events
     WHERE ${SEGMENT} = ? AND message_id = ? AND source_id = ? AND received_at >= ? ORDER BY seq LIMIT 1`,
  )
  return ([, sourceId, messageId, , receivedAt]) => {
    for (const segment of known.segmentsWith(messageId)) {
      const original = first.get(segment, messageId, sourceId, receivedAt - dedupeWindowMs)
      if (original !== undefined) return original
    }
    return undefined
  }
}

interface AckResult {
  readonly through: number
  /** The number of events handed out since the previous ack, without duplicates. */
  readonly events: number
}

/** Moves the consumer's position forward. Skipped events that were never handed out count as missing. */
export function ackEvents(db: DatabaseSync): (acked: AckResult) => void {
  const position = db.prepare('SELECT acked FROM log_position')
  const between = db.prepare('SELECT COUNT(*) AS count FROM events WHERE seq > ? AND seq <= ?')
  const update = db.prepare('UPDATE log_position SET acked = ?')
  const countMissing = missingRowsCounter(db)
  return ({ through, events }) => {
    const before = Number(position.get()!['acked'])
    if (through <= before) return
    const passed = Number(between.get(before, through)!['count'])
    countMissing({ events: Math.max(0, passed - events) })
    update.run(through)
  }
}

/** The stored positions: of the last event, of the consumer, of followers, and of the last events of unfinished purges. */
export const RECORDED_POSITIONS = `
  SELECT MAX(seq) AS seq FROM events
  UNION ALL SELECT acked FROM log_position
  UNION ALL SELECT MAX(through) FROM cursors
  UNION ALL SELECT MAX(purge_through) FROM deletions WHERE step <> 'done'`

/** Numbers the events in the log, one instance per writer thread. Numbers are never reused, so a rollback leaves a gap. */
export class LogNumbering {
  #last: number

  constructor(db: DatabaseSync) {
    // If the newest rows were deleted, new ones must still follow every stored position.
    const newest = db.prepare(`SELECT MAX(seq) AS seq FROM (${RECORDED_POSITIONS})`).get()
    this.#last = Number(newest?.['seq'] ?? 0)
  }

  get last(): number {
    return this.#last
  }

  next(): number {
    return ++this.#last
  }
}

interface Appending {
  readonly tx: Tx
  readonly append: EventAppender
}

export function commitEvaluations(_db: DatabaseSync, { tx, append }: Appending) {
  return async (
    evaluated: readonly EvaluatedProfile[],
  ): Promise<{ readonly places: readonly number[]; readonly appended: AppendResult }> => {
    const places = await storeEvaluations(tx, evaluated)
    const events = eventsOf(places.map((place) => evaluated[place]!))
    return { places, appended: append(blockOf(events)) }
  }
}

/** Appends events, unless a user has been purged since they were created. */
export function appendAnnouncements(_db: DatabaseSync, { tx, append }: Appending) {
  return async (input: {
    readonly block: EventBlock
    readonly purges: number
  }): Promise<AppendResult | undefined> => {
    const { purges } = await lockProfiles(tx)
    return purges === input.purges ? append(input.block) : undefined
  }
}

export function eventsOf(stored: readonly EvaluatedProfile[]): AcceptedEvent[] {
  return stored.flatMap(({ announcements }) => announcements.map(({ event }) => event))
}
