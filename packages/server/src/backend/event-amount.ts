import type { AcceptedEvent } from '@hookline/protocol'

/** The bound of a queue of events. */
export interface MaxAmount {
  readonly events: number
  readonly bytes: number
}

/** How many events a queue has, and how many bytes they take. */
export class EventAmount {
  #events = 0
  #bytes = 0

  add(events: readonly AcceptedEvent[]): void {
    this.#events += events.length
    this.#bytes += bytesOf(events)
  }

  remove(events: readonly AcceptedEvent[]): void {
    this.#events -= events.length
    this.#bytes -= bytesOf(events)
  }

  clear(): void {
    this.#events = 0
    this.#bytes = 0
  }

  isOver({ events, bytes }: MaxAmount): boolean {
    return this.#events > events || this.#bytes > bytes
  }
}

function bytesOf(events: readonly AcceptedEvent[]): number {
  return events.reduce((sum, { body, rest }) => sum + body.length + rest.length, 0)
}
