import type { Clock } from '../util/time/clock.ts'
import { MinuteCounts } from './minute-counts.ts'

/** The counts of a minute, and when it began. */
export interface Minute {
  readonly start: number
  readonly counts: MinuteCounts
}

/** Counts that are not written before they are released. */
export interface HeldMinutes {
  readonly minutes: readonly Minute[]
  readonly release: () => void
}

/** A write waits so long for reads that go on one after the other. Then new reads wait for the write. */
const LONGEST_WAIT_MS = 5_000

/**
 * The counts of the current minute, and of those that are over and not written yet:
 *
 *     current ─ the minute is over ─▶ over ─ no read is under way ─▶ being written ─▶ written
 *
 * A read has those that are not being written, waits for the write under way, and keeps the next one from beginning. So it counts
 * nothing twice. It does not wait for a write that waits for reads: reads of several nodes would wait for each other.
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

  /** The current minute is over: it is written when no read is under way. `write` must not reject. */
  turnOver(start: number, write: (minute: Minute) => Promise<void>): void {
    this.#over.push(this.#current)
    this.#current = { start, counts: new MinuteCounts() }
    this.#writes = this.#writes.then(() => this.#writeNext(write))
  }

  /** Resolves when what is over is written. */
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
      release: () => {
        this.#reads.delete(read.promise)
        read.resolve()
      },
    }
  }

  async #writeNext(write: (minute: Minute) => Promise<void>): Promise<void> {
    const cancel = this.#clock.after(LONGEST_WAIT_MS, () => (this.#isClosed = true))
    while (this.#reads.size > 0) await Promise.all(this.#reads)
    cancel()
    this.#writing = write(this.#over.shift()!)
    this.#isClosed = false
    await this.#writing
  }
}
