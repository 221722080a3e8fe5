import type { Logger } from 'pino'
import type { Log, LogEntry } from '../backend/log.ts'

/**
 * Acks entries as they are done with; those that come while an ack is under way go together in the
 * next. Disposing waits until everything added is acked.
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
    // A turn later, so that entries done at the same moment share one ack.
    await Promise.resolve()
    while (this.#done.length > 0) {
      const entries = this.#done
      this.#done = []
      try {
        await this.#log.ack(entries)
      } catch (error) {
        // Costs no event: what stays unacked comes again, and its deliveries are found recorded.
        this.#logger.warn({ err: error }, 'ack.failed')
      }
    }
    this.#acking = undefined
  }
}
