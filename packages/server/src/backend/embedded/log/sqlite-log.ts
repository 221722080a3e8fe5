import type { AcceptedEvent } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { ByteBudget } from '../../../util/limits/byte-budget.ts'
import { EventAmount, type MaxAmount } from '../../accepted-event.ts'
import type { Log, LogEntry } from '../../log.ts'
import { CORRUPTED_EVENT } from '../../quarantine.ts'
import type { SqliteRow } from '../database/statements.ts'
import type { Writer } from '../writer.ts'
import type { WriterHost } from '../writer-host.ts'
import { AppendedPosition, RecentEvents } from './sqlite-followed-log.ts'
import { Appender } from './appender.ts'
import { eventsIn } from './event-block.ts'
import { readableEventOf } from '../../store/event-rows.ts'
import { EVENT_COLUMNS } from './event-row.ts'
import type { AppendResult } from './write-log.ts'
import type { EventToArchive } from '../../events.ts'
import { StoredEvents } from '../../store/events.ts'
import type { Reads } from '../../store/store.ts'
import type { DeclinedRow } from '../events/write-archive.ts'

/** An entry, with the position of its last event or duplicate. */
interface Entry extends LogEntry {
  readonly seq: number
  readonly rows: number
  redelivered: boolean
  isAcked: boolean
}

/** Ids of events that were duplicates when appended, until their entry is acked, for `Events.archive`. */
export type Duplicates = Set<string>

const MAX_READ: MaxAmount = { events: 256, bytes: 1024 * 1024 }
/** Limits of entries in memory. A consumer that lags further reads them from the table. */
const MAX_TAIL: MaxAmount = { events: 8_192, bytes: 16 * 1024 * 1024 }
/** Approximate limits of unacked events before the consumer waits for acks. */
const MAX_OUTSTANDING: MaxAmount = { events: 65_536, bytes: 64 * 1024 * 1024 }

interface AppendedEvents extends AppendResult {
  readonly events: readonly AcceptedEvent[]
}

interface SqliteLogOptions {
  readonly waiting: ByteBudget
  readonly duplicates: Duplicates
  readonly maxOutstanding?: MaxAmount
}

/**
 * The log on the table `events`. A consumer that keeps up receives entries from memory (`#tail`).
 * If it lags by more than MAX_TAIL, the tail is dropped, and the consumer reads the table until it
 * has caught up. `#cursor` is the last position handed out. `#outstanding` holds the entries handed
 * out beyond the stored position, acked or not. Beyond MAX_OUTSTANDING, nothing is handed out.
 */
export class SqliteLog implements Log {
  readonly end: AppendedPosition
  readonly recent = new RecentEvents()
  readonly #writer: Writer
  readonly #options: SqliteLogOptions
  readonly #appender: Appender
  readonly #leftOverThrough: number
  readonly #read: (afterSeq: number) => Iterable<Entry>
  #cursor: number
  #tail: Entry[] = []
  readonly #tailAmount = new EventAmount()
  #isBehind: boolean
  #outstanding: Entry[] = []
  readonly #outstandingAmount = new EventAmount()
  #wake: () => void = () => undefined
  readonly #onAppended = new Set<(events: readonly AcceptedEvent[]) => void>()

