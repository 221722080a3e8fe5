import type { AcceptedEvent } from '@hookline/protocol'
import type { Logger } from '../../telemetry/logger.ts'
import { type Subject, subjectsOf, type Suppressions } from '../../backend/deletions.ts'
import type { Clock } from '../../util/time/clock.ts'
import { LogThrottle } from '../../util/limits/log-throttle.ts'

const LOG_EVERY_MS = 10_000

type CountedSuppressions = Pick<Suppressions, 'has' | 'countSuppressed'>

/** Unwritten counts: one for each suppressed user and source, however many calls there are. */
interface UnwrittenUserCalls {
  requests: number
  lastAt: number
  /** By source, then by kind and id of the user. */
  readonly bySource: Map<string, Map<string, Subject & { calls: number }>>
}

/**
 * Counts the calls for suppressed users, to explain missing events. No call waits for it, and counts are written
 * together.
 */
export class SuppressedCallRecorder {
  readonly #suppressions: CountedSuppressions
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #failures: LogThrottle
  #waiting = nothing()
  #isWriting = false

  constructor(suppressions: CountedSuppressions, clock: Clock, logger: Logger) {
    this.#suppressions = suppressions
    this.#clock = clock
    this.#logger = logger
    this.#failures = new LogThrottle(clock, LOG_EVERY_MS)
  }

  /** @param suppressed the calls in one request that belong to suppressed users */
  record(suppressed: readonly AcceptedEvent[]): void {
    this.#waiting.requests++
    this.#waiting.lastAt = this.#clock.wall()
    for (const event of suppressed)
      for (const subject of subjectsOf(event))
        if (this.#suppressions.has(event.sourceId, subject.kind, subject.id))
          this.#count(event.sourceId, subject)
    if (!this.#isWriting) void this.#writeAll()
  }

  #count(sourceId: string, subject: Subject): void {
    const { bySource } = this.#waiting
    const users = bySource.get(sourceId) ?? new Map<string, Subject & { calls: number }>()
    const key = `${subject.kind} ${subject.id}`
    const counted = users.get(key) ?? { ...subject, calls: 0 }
    counted.calls++
    bySource.set(sourceId, users.set(key, counted))
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.requests > 0) {
      const { requests, lastAt: at, bySource } = this.#waiting
      this.#waiting = nothing()
      const writes = [...bySource].map(([sourceId, users]) =>
        this.#suppressions.countSuppressed({ sourceId, users: [...users.values()], at }),
      )
      await Promise.all(writes).catch((error: unknown) => this.#onFailure(error, requests))
    }
    this.#isWriting = false
  }

  #onFailure(error: unknown, requests: number): void {
    this.#failures.count(
      'suppressed',
      (failures) => this.#logger.warn({ err: error, failures }, 'suppression.count_failed'),
      requests,
    )
  }
}

function nothing(): UnwrittenUserCalls {
  return { requests: 0, lastAt: 0, bySource: new Map() }
}
