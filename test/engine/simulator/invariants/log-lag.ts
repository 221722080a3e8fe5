import type { AcceptedEvent } from '@hookline/protocol'

/**
 * How long an entry may stay in the log while the process runs and the backend is available. Deliveries are parked after 2 s
 * in memory, regardless of the receivers.
 */
const MAX_MS = 6_000

/** Checks that every event is acked within seconds. */
export class LogLag {
  readonly #onViolation: (violation: string) => void
  /** When each unacked event was appended, oldest first. */
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

  /** @param isUp whether the process and all its threads run, and the backend is available */
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
    if (lagMs <= MAX_MS) return
    this.#onViolation(`${id}: not acked for ${lagMs} ms although the process runs`)
    this.#appendedAt.delete(id)
  }
}
