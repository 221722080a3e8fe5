import type { IngestCodeName } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Clock } from '../../util/clock.ts'
import { Tally } from './tally.ts'

/** Enough to find the key among one's own, too little to use it. */
const PREFIX_CHARACTERS = 6
const EVERY_MS = 60_000

/** Tells the operator of requests that were refused for their write key, per beginning of the key. */
export class RejectedKeys {
  readonly #logger: Logger
  readonly #tally: Tally

  constructor(clock: Clock, logger: Logger) {
    this.#logger = logger
    this.#tally = new Tally(clock, EVERY_MS)
  }

  /** Counts a refusal; logs a line with the count at most once a minute per prefix and code. */
  add(writeKey: string | undefined, code: IngestCodeName): void {
    const keyPrefix = (writeKey ?? '').slice(0, PREFIX_CHARACTERS)
    const requests = this.#tally.add(`${code} ${keyPrefix}`)
    if (requests > 0) this.#logger.warn({ code, keyPrefix, requests }, 'write key refused')
  }
}
