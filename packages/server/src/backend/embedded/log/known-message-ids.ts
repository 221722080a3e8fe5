import type { DatabaseSync } from 'node:sqlite'
import { BloomFilters, KEYS_PER_FILTER } from './bloom-filters.ts'
import { SEGMENT, SEGMENT_EVENTS, SLACK_MS } from './segments.ts'

const SEGMENTS_PER_FILTER = KEYS_PER_FILTER / SEGMENT_EVENTS
const SEGMENTS_IN_FILTER = [...Array(SEGMENTS_PER_FILTER).keys()]

export interface DedupeWindow {
  /** How long a second event with the same source and messageId is a duplicate. */
  readonly dedupeWindowMs: number
}

/**
 * In which segments of `events` a messageId may be that was received within the window. Nearly all that arrive are new,
 * and cost no look-up in the table. Some segments in a row have a filter together.
 *
 * A filter that is full is kept in `message_id_filters`, for the next start. What counts is in memory: a
 * filter that a rolled back transaction did not keep is kept with the next one, or read from the events at the next
 * start. Message ids that were rolled back stay in memory: a look-up in vain, at worst.
 */
export class KnownMessageIds {
  readonly #filters: BloomFilters
  readonly #dedupeWindowMs: number
  readonly #keptFilters: () => Set<number>
  readonly #keep: (filter: number, newestReceivedAt: number) => void
  readonly #removeKept: (receivedBefore: number) => void
  /** When the newest event of each full filter within the window was received, or a little later. */
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
    this.#keptFilters = () => new Set(numbers.all().map(({ number }) => Number(number)))
    this.#keep = (filter, newest) => insert.run(filter, newest, this.#filters.bitsOf(filter))
    this.#removeKept = (receivedBefore) => remove.run(receivedBefore)
    this.#last = filterOf(Number(last ?? 0))
    // Where the newest events were removed, a filter goes on that was full: what is kept of it will not be all.
    db.prepare('DELETE FROM message_id_filters WHERE number >= ?').run(this.#last)
    this.#restore(db)
    this.#read(db)
    this.#keepMissingNow(db)
  }

  /** In ascending order; seldom one that does not have it. */
  segmentsWith(messageId: string): readonly number[] {
    return this.#filters.filtersWith(messageId).flatMap(segmentsOf)
  }

  /** To be called for every event that is appended, in the order of seq, in the transaction that does it. */
  add(seq: number, messageId: string, receivedAt: number): void {
    const filter = filterOf(seq)
    // It is an earlier one where the operations of a transaction that failed are done again one by one.
    if (filter > this.#last) this.#begin(filter, receivedAt)
    this.#newestReceivedAt = Math.max(this.#newestReceivedAt, receivedAt)
    this.#oldestReceivedAt = Math.min(this.#oldestReceivedAt, receivedAt)
    this.#filters.add(filter, messageId)
  }

  #begin(filter: number, receivedAt: number): void {
    this.#full.set(this.#last, this.#newestReceivedAt)
    // The oldest: events in the middle of which a clock was set far ahead for a while are no reason to forget.
    this.#forget(Math.min(receivedAt, this.#oldestReceivedAt) - this.#dedupeWindowMs)
    this.#keepMissing()
    this.#last = filter
    this.#newestReceivedAt = -Infinity
    this.#oldestReceivedAt = Infinity
  }

  #keepMissing(): void {
    const kept = this.#keptFilters()
    for (const [full, newest] of this.#full) if (!kept.has(full)) this.#keep(full, newest)
  }

  #keepMissingNow(db: DatabaseSync): void {
    db.exec('BEGIN IMMEDIATE')
    try {
      this.#keepMissing()
      db.exec('COMMIT')
    } catch {
      // A full disk does not keep the service from starting: they are kept with the next one.
      if (db.isTransaction) db.exec('ROLLBACK')
    }
  }

  #forget(receivedBefore: number): void {
    for (const [filter, newest] of this.#full)
      if (newest < receivedBefore) this.#full.delete(filter)
    this.#removeKept(receivedBefore)
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

  /** The last filter, and those before it within the window that are not kept. */
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
