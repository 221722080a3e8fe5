import { retryWhileUnavailable } from '../delivery/records/retry-while-unavailable.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Log, LogEntry } from '../backend/log.ts'
import type { Clock } from '../util/time/clock.ts'

export interface AcksOptions {
  readonly log: Pick<Log, 'ack'>
  readonly clock: Clock
  readonly logger: Logger
  /** Aborts when the service stops: an ack that fails is not made again. */
  readonly signal: AbortSignal
}

/**
 * Acks entries that are done, and tries again while the backend is unavailable: no later ack may come, and until then the
 * log would keep them. Entries added while an ack is in progress are acked together in the next one. Disposing waits until
 * all added entries are acked.
 */
export class Acks implements AsyncDisposable {
  readonly #options: AcksOptions
  #done: LogEntry[] = []
  #acking: Promise<void> | undefined

  constructor(options: AcksOptions) {
    this.#options = options
  }

  add(entry: LogEntry): void {
    this.#done.push(entry)
    this.#acking ??= this.#ackAll()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#acking
  }

  async #ackAll(): Promise<void> {
    // Waits for a microtask, so that entries that are done at the same time share one ack.
    await Promise.resolve()
    while (this.#done.length > 0) {
      const entries = this.#done
      this.#done = []
      await this.#ack(entries)
    }
    this.#acking = undefined
  }

  async #ack(entries: readonly LogEntry[]): Promise<void> {
    const { log, logger } = this.#options
    try {
      await retryWhileUnavailable(() => log.ack(entries), this.#options)
    } catch (error) {
      // No event is lost: entries without an ack come again, and their deliveries are already recorded.
      logger.warn({ err: error }, 'ack.failed')
    }
  }
}
