import type { AcceptedEvent } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { LeftOutCalls, Suppressions } from '../../backend/deletions.ts'
import type { Clock } from '../../util/clock.ts'
import { LogThrottle } from '../../util/log-throttle.ts'

const LOG_EVERY_MS = 10_000

/**
 * Counts the calls that suppressions left out, so that a question for them has an answer although nothing of the calls
 * is kept. No call waits for it.
 */
export class LeftOutRecorder {
  readonly #suppressions: Suppressions
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #failures: LogThrottle

  constructor(suppressions: Suppressions, clock: Clock, logger: Logger) {
    this.#suppressions = suppressions
    this.#clock = clock
    this.#logger = logger
    this.#failures = new LogThrottle(clock, LOG_EVERY_MS)
  }

  /** @param leftOut the calls of one request that belong to suppressed users */
  record(leftOut: readonly AcceptedEvent[]): void {
    const [first] = leftOut
    if (first === undefined) return
    const { sourceId } = first
    const users = this.#countsByUser(leftOut)
    const calls: LeftOutCalls = { sourceId, users, at: this.#clock.now() }
    this.#suppressions.countLeftOut(calls).catch((error: unknown) => {
      const failures = this.#failures.count('left_out')
      if (failures > 0) this.#logger.warn({ err: error, failures }, 'left_out.not_counted')
    })
  }

  #countsByUser(leftOut: readonly AcceptedEvent[]): LeftOutCalls['users'] {
    const counts = new Map<string, number>()
    for (const { sourceId, event } of leftOut)
      for (const userId of new Set([event.userId, event.previousId]))
        if (userId !== undefined && this.#suppressions.has(sourceId, userId))
          counts.set(userId, (counts.get(userId) ?? 0) + 1)
    return [...counts]
  }
}
