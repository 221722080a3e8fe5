import type { DatabaseSync } from 'node:sqlite'
import { SegmentFilter } from './segment-filter.ts'
import { firstSeqOf, SEGMENT, segmentOf, SLACK_MS } from './segments.ts'

export interface DedupeWindow {
  /** How long a second event with the same source and messageId is a duplicate. */
  readonly dedupeWindowMs: number
}

/**
 * In which segments of `events` a messageId may be that was received within the window. Nearly all that arrive are new,
 * and cost no look-up in the table.
 *
 * The filter of a segment that is full is kept in `message_id_filters`, for the next start. What counts is in memory: a
 * filter that a rolled back transaction did not keep is kept with the next one, or read from the events at the next
 * start. Message ids that were rolled back stay in memory: a look-up in vain, at worst.
 */
export class KnownMessageIds {
  readonly #filter: SegmentFilter
  readonly #dedupeWindowMs: number
  readonly #keptSegments: () => Set<number>
  readonly #keep: (segment: number, newestReceivedAt: number) => void
  readonly #removeKept: (receivedBefore: number) => void
  /** When the newest event of each full segment within the window was received, or a little later. */
  readonly #full = new Map<number, number>()
  /** The last segment, and when events of it were received. */
  #segment: number
  #newestReceivedAt = -Infinity
  #oldestReceivedAt = Infinity

  constructor(db: DatabaseSync, { dedupeWindowMs }: DedupeWindow) {
    const { seed } = db.prepare('SELECT hash_seed AS seed FROM log_position').get()!
    const last = db.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq']
    const segments = db.prepare('SELECT segment FROM message_id_filters')
    const insert = db.prepare('INSERT INTO message_id_filters VALUES (?, ?, ?)')
    const remove = db.prepare('DELETE FROM message_id_filters WHERE newest_received_at < ?')
    this.#filter = new SegmentFilter(Number(seed))
    this.#dedupeWindowMs = dedupeWindowMs
    this.#keptSegments = () => new Set(segments.all().map(({ segment }) => Number(segment)))
    this.#keep = (segment, newest) => insert.run(segment, newest, this.#filter.bitsOf(segment))
    this.#removeKept = (receivedBefore) => remove.run(receivedBefore)
    this.#segment = segmentOf(Number(last ?? 0))
    // Where the newest events were removed, a segment goes on that was full: what is kept of it will not be all.
    db.prepare('DELETE FROM message_id_filters WHERE segment >= ?').run(this.#segment)
    this.#restore(db)
    this.#read(db)
  }

  /** In ascending order; seldom one that does not have it. */
  segmentsWith(messageId: string): readonly number[] {
    return this.#filter.segmentsWith(messageId)
  }

  /** To be called for every event that is appended, in the order of seq, in the transaction that does it. */
  add(seq: number, messageId: string, receivedAt: number): void {
    const segment = segmentOf(seq)
    // It is an earlier one where the operations of a transaction that failed are done again one by one.
    if (segment > this.#segment) this.#begin(segment, receivedAt)
    this.#newestReceivedAt = Math.max(this.#newestReceivedAt, receivedAt)
    this.#oldestReceivedAt = Math.min(this.#oldestReceivedAt, receivedAt)
    this.#filter.add(segment, messageId)
  }

  #begin(segment: number, receivedAt: number): void {
    this.#full.set(this.#segment, this.#newestReceivedAt)
    // The oldest: events in the middle of which a clock was set far ahead for a while are no reason to forget.
    this.#forget(Math.min(receivedAt, this.#oldestReceivedAt) - this.#dedupeWindowMs)
    const kept = this.#keptSegments()
    for (const [full, newest] of this.#full) if (!kept.has(full)) this.#keep(full, newest)
    this.#segment = segment
    this.#newestReceivedAt = -Infinity
    this.#oldestReceivedAt = Infinity
  }

  #forget(receivedBefore: number): void {
    for (const [segment, newest] of this.#full)
      if (newest < receivedBefore) this.#full.delete(segment)
    this.#removeKept(receivedBefore)
    this.#filter.forgetBefore(Math.min(this.#segment, ...this.#full.keys()))
  }

  #restore(db: DatabaseSync): void {
    const rows = db.prepare('SELECT segment, newest_received_at, bits FROM message_id_filters')
    for (const { segment, newest_received_at: newest, bits } of rows.iterate()) {
      this.#filter.restore(Number(segment), bits as Uint8Array)
      this.#full.set(Number(segment), Number(newest))
    }
  }

  /** The last segment, and those before it within the window of which no filter is kept. */
  #read(db: DatabaseSync): void {
    const newestBefore = db.prepare(
      'SELECT seq, received_at FROM events WHERE seq < ? ORDER BY seq DESC LIMIT 1',
    )
    let since = -Infinity
    let row = newestBefore.get(firstSeqOf(this.#segment + 1))
    while (row !== undefined) {
      const segment = segmentOf(Number(row['seq']))
      const newest = Number(row['received_at']) + SLACK_MS
      if (!this.#full.has(segment)) {
        if (newest < since) return
        this.#readSegment(db, segment, newest)
      }
      if (since === -Infinity) since = newest - SLACK_MS - this.#dedupeWindowMs
      row = newestBefore.get(firstSeqOf(segment))
    }
  }

  #readSegment(db: DatabaseSync, segment: number, newestReceivedAt: number): void {
    const ids = db.prepare(`SELECT message_id AS id FROM events WHERE ${SEGMENT} = ?`)
    for (const { id } of ids.iterate(segment)) this.#filter.add(segment, String(id))
    if (segment === this.#segment) this.#newestReceivedAt = newestReceivedAt
    else this.#full.set(segment, newestReceivedAt)
  }
}
