import type { DatabaseSync } from 'node:sqlite'
import { BloomFilters, KEYS_PER_FILTER } from './bloom-filters.ts'
import { SEGMENT, SEGMENT_EVENTS, SLACK_MS } from '../../store/event-order.ts'

const SEGMENTS_PER_FILTER = KEYS_PER_FILTER / SEGMENT_EVENTS
const SEGMENTS_IN_FILTER = [...Array(SEGMENTS_PER_FILTER).keys()]

export interface DedupeWindow {
  readonly dedupeWindowMs: number
}

/**
 * Finds the segments that may have a messageId received within the window. Nearly every messageId
 * is new, so usually no segment needs to be searched. Only the filters in memory are used. They may
 * still contain ids from a rolled-back transaction. Full filters are stored for the next start.
 */
export class KnownMessageIds {
  readonly #db: DatabaseSync
  readonly #filters: BloomFilters
  readonly #dedupeWindowMs: number
  /** Full filters within the window, with an upper bound on the time of their newest event. */
  readonly #full = new Map<number, number>()
  /** The last filter, and the times of its events. */
  #last: number
  #newestReceivedAt = -Infinity
  #oldestReceivedAt = Infinity

  constructor(db: DatabaseSync, { dedupeWindowMs }: DedupeWindow) {
    const { seed } = db.prepare('SELECT hash_seed AS seed FROM log_position').get()!
    const last = db.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq']
    this.#db = db
    this.#filters = new BloomFilters(Number(seed))
    this.#dedupeWindowMs = dedupeWindowMs
    this.#last = filterOf(Number(last ?? 0))
    // If the newest events were removed, this filter has room again.
    db.prepare('DELETE FROM message_id_filters WHERE number >= ?').run(this.#last)
    this.#restore()
    this.#read()
    this.#storeMissingNow()
  }

  /** Segments that may have the messageId, in ascending order. */
  segmentsWith(messageId: string): readonly number[] {
    return this.#filters.filtersWith(messageId).flatMap(segmentsOf)
  }

  /** Call it for every appended event, in order, inside its transaction. */
  add(seq: number, messageId: string, receivedAt: number): void {
    const filter = filterOf(seq)
    if (filter > this.#last) this.#begin(filter, receivedAt)
    this.#newestReceivedAt = Math.max(this.#newestReceivedAt, receivedAt)
    this.#oldestReceivedAt = Math.min(this.#oldestReceivedAt, receivedAt)
    this.#filters.add(filter, messageId)
  }

  #begin(filter: number, receivedAt: number): void {
    this.#full.set(this.#last, this.#newestReceivedAt)
    // The oldest time, because events from a clock set ahead must not end the window early.
    this.#forget(Math.min(receivedAt, this.#oldestReceivedAt) - this.#dedupeWindowMs)
    this.#storeMissing()
    this.#last = filter
    this.#newestReceivedAt = -Infinity
    this.#oldestReceivedAt = Infinity
  }

  #storeMissing(): void {
    const numbers = this.#db.prepare('SELECT number FROM message_id_filters').all()
    const stored = new Set(numbers.map(({ number }) => Number(number)))
    const insert = this.#db.prepare('INSERT INTO message_id_filters VALUES (?, ?, ?)')
    for (const [full, newest] of this.#full)
      if (!stored.has(full)) insert.run(full, newest, this.#filters.bitsOf(full))
  }

  #storeMissingNow(): void {
    const db = this.#db
    db.exec('BEGIN IMMEDIATE')
    try {
      this.#storeMissing()
      db.exec('COMMIT')
    } catch {
      // A full disk must not prevent startup: the next full filter stores them.
      if (db.isTransaction) db.exec('ROLLBACK')
    }
  }

  #forget(receivedBefore: number): void {
    for (const [filter, newest] of this.#full)
      if (newest < receivedBefore) this.#full.delete(filter)
    this.#db
      .prepare('DELETE FROM message_id_filters WHERE newest_received_at < ?')
      .run(receivedBefore)
    const min = this.#full.keys().reduce((a, b) => Math.min(a, b), this.#last)
    this.#filters.forgetBefore(min)
  }

  #restore(): void {
    const rows = this.#db.prepare('SELECT number, newest_received_at, bits FROM message_id_filters')
    for (const { number, newest_received_at: newest, bits } of rows.iterate()) {
      this.#filters.restore(Number(number), bits as Uint8Array)
      this.#full.set(Number(number), Number(newest))
    }
  }

  /** Reads the last filter, and earlier ones within the window that are not stored, from the events. */
  #read(): void {
    const newestBefore = this.#db.prepare(
      'SELECT seq, received_at FROM events WHERE seq < ? ORDER BY seq DESC LIMIT 1',
    )
    let since = -Infinity
    let row = newestBefore.get(firstSeqIn(this.#last + 1))
    while (row !== undefined) {
      const filter = filterOf(Number(row['seq']))
      const newest = Number(row['received_at']) + SLACK_MS
      if (!this.#full.has(filter)) {
        if (newest < since) return
        this.#readFilter(filter, newest)
      }
      if (since === -Infinity) since = newest - SLACK_MS - this.#dedupeWindowMs
      row = newestBefore.get(firstSeqIn(filter))
    }
  }

  #readFilter(filter: number, newestReceivedAt: number): void {
    const ids = this.#db.prepare(`SELECT message_id AS id FROM events WHERE ${SEGMENT} = ?`)
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
