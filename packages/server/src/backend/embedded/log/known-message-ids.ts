import type { DatabaseSync } from 'node:sqlite'
import { BloomFilters, KEYS_PER_FILTER } from './bloom-filters.ts'
import { SEGMENT, SEGMENT_EVENTS, SLACK_MS } from '../../store/event-order.ts'

const SEGMENTS_PER_FILTER = KEYS_PER_FILTER / SEGMENT_EVENTS
const SEGMENTS_IN_FILTER = [...Array(SEGMENTS_PER_FILTER).keys()]

export interface DedupeWindow {
  /** How long after an event another one with the same source and messageId is a duplicate. */
  readonly dedupeWindowMs: number
}

/**
 * Which segments of `events` may have a messageId that was received within the window. Nearly every messageId that
 * arrives is new, and costs no look-up in the table. Several segments in a row share a filter.
 *
 * A full filter is stored in `message_id_filters`, for the next start. The filters in memory are the ones that count:
 * where a transaction that stored one was rolled back, the next transaction stores it, or the next start reads it
 * from the events. Message ids of a rolled back transaction stay in memory and cost an extra look-up at worst.
 */
export class KnownMessageIds {
  readonly #filters: BloomFilters
  readonly #dedupeWindowMs: number
  readonly #storedFilters: () => Set<number>
  readonly #store: (filter: number, newestReceivedAt: number) => void
  readonly #removeStored: (receivedBefore: number) => void
  /** For each full filter within the window: when its newest event was received, or a little later. */
  readonly #full = new Map<number, number>()
  /** The last filter, and when its events were received. */
  #last: number
  #newestReceivedAt = -Infinity
  #oldestReceivedAt = Infinity

  constructor(db: DatabaseSync, { dedupeWindowMs }: DedupeWindow) {
    const { seed } = db.prepare('SELECT hash_seed AS seed FROM log_position').get()!
    const last = db.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq']
    const numbers = db.prepare('SELECT number FROM message_id_filters')
    const insert = db.prepare('INSERT INTO message_id_filters VALUES (?, ?, ?)')
    const remove = db.prepare('DELETE FROM message_id_filters WHERE newest_received_at < ?')
    this.#filters = new BloomFilters(Number(seed))
    this.#dedupeWindowMs = dedupeWindowMs
    this.#storedFilters = () => new Set(numbers.all().map(({ number }) => Number(number)))
    this.#store = (filter, newest) => insert.run(filter, newest, this.#filters.bitsOf(filter))
    this.#removeStored = (receivedBefore) => remove.run(receivedBefore)
    this.#last = filterOf(Number(last ?? 0))
    // Where the newest events were removed, a filter that was full gets new events: its stored bits will be incomplete.
    db.prepare('DELETE FROM message_id_filters WHERE number >= ?').run(this.#last)
    this.#restore(db)
    this.#read(db)
    this.#storeMissingNow(db)
  }

  /** Segments that may have the messageId, in ascending order. Few of them do not have it. */
  segmentsWith(messageId: string): readonly number[] {
    return this.#filters.filtersWith(messageId).flatMap(segmentsOf)
  }

  /** Call it for every appended event, in the order of seq, in the transaction that appends it. */
  add(seq: number, messageId: string, receivedAt: number): void {
    const filter = filterOf(seq)
    if (filter > this.#last) this.#begin(filter, receivedAt)
    this.#newestReceivedAt = Math.max(this.#newestReceivedAt, receivedAt)
    this.#oldestReceivedAt = Math.min(this.#oldestReceivedAt, receivedAt)
    this.#filters.add(filter, messageId)
  }

  #begin(filter: number, receivedAt: number): void {
    this.#full.set(this.#last, this.#newestReceivedAt)
    // The oldest time: events that a clock set far ahead has stamped must not end the window early.
    this.#forget(Math.min(receivedAt, this.#oldestReceivedAt) - this.#dedupeWindowMs)
    this.#storeMissing()
    this.#last = filter
    this.#newestReceivedAt = -Infinity
    this.#oldestReceivedAt = Infinity
  }

  #storeMissing(): void {
    const stored = this.#storedFilters()
    for (const [full, newest] of this.#full) if (!stored.has(full)) this.#store(full, newest)
  }

  #storeMissingNow(db: DatabaseSync): void {
    db.exec('BEGIN IMMEDIATE')
    try {
      this.#storeMissing()
      db.exec('COMMIT')
    } catch {
      // A full disk must not keep the service from starting: the next full filter stores them, too.
      if (db.isTransaction) db.exec('ROLLBACK')
    }
  }

  #forget(receivedBefore: number): void {
    for (const [filter, newest] of this.#full)
      if (newest < receivedBefore) this.#full.delete(filter)
    this.#removeStored(receivedBefore)
    const least = this.#full.keys().reduce((a, b) => Math.min(a, b), this.#last)
    this.#filters.forgetBefore(least)
  }

  #restore(db: DatabaseSync): void {
    const rows = db.prepare('SELECT number, newest_received_at, bits FROM message_id_filters')
    for (const { number, newest_received_at: newest, bits } of rows.iterate()) {
      this.#filters.restore(Number(number), bits as Uint8Array)
      this.#full.set(Number(number), Number(newest))
    }
  }

  /** Reads the last filter from the events, and those before it within the window that are not stored. */
  #read(db: DatabaseSync): void {
    const newestBefore = db.prepare(
      'SELECT seq, received_at FROM events WHERE seq < ? ORDER BY seq DESC LIMIT 1',
    )
    let since = -Infinity
    let row = newestBefore.get(firstSeqIn(this.#last + 1))
    while (row !== undefined) {
      const filter = filterOf(Number(row['seq']))
      const newest = Number(row['received_at']) + SLACK_MS
      if (!this.#full.has(filter)) {
        if (newest < since) return
        this.#readFilter(db, filter, newest)
      }
      if (since === -Infinity) since = newest - SLACK_MS - this.#dedupeWindowMs
      row = newestBefore.get(firstSeqIn(filter))
    }
  }

  #readFilter(db: DatabaseSync, filter: number, newestReceivedAt: number): void {
    const ids = db.prepare(`SELECT message_id AS id FROM events WHERE ${SEGMENT} = ?`)
    for (const segment of segmentsOf(filter))
      for (const { id } of ids.iterate(segment)) this.#filters.add(filter, String(id))
    if (filter === this.#last) this.#newestReceivedAt = newestReceivedAt
    else this.#full.set(filter, newestReceivedAt)
  }
}

function filterOf(seq: number): number {
  return Math.floor(seq / KEYS_PER_FILTER)
}

function firstSeqIn(filter: number): number {
  return filter * KEYS_PER_FILTER
}

function segmentsOf(filter: number): number[] {
  return SEGMENTS_IN_FILTER.map((index) => filter * SEGMENTS_PER_FILTER + index)
}
