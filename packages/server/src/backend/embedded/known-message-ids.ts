import type { DatabaseSync } from 'node:sqlite'
import { SegmentFilter } from './segment-filter.ts'
import { firstSeqOf, SEGMENT, segmentOf } from './segments.ts'

export interface DedupeWindow {
  /** How long a second event with the same source and messageId is a duplicate. */
  readonly dedupeWindowMs: number
}

/**
 * In which segments of `events` a messageId may be that was received within the window. Nearly all that arrive are new,
 * and cost no look-up in the table. The filter of a segment is kept in `message_id_filters` once the segment is full; a
 * start reads those, and what lacks one from the table.
 */
export class KnownMessageIds {
  readonly #filter: SegmentFilter
  readonly #dedupeWindowMs: number
  readonly #keep: (segment: number, newestReceivedAt: number) => void
  readonly #forget: (receivedBefore: number) => number
  #segment: number
  #newestReceivedAt = 0

  constructor(db: DatabaseSync, { dedupeWindowMs }: DedupeWindow) {
    const { seed } = db.prepare('SELECT hash_seed AS seed FROM log_position').get()!
    const last = db.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq']
    this.#filter = new SegmentFilter(Number(seed))
    this.#dedupeWindowMs = dedupeWindowMs
    this.#segment = segmentOf(Number(last ?? 0))
    const insert = db.prepare('INSERT OR REPLACE INTO message_id_filters VALUES (?, ?, ?)')
    this.#keep = (segment, newest) => insert.run(segment, newest, this.#filter.bitsOf(segment))
    this.#forget = forgetting(db)
    db.exec('BEGIN IMMEDIATE')
    this.#read(db)
    db.exec('COMMIT')
  }

  /** In ascending order; seldom one that does not have it. */
  segmentsWith(messageId: string): readonly number[] {
    return this.#filter.segmentsWith(messageId)
  }

  /** To be called for every event that is appended, in the order of seq. */
  add(seq: number, messageId: string, receivedAt: number): void {
    const segment = segmentOf(seq)
    if (segment > this.#segment) this.#begin(segment, receivedAt)
    this.#newestReceivedAt = Math.max(this.#newestReceivedAt, receivedAt)
    this.#filter.add(segment, messageId)
  }

  #begin(segment: number, now: number): void {
    this.#keep(this.#segment, this.#newestReceivedAt)
    this.#filter.forgetBefore(this.#forget(now - this.#dedupeWindowMs))
    this.#segment = segment
    this.#newestReceivedAt = 0
  }

  /** The filters of the last segment and of those before it that were received within the window. */
  #read(db: DatabaseSync): void {
    const { least } = db.prepare('SELECT MIN(seq) AS least FROM events').get()!
    const newest = db.prepare(
      'SELECT received_at FROM events WHERE seq >= ? AND seq < ? ORDER BY seq DESC LIMIT 1',
    )
    let since = -Infinity
    for (let segment = this.#segment; segment >= segmentOf(Number(least ?? 0)); segment--) {
      const row = newest.get(firstSeqOf(segment), firstSeqOf(segment + 1))
      if (row === undefined) continue
      const receivedAt = Number(row['received_at'])
      if (since === -Infinity) since = receivedAt - this.#dedupeWindowMs
      if (receivedAt < since) return
      this.#readSegment(db, segment, receivedAt)
    }
  }

  #readSegment(db: DatabaseSync, segment: number, newestReceivedAt: number): void {
    const kept = db.prepare('SELECT bits FROM message_id_filters WHERE segment = ?').get(segment)
    const isLast = segment === this.#segment
    // The last segment goes on: what may be kept of it from before its end was removed is not all.
    if (kept !== undefined && !isLast) {
      this.#filter.restore(segment, kept['bits'] as Uint8Array)
      return
    }
    const ids = db.prepare(`SELECT message_id AS id FROM events WHERE ${SEGMENT} = ?`)
    for (const { id } of ids.iterate(segment)) this.#filter.add(segment, String(id))
    if (isLast) this.#newestReceivedAt = newestReceivedAt
    else this.#keep(segment, newestReceivedAt)
  }
}

/** Removes filters of segments that were received before a time, and returns the first segment that is left. */
function forgetting(db: DatabaseSync): (receivedBefore: number) => number {
  const remove = db.prepare('DELETE FROM message_id_filters WHERE newest_received_at < ?')
  const first = db.prepare('SELECT MIN(segment) AS segment FROM message_id_filters')
  return (receivedBefore) => {
    remove.run(receivedBefore)
    return Number(first.get()?.['segment'] ?? 0)
  }
}
