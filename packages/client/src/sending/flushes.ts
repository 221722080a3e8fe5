import type { Clock } from '../clock.ts'
import type { Queue } from '../queue/queue.ts'
import type { BatchOutcome } from './batch-outcome.ts'

/** The result of a flush. Counts the calls that were pending when it was requested. */
export interface FlushResult {
  readonly delivered: number
  /** Rejected by the service, not delivered after the last retry, or dropped to make room. */
  readonly failed: number
  /** Neither delivered nor failed: 0, unless `timeoutMs` ran out or the client was closed. */
  readonly pending: number
}

interface PendingFlush {
  /** The number of the first message that it does not wait for. */
  readonly end: number
  readonly total: number
  delivered: number
  readonly finish: () => void
}

/** The flushes that have not resolved yet. */
export class Flushes {
  readonly #queue: Queue
  readonly #clock: Clock
  readonly #pending = new Set<PendingFlush>()
  #isAbandoned = false

  constructor(queue: Queue, clock: Clock) {
    this.#queue = queue
    this.#clock = clock
  }

  /** Resolves when every message now in the queue has been delivered or has failed, after `timeoutMs`, or on `abandon`. */
  wait(timeoutMs: number): Promise<FlushResult> {
    const { pending: total, tail: end } = this.#queue
    if (total === 0 || this.#isAbandoned) {
      return Promise.resolve({ delivered: 0, failed: 0, pending: total })
    }
    return new Promise((resolve) => {
      const finish = () => {
        cancel()
        this.#pending.delete(flush)
        const pending = this.#queue.pendingBefore(end)
        const { delivered } = flush
        resolve({ delivered, failed: total - delivered - pending, pending })
      }
      const flush: PendingFlush = { end, total, delivered: 0, finish }
      this.#pending.add(flush)
      // This timer alone keeps the process alive while the sender pauses between retries.
      const cancel = this.#clock.after(timeoutMs, finish, true)
    })
  }

  /** Counts the outcome of a completed batch. */
  count(outcome: BatchOutcome): void {
    for (const flush of this.#pending) {
      const messages = Math.min(outcome.batch.length, flush.end - outcome.batch.first)
      flush.delivered += outcome.deliveredOfFirst(Math.max(messages, 0))
    }
  }

  /** Resolves the flushes whose messages all have an outcome. */
  settle(): void {
    for (const flush of this.#pending) {
      if (this.#queue.pendingBefore(flush.end) === 0) flush.finish()
    }
  }

  /** Resolves all current and future flushes immediately, because nothing more will be sent. */
  abandon(): void {
    this.#isAbandoned = true
    for (const { finish } of this.#pending) finish()
  }
}
