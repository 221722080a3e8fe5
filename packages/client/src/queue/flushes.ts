import type { Clock } from '../clock.ts'
import type { Fate } from './fate.ts'
import type { Queue } from './queue.ts'

/** What a flush came to, of the messages that were without a fate when it was asked for. */
export interface FlushResult {
  readonly delivered: number
  /** Refused, given up, or dropped to make room. */
  readonly failed: number
  /** Still without a fate: 0, unless `timeoutMs` ran out or the client was closed. */
  readonly pending: number
}

interface Waiter {
  /** The number of the first message it does not wait for. */
  readonly end: number
  readonly total: number
  delivered: number
  readonly finish: () => void
}

/** The flushes that someone waits for. */
export class Flushes {
  readonly #queue: Queue
  readonly #clock: Clock
  readonly #waiters = new Set<Waiter>()
  #isAbandoned = false

  constructor(queue: Queue, clock: Clock) {
    this.#queue = queue
    this.#clock = clock
  }

  /** Resolves when every message of the queue has its fate, but after `timeoutMs` at the latest. */
  wait(timeoutMs: number): Promise<FlushResult> {
    const { pending: total, tail: end } = this.#queue
    if (total === 0 || this.#isAbandoned) {
      return Promise.resolve({ delivered: 0, failed: 0, pending: total })
    }
    return new Promise((resolve) => {
      const finish = () => {
        cancel()
        this.#waiters.delete(waiter)
        const pending = this.#queue.pendingBefore(end)
        const { delivered } = waiter
        resolve({ delivered, failed: total - delivered - pending, pending })
      }
      const waiter: Waiter = { end, total, delivered: 0, finish }
      this.#waiters.add(waiter)
      // The timer of a flush is what keeps a process alive in which all else may be pausing.
      const cancel = this.#clock.after(timeoutMs, finish, true)
    })
  }

  /** A batch has met its fate, and is out no more. */
  count(fate: Fate): void {
    for (const waiter of this.#waiters) {
      const messages = Math.min(fate.batch.length, waiter.end - fate.batch.first)
      waiter.delivered += fate.deliveredOfFirst(Math.max(messages, 0))
    }
  }

  /** Ends those that have nothing more to wait for. */
  settle(): void {
    for (const waiter of this.#waiters) {
      if (this.#queue.pendingBefore(waiter.end) === 0) waiter.finish()
    }
  }

  /** Nothing will be sent any more: ends all, and those to come at once. */
  abandon(): void {
    this.#isAbandoned = true
    for (const { finish } of this.#waiters) finish()
  }
}
