import type { Clock } from '../../../packages/server/src/util/clock.ts'
import type { RunningProcess } from './process-lifecycle.ts'

const RETRY_MS = 1000

export interface PurgeRequestsOptions {
  readonly clock: Clock
  readonly running: () => RunningProcess | undefined
  /** A process begins a purge. */
  readonly onBegin: (userId: string, until: number) => void
}

/** Carries out purges as the deletion worker does: it tries again after a failure and after a restart. */
export class PurgeRequests {
  readonly #options: PurgeRequestsOptions
  /** The purges that are not done, by user: the time up to which events are purged. */
  readonly #open = new Map<string, number>()

  constructor(options: PurgeRequestsOptions) {
    this.#options = options
  }

  add(userId: string): void {
    // Events that arrive at the same time are kept.
    const until = this.#options.clock.now() - 1
    this.#open.set(userId, until)
    this.#carryOut(userId, until)
  }

  /** A process has started. */
  carryOutAll(): void {
    for (const [userId, until] of this.#open) this.#carryOut(userId, until)
  }

  #carryOut(userId: string, until: number): void {
    const running = this.#options.running()
    if (running === undefined) return
    this.#options.onBegin(userId, until)
    const isDone = (): void => {
      if (this.#open.get(userId) === until) this.#open.delete(userId)
    }
    const retry = (): void =>
      void running.clock.after(RETRY_MS, () => this.#carryOut(userId, until))
    running.process.backend.deletions.purgeUser(userId, until).then(isDone, retry)
  }
}
