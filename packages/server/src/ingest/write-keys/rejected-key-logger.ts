import type { IngestCodeName } from '@hookline/protocol'
import type { Logger } from '../../telemetry/logger.ts'
import { ClientKeyThrottle } from '../../util/limits/client-key-throttle.ts'
import type { Clock } from '../../util/time/clock.ts'

/** Enough characters for the operator to recognise the key, too few to use it. */
const PREFIX_CHARACTERS = 6
const EVERY_MS = 60_000

/** Logs requests that were refused because of their write key, with the first characters of the key. */
export class RejectedKeyLogger {
  readonly #logger: Logger
  readonly #prefixes: ClientKeyThrottle

  constructor(clock: Clock, logger: Logger) {
    this.#logger = logger
    this.#prefixes = new ClientKeyThrottle(clock, EVERY_MS)
  }

  /**
   * Counts a refused request. Logs the count at most once a minute for each prefix and code. Where there are many prefixes,
   * the requests with the others are logged together, with the prefix `null`.
   */
  add(writeKey: string | undefined, code: IngestCodeName): void {
    const counted = this.#prefixes.count(prefixOf(writeKey), code)
    if (counted === undefined) return
    const { key: keyPrefix, requests } = counted
    this.#logger.warn({ code, keyPrefix, requests }, 'write_key.refused')
  }
}

/** The log is read in a terminal, and headers may contain characters that control it. */
function prefixOf(writeKey = ''): string {
  return writeKey.slice(0, PREFIX_CHARACTERS).replaceAll(/[^\x20-\x7e]/g, '?')
}
