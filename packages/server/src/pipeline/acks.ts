import type { Logger } from '../telemetry/logger.ts'
import type { Log, LogEntry } from '../backend/log.ts'

/**
 * Acks entries that are done. Entries added while an ack is in progress are acked together in the next one. Disposing
 * waits until all added entries are acked.
 */
export class Acks implements AsyncDisposable {
  readonly #log: Log
  readonly #logger: Logger
  #done: LogEntry[] = []
  #acking: Promise<void> | undefined

  constructor(log: Log, logger: Logger) {
    this.#log = log
    this.#logger = logger
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
      try {
        await this.#log.ack(entries)
      } catch (error) {
        // No event is lost: entries without an ack come again, and their deliveries are already recorded.
        this.#logger.warn({ err: error }, 'ack.failed')
      }
    }
    this.#acking = undefined
  }
}
