import { DroppedError, type ReportedError } from '../errors.ts'
import type { Queue } from '../queue/queue.ts'
import type { DebugLog } from './debug-log.ts'

/**
 * Counts messages dropped because the queue is full, and reports each burst of drops once. A burst begins with a drop and
 * ends when the queue is less than half full.
 */
export class Drops {
  readonly #report: (error: ReportedError) => void
  readonly #debug: DebugLog | undefined
  #total = 0
  #inBurst = 0

  constructor(report: (error: ReportedError) => void, debug: DebugLog | undefined) {
    this.#report = report
    this.#debug = debug
  }

  get total(): number {
    return this.#total
  }

  /** Counts a dropped message. Reports after the current call, because `onError` may make calls itself. */
  add(policy: DroppedError['policy']): void {
    this.#total++
    if (this.#inBurst++ > 0) return
    this.#debug?.(`drop: the queue is full, ${policy}`)
    queueMicrotask(() => this.#report(new DroppedError(policy)))
  }

  /** Ends the burst if the queue is less than half full. */
  check(queue: Queue): void {
    if (this.#inBurst === 0 || !queue.isHalfEmpty) return
    this.#debug?.(`drop: queue has room again, dropped calls: ${this.#inBurst}`)
    this.#inBurst = 0
  }
}
