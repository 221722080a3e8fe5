import type { AcceptedEvent } from '@hookline/protocol'

/**
 * How long an entry may stay in the log while the process runs and the backend is available: what waits in memory is
 * parked after 2 s, whatever a receiver does.
 */
const LONGEST_MS = 6_000

/** The position of the log follows within seconds: no event stays unacked for longer. */
export class LogLag {
  readonly #onViolation: (violation: string) => void
  /** When each unacked event was appended, the oldest first. */
  readonly #appendedAt = new Map<string, number>()
  #upSince: number | undefined

  constructor(onViolation: (violation: string) => void) {
    this.#onViolation = onViolation
  }

  appended(events: readonly AcceptedEvent[], now: number): void {
    for (const { id } of events) this.#appendedAt.set(id, now)
  }

  acked(events: readonly AcceptedEvent[]): void {
    for (const { id } of events) this.#appendedAt.delete(id)
  }

  purged(eventIds: ReadonlySet<string>): void {
    for (const id of eventIds) this.#appendedAt.delete(id)
  }

  /** @param isUp whether the process runs, and each of its threads, and the backend is available */
  check(now: number, isUp: boolean): void {
    if (!isUp) {
      this.#upSince = undefined
      return
    }
    this.#upSince ??= now
    const [oldest] = this.#appendedAt
    if (oldest === undefined) return
    const [id, appendedAt] = oldest
    const lagMs = now - Math.max(appendedAt, this.#upSince)
    if (lagMs <= LONGEST_MS) return
    this.#onViolation(`${id}: not acked for ${lagMs} ms although the process runs`)
    this.#appendedAt.delete(id)
  }
}
