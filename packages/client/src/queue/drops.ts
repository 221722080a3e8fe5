import type { Say } from '../sending/debug.ts'
import { DroppedError, type ReportedError } from '../errors.ts'
import type { Queue } from './queue.ts'

/**
 * Counts what is dropped because the queue is full, and tells of it once per burst. A burst begins with a
 * drop, and is over when the queue is half empty.
 */
export class Drops {
  readonly #report: (error: ReportedError) => void
  readonly #say: Say | undefined
  #total = 0
  #inBurst = 0

  constructor(report: (error: ReportedError) => void, say: Say | undefined) {
    this.#report = report
    this.#say = say
  }

  get total(): number {
    return this.#total
  }

  /** A message is dropped. What is told is told after the call that is under way. */
  add(policy: DroppedError['policy']): void {
    this.#total++
    if (this.#inBurst++ > 0) return
    this.#say?.(`drop: the queue is full, ${policy}`)
    queueMicrotask(() => this.#report(new DroppedError(policy)))
  }

  /** The queue has become shorter. */
  check(queue: Queue): void {
    if (this.#inBurst === 0 || !queue.isHalfEmpty) return
    this.#say?.(`drop: over, ${this.#inBurst} messages dropped`)
    this.#inBurst = 0
  }
}
