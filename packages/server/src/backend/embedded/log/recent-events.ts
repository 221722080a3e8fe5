import type { AcceptedEvent } from '@hookline/protocol'
import { EventAmount, type MaxAmount } from '../../event-amount.ts'
import type { LogSlice, PositionedEvent } from '../../log.ts'
import type { Appended } from './write-log.ts'

/** Events that are kept: those of about a second at the highest rate. */
const MAX_KEPT: MaxAmount = { events: 4_096, bytes: 16 * 1024 * 1024 }

interface Recent {
  /** The seq of its first event. */
  readonly first: number
  readonly events: readonly AcceptedEvent[]
  readonly duplicates: ReadonlySet<string>
}

/**
 * The events that were appended last, for those who follow the log closely: to read them back from the table and to parse
 * them costs as much as all else that is done with most of them. Empty until somebody follows.
 */
export class RecentEvents {
  #appends: Recent[] = []
  readonly #amount = new EventAmount()
  #isFollowed = false
  #pauses = 0

  /** Begins to keep what is appended from now on. */
  follow(): void {
    this.#isFollowed = true
  }

  /** Call it for every append, in the order of the commits. */
  add(events: readonly AcceptedEvent[], { lastSeq, duplicates }: Appended): void {
    if (!this.#isFollowed || this.#pauses > 0) return
    const first = lastSeq - events.length + 1
    this.#appends.push({ first, events, duplicates: new Set(duplicates) })
    this.#amount.add(events)
    while (this.#amount.isOver(MAX_KEPT) && this.#appends.length > 1)
      this.#amount.remove(this.#appends.shift()!.events)
  }

  /** The events after a position, at most `limit`; `undefined` where not all of them are here. */
  read(after: number, limit: number): LogSlice | undefined {
    const [oldest] = this.#appends
    if (oldest === undefined || after < oldest.first - 1) return undefined
    const found: PositionedEvent[] = []
    let through = after
    for (const { first, events, duplicates } of this.#appends) {
      for (let index = Math.max(0, after - first + 1); index < events.length; index++) {
        if (found.length === limit) return { events: found, through, isEnd: false }
        const event = events[index]!
        through = first + index
        if (!duplicates.has(event.id)) found.push({ position: through, event })
      }
    }
    return { events: found, through, isEnd: true }
  }

  /** Does work that removes events from the table. Whoever reads them meanwhile or later reads the table. */
  async whileRemoving<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++
    this.#appends = []
    this.#amount.clear()
    try {
      return await work()
    } finally {
      this.#pauses--
    }
  }
}
