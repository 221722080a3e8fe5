import type { AcceptedEvent } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import { randomBytes } from 'node:crypto'
import type {
  ActivityListener,
  DecisionActivity,
  DeliveryActivity,
  PurgeActivity,
} from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/time/clock.ts'
import {
  type Activity,
  attemptActivity,
  type EventActivity,
  eventActivity,
  truncated,
} from './activity.ts'
import type { ActivityEntry, ActivityFilter } from './activity-filter.ts'
import { type ActivityRing, LiveCursor } from './live-cursor.ts'

/** Activities kept for readers that lag or reconnect: some seconds of them at full speed, hours at a low rate. */
const MOST_KEPT = 20_000
/** Part of an id: the number of the last activity, and for a reader that lags the events left out that it was not told of. */
const POSITION = /^(\d+)(?:~(\d{1,9}))?$/
/** How long activities are kept after the last reader left, so that a reader that reconnects misses none. */
const KEPT_UNREAD_MS = 5 * 60_000

type KnownEvent = Omit<ActivityEntry, 'activity'> & { readonly event: EventActivity }

/** What is known of an event that is no longer in memory. */
const FORGOTTEN: Omit<ActivityEntry, 'activity'> = { event: undefined, arrival: undefined }

/**
 * The live tail: activities, numbered, in a ring buffer. A reader is a position in the ring and has no buffer of its
 * own, so a slow reader costs no memory: it is overtaken, and receives a `gap`. Without readers it keeps nothing.
 *
 * A gap is not filled from the archive. The archive knows events and ended deliveries by their time, but not the order
 * of activities, so a reader that reconnects would receive some of them twice. `GET /events` and `GET /deliveries`
 * show what was in the gap.
 */
export class LiveTail
  implements Omit<ActivityListener, 'refused' | 'changed' | 'updated'>, ActivityRing
{
  readonly #clock: Clock
  readonly #size: number
  /** Part of every id: numbers start again with each process. */
  readonly run = randomBytes(4).toString('hex')
  readonly #ring: (ActivityEntry | undefined)[] = []
  readonly #events: LRUCache<string, KnownEvent>
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

  at(number: number): ActivityEntry | undefined {
    return this.#ring[number % this.#size]
  }

  idOf(number: number): string {
    return `${this.run}-${number}`
  }

  /**
   * Opens a reader at the next activity, or after `lastId`. Where the activities after `lastId` are no longer kept, the
   * reader receives a gap first. Dispose of the reader to close it.
   */
  read(filter: ActivityFilter, lastId?: string): LiveCursor {
    this.#isKeeping = true
    const [run, position = ''] = (lastId ?? '').split('-')
    const [, number, leftOut] = POSITION.exec(position) ?? []
    const from = Number(number) + 1
    const isOurs = run === this.run && Number.isInteger(from) && from <= this.#next
    const cursor = new LiveCursor(this, {
      filter,
      from: isOurs ? from : this.#next,
      isResumedElsewhere: lastId !== undefined && !isOurs,
      leftOut: isOurs && leftOut !== undefined ? Number(leftOut) : undefined,
      onClose: () => this.#close(cursor),
    })
    this.#cursors.add(cursor)
    return cursor
  }

  received(events: readonly AcceptedEvent[]): void {
    if (!this.#keeps()) return
    for (const event of events) this.#add(this.#eventOf(event, this.#next))
  }

  decided({ event, destinationId, decision }: DecisionActivity): void {
    if (!this.#keeps()) return
    const { eventId, sourceId } = this.#eventOf(event)
    const isReason = decision !== 'deliver' && decision !== 'duplicate'
    this.#add({
      kind: 'decision',
      at: this.#clock.wall(),
      eventId,
      sourceId,
      destinationId,
      decision: isReason ? 'declined' : decision,
      reason: isReason ? decision : null,
    })
  }

  recorded({ delivery, attempts }: DeliveryActivity): void {
    if (!this.#keeps()) return
    const at = this.#clock.wall()
    for (const attempt of attempts) this.#add(attemptActivity(delivery, attempt, at))
  }

  purged({ userIds, anonymousIds, sourceIds }: PurgeActivity): void {
    const users = new Set(userIds.map(truncated))
    const anonymous = new Set(anonymousIds.map(truncated))
    const isPurged = (event: EventActivity | undefined): boolean =>
      event !== undefined &&
      (users.has(event.userId) || anonymous.has(event.anonymousId)) &&
      (event.computed || (sourceIds?.includes(event.sourceId) ?? true))
    for (const [place, entry] of this.#ring.entries())
      if (isPurged(entry?.event)) this.#ring[place] = undefined
    for (const [id, { event }] of this.#events) if (isPurged(event)) this.#events.delete(id)
  }

  /** @param arrival the number of the activity that it arrived, where that is now */
  #eventOf(accepted: AcceptedEvent, arrival?: number): EventActivity {
    const known = this.#events.get(accepted.id)
    if (known !== undefined && arrival === undefined) return known.event
    const event = known?.event ?? eventActivity(accepted, this.#clock.wall())
    this.#events.set(accepted.id, { event, arrival })
    return event
  }

  #add(activity: Activity): void {
    const { event, arrival } = this.#events.get(activity.eventId) ?? FORGOTTEN
    this.#ring[this.#next % this.#size] = { activity, event, arrival }
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
    // One number is skipped, so that a reader that resumes after the last kept activity receives a gap.
    this.#next += 1
    this.#oldest = this.#next
    return false
  }
}
