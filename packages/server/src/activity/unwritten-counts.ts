import { randomUUID } from 'node:crypto'
import type { Signals } from '../backend/signals.ts'
import type { CountsRange, CountsRow } from '../backend/statistics.ts'
import { PairMap } from '../util/pair-map.ts'
import type { Clock } from '../util/time/clock.ts'

/** The counts of a minute, and when it began. */
export interface Minute {
  readonly start: number
  readonly counts: MinuteCounts
}

/** Counts that are not written before they are disposed of. */
interface HeldMinutes extends Disposable {
  readonly minutes: readonly Minute[]
}

/** How long a write waits for overlapping reads. Then new reads wait for the write. */
const MAX_WAIT_MS = 5_000

/**
 * The counts of the current minute, and of those that are over and not written yet:
 *
 *     current ─ the minute is over ─▶ over ─ no read is in progress ─▶ being written ─▶ written
 *
 * A read merges the minutes that are not being written: it waits for a write in progress and blocks the next, so nothing is
 * counted twice. It does not wait for a write that waits for reads: reads of several nodes would wait for each other.
 */
export class UnwrittenCounts {
  readonly #clock: Clock
  #current: Minute
  readonly #over: Minute[] = []
  readonly #reads = new Set<Promise<void>>()
  #writing: Promise<void> = Promise.resolve()
  /** Ends with the last write that is waited for. */
  #writes: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(clock: Clock, start: number) {
    this.#clock = clock
    this.#current = { start, counts: new MinuteCounts() }
  }

  get current(): Minute {
    return this.#current
  }

  /** The current minute is over: it is written when no read is in progress. `write` must not reject. */
  turnOver(start: number, write: (minute: Minute) => Promise<void>): void {
    this.#over.push(this.#current)
    this.#current = { start, counts: new MinuteCounts() }
    this.#writes = this.#writes.then(() => this.#writeNext(write))
  }

  /** Resolves when the minutes that are over are written. */
  written(): Promise<void> {
    return this.#writes
  }

  async hold(): Promise<HeldMinutes> {
    // Nothing may come between the last look and the note of this read.
    for (let last; last !== this.#writing || this.#isClosed;) {
      if (this.#isClosed) await this.#writes
      await (last = this.#writing)
    }
    const read = Promise.withResolvers<void>()
    this.#reads.add(read.promise)
    return {
      minutes: [this.#current, ...this.#over],
      [Symbol.dispose]: () => {
        this.#reads.delete(read.promise)
        read.resolve()
      },
    }
  }

  async #writeNext(write: (minute: Minute) => Promise<void>): Promise<void> {
    const cancel = this.#clock.after(MAX_WAIT_MS, () => (this.#isClosed = true))
    while (this.#reads.size > 0) await Promise.all(this.#reads)
    cancel()
    this.#writing = write(this.#over.shift()!)
    this.#isClosed = false
    await this.#writing
  }
}

/** Rows whose counts are not written before they are disposed of. */
export interface HeldRows extends Disposable {
  readonly rows: readonly CountsRow[]
}

/** How long a node holds its counts for another one that may have died. */
const MAX_HELD_MS = 5_000
/** Reads of others at the same time: beyond them, a node answers without its counts. */
const MAX_HELD = 100

interface Question {
  readonly read: string
  readonly range: CountsRange
}

/** The unwritten counts of other nodes. They write them after the read, so nothing is counted twice. */
export class OtherCounts {
  readonly #clock: Clock
  readonly #signals: OtherCountsSignals
  readonly #hold: (range: CountsRange) => Promise<HeldRows>
  /** What this node holds for others, by the read. */
  readonly #held = new Map<string, DisposableStack>()

  /** @param hold holds the counts of this node */
  constructor(
    clock: Clock,
    signals: OtherCountsSignals,
    hold: (range: CountsRange) => Promise<HeldRows>,
  ) {
    this.#clock = clock
    this.#signals = signals
    this.#hold = hold
    signals.onAsked('statistics', (question) => this.#answer(question as Question))
    signals.onTold('statistics', (told) => this.#release((told as Question).read))
  }

  /** Requests the counts. The other nodes write them after the result is disposed of. */
  async read(range: CountsRange): Promise<HeldRows> {
    const question: Question = { read: randomUUID(), range }
    const answers = await this.#signals.ask('statistics', question)
    return {
      rows: (answers as readonly (readonly CountsRow[])[]).flat(),
      // Also to nodes whose answers came too late.
      [Symbol.dispose]: () => this.#signals.tell('statistics', question),
    }
  }

  async #answer({ read, range }: Question): Promise<readonly CountsRow[]> {
    if (this.#held.size >= MAX_HELD) return []
    const held = new DisposableStack()
    this.#held.set(read, held)
    const counts = await this.#hold(range)
    // The other node did not wait for the answer.
    if (held.disposed) counts[Symbol.dispose]()
    else {
      held.use(counts)
      held.defer(this.#clock.after(MAX_HELD_MS, () => this.#release(read)))
    }
    return counts.rows
  }

  #release(read: string): void {
    const held = this.#held.get(read)
    this.#held.delete(read)
    held?.dispose()
  }
}

type OtherCountsSignals = Pick<Signals, 'ask' | 'onAsked' | 'tell' | 'onTold'>

/** The maximum number of pairs of source and destination in one minute. All further pairs are counted together, under empty ids. */
const MAX_KEYS = 5_000

type Row = Pick<CountsRow, 'sourceId' | 'destinationId'> & {
  readonly counts: Record<string, number>
}

/** The counts of one minute, by source, destination and name. Their number is bounded. */
export class MinuteCounts {
  readonly #rows = new PairMap<Row>()

  /** Adds to a count. Adding zero creates no row. */
  add(sourceId: string, destinationId: string, name: string, amount = 1): void {
    if (amount === 0) return
    const { counts } = this.#row(sourceId, destinationId)
    counts[name] = (counts[name] ?? 0) + amount
  }

  /** The counts, one row for each pair. */
  rows(): readonly Row[] {
    return [...this.#rows.values()]
  }

  #row(sourceId: string, destinationId: string): Row {
    const existing = this.#rows.get(sourceId, destinationId)
    if (existing !== undefined) return existing
    const isCommon = sourceId === '' && destinationId === ''
    if (this.#rows.size >= MAX_KEYS && !isCommon) return this.#row('', '')
    const row = { sourceId, destinationId, counts: {} }
    this.#rows.set(sourceId, destinationId, row)
    return row
  }
}
