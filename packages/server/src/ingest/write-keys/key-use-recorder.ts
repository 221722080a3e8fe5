import type { Logger } from '../../telemetry/logger.ts'
import type { KeyUses } from '../../backend/catalog.ts'
import type { Clock } from '../../util/time/clock.ts'

/** Recording once a minute is enough: a key in heavy use must not cause a write with every request. */
const RECORD_EVERY_MS = 60_000

/** Records when write keys were last used. No call waits for it. */
export class KeyUseRecorder {
  readonly #uses: KeyUses
  readonly #clock: Clock
  readonly #logger: Logger

  constructor(uses: KeyUses, clock: Clock, logger: Logger) {
    this.#uses = uses
    this.#clock = clock
    this.#logger = logger
  }

  record(key: string): void {
    const now = this.#clock.wall()
    if (Math.abs(now - (this.#uses.lastUsedAt(key) ?? 0)) < RECORD_EVERY_MS) return
    this.#uses.mark(key, now).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'key_use.not_kept')
    })
  }
}
