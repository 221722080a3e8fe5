import type { AcceptedEvent } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import type {
  ActivityListener,
  DecisionActivity,
  DeliveryActivity,
  PurgeActivity,
} from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/time/clock.ts'
import {
  type ActivityEntry,
  attemptActivity,
  type EventActivity,
  eventActivity,
  truncateText,
} from './activity.ts'
import { ActivityRelay, type ActivitySignals } from './activity-relay.ts'
import { RecentItems } from './recent-items.ts'

/** The number of activities kept for readers that reconnect: seconds at full speed, or hours at a low rate. */
const MAX_BUFFERED = 20_000
/** How long activities are collected without readers, so that a reader that reconnects misses nothing. */
const UNREAD_TTL_MS = 5 * 60_000

/** Lost activities from other nodes; `null` if their number is unknown. */
interface LostActivities {
  readonly missed: number | null
}

/**
 * The newest activities of all nodes, numbered by this node. Nothing is buffered per reader: a slow reader is overtaken and
 * receives a `gap`. Gaps are not filled from the archive, which does not preserve the order of activities. Everything is dropped
 * five minutes after the last reader leaves.
 */
export class LiveTail implements Omit<
  ActivityListener,
  'rejected' | 'changed' | 'unlinked' | 'updated'
> {
  /** `undefined` once purged. */
  readonly items: RecentItems<ActivityEntry | LostActivities | undefined>
  readonly #clock: Clock
  readonly #relay: ActivityRelay
  /** Recent events, for activities that have only an event id. */
  readonly #events: LRUCache<string, EventActivity>
  #readers = 0
  #stopReceiving: (() => void) | undefined
  #cancelEnd: () => void = () => undefined

  constructor(clock: Clock, signals: ActivitySignals, limit = MAX_BUFFERED) {
    this.#clock = clock
    this.#relay = new ActivityRelay(clock, signals)
    this.items = new RecentItems(limit)
    this.#events = new LRUCache({ max: limit })
  }

  /** Collects activities until five minutes after the returned function is called. */
  open(): () => void {
    this.#readers += 1
    this.#cancelEnd()
    this.#stopReceiving ??= this.#relay.receive(
      (shared) => this.#add(shared),
      (missed) => this.items.add({ missed }),
    )
    return () => {
      this.#readers -= 1
      if (this.#readers > 0) return
      this.#cancelEnd = this.#clock.after(UNREAD_TTL_MS, () => this[Symbol.dispose]())
    }
  }

  received(events: readonly AcceptedEvent[]): void {
    if (!this.#isRead) return
    const at = this.#clock.wall()
    for (const event of events) this.#share({ activity: eventActivity(event, at) })
  }

  decided({ event: accepted, destinationId, decision }: DecisionActivity): void {
    if (!this.#isRead) return
    const event = this.#events.get(accepted.id) ?? eventActivity(accepted, accepted.receivedAt)
    const { eventId, sourceId } = event
    const isDeclined = decision !== 'deliver' && decision !== 'duplicate'
    this.#share({
      activity: {
        kind: 'decision',
        at: this.#clock.wall(),
        eventId,
        sourceId,
        destinationId,
        decision: isDeclined ? 'declined' : decision,
        reason: isDeclined ? decision : null,
      },
      event,
    })
  }

  recorded({ delivery, attempts }: DeliveryActivity): void {
    if (!this.#isRead) return
    const at = this.#clock.wall()
    for (const attempt of attempts)
      this.#share({ activity: attemptActivity(delivery, attempt, at) })
  }

  purged({ userIds, anonymousIds, sourceIds }: PurgeActivity): void {
    const users = new Set(userIds.map(truncateText))
    const anonymous = new Set(anonymousIds.map(truncateText))
    this.#remove(
      (event) =>
        (users.has(event.userId) || anonymous.has(event.anonymousId)) &&
        (event.computed || (sourceIds?.includes(event.sourceId) ?? true)),
    )
  }

  [Symbol.dispose](): void {
    this.#cancelEnd()
    this.#stopReceiving?.()
    this.#stopReceiving = undefined
    this.items.clear()
    this.#events.clear()
  }

  /** Whether any node has readers. */
  get #isRead(): boolean {
    return this.#stopReceiving !== undefined || this.#relay.isRead
  }

  #share(shared: ActivityEntry): void {
    if (this.#stopReceiving !== undefined) this.#add(shared)
    this.#relay.send(shared)
  }

  #add({ activity, event }: ActivityEntry): void {
    const { eventId } = activity
    const isKnown = this.#events.has(eventId)
    if (activity.kind === 'event') {
      if (isKnown) return
      this.#events.set(eventId, activity)
    }
    // A decision can arrive before its event, if another node received the event.
    else if (event !== undefined && !isKnown) this.#add({ activity: event })
    this.items.add({ activity, event: this.#events.get(eventId) })
  }

  #remove(isRemoved: (event: EventActivity) => boolean): void {
    const { items } = this
    for (let number = items.oldest; number < items.next; number += 1) {
      const item = items.at(number)
      const event = item !== undefined && 'event' in item ? item.event : undefined
      if (event !== undefined && isRemoved(event)) items.replace(number, undefined)
    }
    for (const [id, event] of this.#events) if (isRemoved(event)) this.#events.delete(id)
    this.#relay.remove(isRemoved)
  }
}
