import type { DurableState } from './backend/durable-state.ts'
import type { RunningProcess } from './process-lifecycle.ts'

const RETRY_MS = 1000

export interface PurgeRequestsOptions {
  readonly state: DurableState
  readonly running: () => RunningProcess | undefined
  /** Called when a process starts a purge. */
  readonly onBegin: (userId: string, through: number) => void
}

/** Carries out purges like the deletion worker: retries after failures and restarts. */
export class PurgeRequests {
  readonly #options: PurgeRequestsOptions
  /** Unfinished purges: by user, the seq of the last event to purge. */
  readonly #open = new Map<string, number>()

  constructor(options: PurgeRequestsOptions) {
    this.#options = options
  }

  add(userId: string): void {
    // Does not include events that are not durable yet.
    const through = this.#options.state.nextSeq - 1
    this.#open.set(userId, through)
    this.#carryOut(userId, through)
  }

  /** Starts all unfinished purges, when a process has started. */
  carryOutAll(): void {
    for (const [userId, through] of this.#open) this.#carryOut(userId, through)
  }

  #carryOut(userId: string, through: number): void {
    const running = this.#options.running()
    if (running === undefined) return
    this.#options.onBegin(userId, through)
    const isDone = (): void => {
      if (this.#open.get(userId) === through) this.#open.delete(userId)
    }
    const retry = (): void =>
      void running.clock.after(RETRY_MS, () => this.#carryOut(userId, through))
    running.process.backend.deletions.purgeUser(userId, through).then(isDone, retry)
  }
}
