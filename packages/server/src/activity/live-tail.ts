import type { AcceptedEvent } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import { randomBytes } from 'node:crypto'
import type { Purge } from '../backend/deletions.ts'
import type { RecordedDelivery } from '../backend/deliveries.ts'
import type { Clock } from '../util/clock.ts'
import {
  type Activity,
  attemptActivity,
  type EventActivity,
  eventActivity,
  short,
} from './activity.ts'
import type { ActivityFilter, Happening } from './activity-filter.ts'
import { type Happenings, LiveCursor } from './live-cursor.ts'
import type { Witness, WitnessedDecision } from './witness.ts'

/** Happenings kept for those who read or come back: some seconds at full speed, hours at little. */
const MOST_KEPT = 20_000
/** How long it goes on keeping when nobody reads any more, so that whoever comes back has missed nothing. */
const KEPT_UNREAD_MS = 5 * 60_000

/**
 * What happens, as it happens. Happenings are numbered and kept in a ring; every reader has a place in it and
 * nothing else, so a slow one costs no memory: it is overtaken, and told so. While nobody reads, nothing is
 * kept and an event costs nothing.
 *
 * What the ring has no more is not made up from the archive: that knows events and ended deliveries by
 * their time, not what happened in which order, and whoever came back would be told some of it twice. A gap
 * is said to be one; `GET /events` and `GET /deliveries` have what was in it.
 */
export class LiveTail implements Witness, Happenings {
  readonly #clock: Clock
  readonly #size: number
  /** Tells the ids of this process from those of another: after a restart numbers begin anew. */
  readonly #run = randomBytes(4).toString('hex')
  readonly #ring: (Happening | undefined)[] = []
  readonly #events: LRUCache<string, EventActivity>
  readonly #cursors = new Set<LiveCursor>()
  #next = 1
  #oldest = 1
  #isKeeping = false
  #unreadSince = 0

  constructor(clock: Clock, { size = MOST_KEPT }: { readonly size?: number } = {}) {
    this.#clock = clock
    this.#size = size
    this.#events = new LRUCache({ max: size })
  }

  get next(): number {
    return this.#next
  }

  get oldest(): number {
    return this.#oldest
  }

  get size(): number {
    return this.#size
  }

  at(number: number): Happening | undefined {
    return this.#ring[number % this.#size]
  }

  idOf(number: number): string {
    return `${this.#run}-${number}`
  }

  /**
   * A reader, from now on, or from what follows `lastId`. Where what follows is not kept any more, it is told
   * of a gap first. It is closed by disposing of it.
   */
  read(filter: ActivityFilter, lastId?: string): LiveCursor {
    this.#isKeeping = true
    const [run, number] = (lastId ?? '').split('-')
    const isOurs = run === this.#run && Number(number) < this.#next
    const cursor = new LiveCursor(this, {
      filter,
      from: isOurs ? Number(number) + 1 : this.#next,
      isResumedElsewhere: lastId !== undefined && !isOurs,
      onClose: () => this.#close(cursor),
    })
    this.#cursors.add(cursor)
    return cursor
  }

  received(events: readonly AcceptedEvent[]): void {
    if (!this.#keeps()) return
    for (const event of events) this.#add(this.#eventOf(event))
  }

  decided({ event, destinationId, decision }: WitnessedDecision): void {
    if (!this.#keeps()) return
    const { eventId, sourceId } = this.#eventOf(event)
    const isReason = decision !== 'deliver' && decision !== 'duplicate'
    this.#add({
      kind: 'decision',
      at: this.#clock.now(),
      eventId,
      sourceId,
      destinationId,
      decision: isReason ? 'declined' : decision,
      reason: isReason ? decision : null,
    })
  }

  recorded({ delivery, attempts }: RecordedDelivery): void {
    if (!this.#keeps()) return
    const at = this.#clock.now()
    for (const attempt of attempts) this.#add(attemptActivity(delivery, attempt, at))
  }

  purged({ userIds, sourceIds }: Pick<Purge, 'userIds' | 'sourceIds'>): void {
    const users = new Set(userIds.map(short))
    const isMeant = (event: EventActivity | undefined): boolean =>
      event !== undefined &&
      users.has(event.userId) &&
      (sourceIds?.includes(event.sourceId) ?? true)
    for (const [place, happening] of this.#ring.entries())
      if (isMeant(happening?.event)) this.#ring[place] = undefined
    for (const [id, event] of this.#events) if (isMeant(event)) this.#events.delete(id)
  }

  #eventOf(event: AcceptedEvent): EventActivity {
    const known = this.#events.get(event.id)
    if (known !== undefined) return known
    const told = eventActivity(event, this.#clock.now())
    this.#events.set(event.id, told)
    return told
  }

  #add(activity: Activity): void {
    const event = activity.kind === 'event' ? activity : this.#events.get(activity.eventId)
    this.#ring[this.#next % this.#size] = { activity, event }
    this.#next += 1
    this.#oldest = Math.max(this.#oldest, this.#next - this.#size)
    for (const cursor of this.#cursors) cursor.wake()
  }

  #close(cursor: LiveCursor): void {
    this.#cursors.delete(cursor)
    this.#unreadSince = this.#clock.now()
  }

  #keeps(): boolean {
    if (!this.#isKeeping || this.#cursors.size > 0) return this.#isKeeping
    if (this.#clock.now() - this.#unreadSince <= KEPT_UNREAD_MS) return true
    this.#isKeeping = false
    this.#ring.length = 0
    this.#events.clear()
    // A number left out stands for all that was not kept: whoever read the one before has a gap.
    this.#next += 1
    this.#oldest = this.#next
    return false
  }
}