  constructor(host: WriterHost, reader: DatabaseSync, options: SqliteLogOptions) {
    this.#writer = host.writer
    this.#options = options
    this.#appender = new Appender({
      writer: host.writer,
      waiting: options.waiting,
      onCommitted: (events, appended) => this.appended({ events, ...appended }),
    })
    host.onAppended = ({ block, ...appended }) => {
      const events = eventsIn(block)
      for (const listener of this.#onAppended) listener(events)
      this.appended({ events, ...appended })
    }
    const last = Number(reader.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq'] ?? 0)
    this.#cursor = Number(reader.prepare('SELECT acked FROM log_position').get()?.['acked'])
    this.#leftOverThrough = last
    this.end = new AppendedPosition(last)
    this.#isBehind = last > this.#cursor
    const select = reader.prepare(
      `SELECT seq, ${EVENT_COLUMNS} FROM events WHERE seq > ? ORDER BY seq LIMIT ${MAX_READ.events}`,
    )
    this.#read = (afterSeq) =>
      select.iterate(afterSeq).map((row) => {
        const seq = Number(row['seq'])
        return {
          seq,
          rows: 1,
          ...eventsOf(row),
          redelivered: seq <= this.#leftOverThrough,
          isAcked: false,
        }
      })
  }

  append(events: readonly AcceptedEvent[]): Promise<void> {
    return this.#appender.append(events)
  }

  /** Calls `listener` with events appended by other threads, before the consumer gets them. */
  onAppended(listener: (events: readonly AcceptedEvent[]) => void): () => void {
    this.#onAppended.add(listener)
    return () => this.#onAppended.delete(listener)
  }

  /** Hands appended events to the consumer and followers. Call it for every appending operation, in commit order. */
  appended({ events, ...appended }: AppendedEvents): void {
    if (events.length === 0) return
    const { lastSeq: seq, duplicates } = appended
    this.recent.add(events, appended)
    this.#offer(
      { seq, rows: events.length - duplicates.length, events, redelivered: false, isAcked: false },
      duplicates,
    )
    this.end.moveTo(seq)
  }

  async *consume({ signal }: { readonly signal: AbortSignal }): AsyncIterable<readonly LogEntry[]> {
    const unacked = this.#outstanding.filter(({ isAcked }) => !isAcked)
    for (const entry of unacked) entry.redelivered = true
    if (unacked.length > 0) yield unacked
    while (!signal.aborted) {
      if (this.#outstandingAmount.isOver(this.#options.maxOutstanding ?? MAX_OUTSTANDING)) {
        await this.#wokenOr(signal)
        continue
      }
      const entries = this.#isBehind ? this.#catchUp() : this.#takeTail()
      if (entries.length > 0) yield this.#handOut(entries)
      else if (!this.#isBehind) await this.#wokenOr(signal)
    }
  }

  #handOut(entries: readonly Entry[]): readonly Entry[] {
    this.#cursor = entries.at(-1)!.seq
    this.#outstanding.push(...entries)
    for (const { events } of entries) this.#outstandingAmount.add(events)
    return entries
  }

  async ack(entries: readonly LogEntry[]): Promise<void> {
    const [first] = this.#outstanding
    for (const entry of entries as readonly Entry[])
      if (first !== undefined && entry.seq >= first.seq) entry.isAcked = true
    const done = untilFirst(this.#outstanding, ({ isAcked }) => !isAcked)
    if (done.length === 0) return
    const through = done.at(-1)!.seq
    const events = done.reduce((sum, { rows }) => sum + rows, 0)
    await this.#writer.run('ackEvents', { through, events }, { maxWaitMs: 20 })
    this.#forgetAcked(through)
  }

  /**
   * Drops entries up to this position from memory. Call it only once the position is durable: a
   * failed ack is repeated with the next one.
   */
  #forgetAcked(through: number): void {
    const passed = untilFirst(this.#outstanding, ({ seq }) => seq > through)
    this.#outstanding.splice(0, passed.length)
    for (const { events } of passed) this.#outstandingAmount.remove(events)
    this.#forgetDuplicates(passed)
    this.#wake()
  }

  #offer(entry: Entry, duplicates: readonly string[]): void {
    // A consumer that is behind reads the table, and must not get an entry twice. Trailing duplicates are not in the table.
    const firstSeq = entry.seq - entry.events.length + 1
    if (this.#isBehind || firstSeq <= this.#cursor) return
    for (const id of duplicates) this.#options.duplicates.add(id)
    this.#tail.push(entry)
    this.#tailAmount.add(entry.events)
    if (this.#tailAmount.isOver(MAX_TAIL)) {
      this.#forgetDuplicates(this.#takeTail())
      this.#isBehind = true
    }
    this.#wake()
  }

  #forgetDuplicates(entries: readonly Entry[]): void {
    const { duplicates } = this.#options
    if (duplicates.size === 0) return
    for (const { events } of entries) for (const { id } of events) duplicates.delete(id)
  }

  #takeTail(): Entry[] {
    const entries = this.#tail
    this.#tail = []
    this.#tailAmount.clear()
    return entries
  }

  #catchUp(): Entry[] {
    const entries: Entry[] = []
    const amount = new EventAmount()
    this.#isBehind = false
    for (const entry of this.#read(this.#cursor)) {
      entries.push(entry)
      amount.add(entry.events)
      // A read to the end has seen every commit; later entries are offered.
      this.#isBehind = entries.length === MAX_READ.events || amount.isOver(MAX_READ)
      if (this.#isBehind) break
    }
    return entries
  }

  /** Resolves when something was appended or acked, or `signal` aborts. */
  async #wokenOr(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    this.#wake = wake
    signal.addEventListener('abort', wake, { once: true })
    await promise
    signal.removeEventListener('abort', wake)
  }
}

function untilFirst(entries: readonly Entry[], isEnd: (entry: Entry) => boolean): Entry[] {
  const end = entries.findIndex(isEnd)
  return end === -1 ? entries.slice() : entries.slice(0, end)
}

function eventsOf(row: SqliteRow): Pick<LogEntry, 'events' | 'unreadable'> {
  const event = readableEventOf(row)
  if (event !== undefined) return { events: [event] }
  return { events: [], unreadable: [{ id: String(row['id']), reason: CORRUPTED_EVENT }] }
}

/** The archive on the table `events`, which the log has already filled. */
export class SqliteEvents extends StoredEvents {
  readonly #writer: Writer
  readonly #duplicates: Duplicates

  constructor(writer: Writer, reads: Reads, duplicates: Duplicates) {
    super(reads)
    this.#writer = writer
    this.#duplicates = duplicates
  }

  /** Events are already archived: only declined destinations are written. */
  async archive(entries: readonly EventToArchive[]): Promise<ReadonlySet<string>> {
    const duplicates = new Set<string>()
    const rows: DeclinedRow[] = []
    for (const { event, declined } of entries) {
      if (this.#duplicates.has(event.id)) duplicates.add(event.id)
      else
        for (const { destinationId, reason, since = null } of declined)
          rows.push([event.id, destinationId, reason, since])
    }
    if (rows.length > 0) await this.#writer.run('storeDeclined', rows)
    return duplicates
  }
}
