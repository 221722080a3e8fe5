import type { Logger } from 'pino'
import type { KeyUses } from '../../backend/catalog.ts'
import type { Clock } from '../../util/clock.ts'

/** Use is kept to the minute: a busy key shall not write at every request. */
const KEPT_EVERY_MS = 60_000

/** Keeps when write keys are used. No call waits for it. */
export class KeyUse {
  readonly #uses: KeyUses
  readonly #clock: Clock
  readonly #logger: Logger

  constructor(uses: KeyUses, clock: Clock, logger: Logger) {
    this.#uses = uses
    this.#clock = clock
    this.#logger = logger
  }

  note(key: string): void {
    const now = this.#clock.now()
    if (now - (this.#uses.lastUsedAt(key) ?? 0) < KEPT_EVERY_MS) return
    this.#uses.mark(key, now).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'use of a write key not kept')
    })
  }
}
