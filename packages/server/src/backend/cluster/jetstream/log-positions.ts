import type { AcceptedEvent } from '@hookline/protocol'

/** Most events of a chunk. */
export const MOST_EVENTS = 4096

/** Where events are in the log: of those that this process has appended or consumed, as long as it has them. */
export class LogPositions {
  readonly #positions = new WeakMap<object, number>()

  /** Keeps the positions of the events of a chunk. */
  keep(events: readonly AcceptedEvent[], number: number): void {
    for (const [index, event] of events.entries())
      this.#positions.set(event, number * MOST_EVENTS + index)
  }

  /** `undefined` where this process does not know it. */
  of(event: object): number | undefined {
    return this.#positions.get(event)
  }
}

/** The position of the last event that a chunk can have. */
export function endOfChunk(number: number): number {
  return number * MOST_EVENTS + MOST_EVENTS - 1
}
