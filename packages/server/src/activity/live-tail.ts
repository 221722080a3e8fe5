import type { AcceptedEvent } from '@hookline/protocol'
import type { Feed, Following } from '../backend/signals.ts'
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
import type { ActivityFilter } from './activity-filter.ts'
import { ActivityRing } from './activity-ring.ts'
import { LiveCursor, type NumberedActivities } from './live-cursor.ts'

/** Activities kept for readers that lag or reconnect: some seconds of them at full speed, hours at a low rate. */
const MOST_KEPT = 20_000
/** Part of an id: the number of the last activity, and for a reader that lags the events left out that it was not told of. */
const POSITION = /^(\d+)(?:~(\d{1,9}))?$/
/** How long activities are kept after the last reader left, so that a reader that reconnects misses none. */
const KEPT_UNREAD_MS = 5 * 60_000

/** How often, and how many times, a reader that resumes is looked for that is ahead of this node. */
const LOOKED_EVERY_MS = 20
const MOST_LOOKS = 25

/** What the feed has. A decision has the event that it is about, for nodes that have not seen it. */
interface Published {
  readonly activity: Activity
  readonly event?: EventActivity
}

/**
 * The live tail: activities of all nodes, numbered, in a ring buffer. A reader is a position in the ring and has no buffer of
 * its own, so a slow reader costs no memory: it is overtaken, and receives a `gap`. Without readers nothing is kept.
 *
 *     activity ─▶ feed, if a node follows it ─▶ ring of each node that has readers ─▶ readers
 *
 * A gap is not filled from the archive. The archive knows events and ended deliveries by their time, but not the order
 * of activities, so a reader that reconnects would receive some of them twice. `GET /events` and `GET /deliveries`
 * show what was in the gap.
 */
export class LiveTail
  implements Omit<ActivityListener, 'refused' | 'changed' | 'updated'>, NumberedActivities
{
  readonly #clock: Clock
  readonly #feed: Feed
  readonly #ring: ActivityRing
  readonly #cursors = new Set<LiveCursor>()
  #run = ''
  #following: Following | undefined
  #unreadSince = 0

  constructor(clock: Clock, feed: Feed, { size = MOST_KEPT }: { readonly size?: number } = {}) {
    this.#clock = clock
    this.#feed = feed
    this.#ring = new ActivityRing(size)
  }

  /** Part of every id: names the order that the feed has now. */
  get run(): string {
    return this.#run
  }

  get next(): number {
    return this.#ring.next
  }

  get oldest(): number {
    return this.#ring.oldest
  }

  get size(): number {
    return this.#ring.size
  }

  at(number: number): ReturnType<ActivityRing['at']> {
    return this.#ring.at(number)
  }

  positionOf(number: number): number {
    return this.#ring.positionOf(number)
  }

  idOf(number: number): string {
    return `${this.#run}-${this.positionOf(number)}`
  }

  /** Resolves when a reader that opens misses nothing that happens from now on, nor what is kept of what follows `lastId`. */
  async ready(lastId?: string): Promise<void> {
    await this.#follow().caughtUp
    // Another node may have shown what is on its way to this one.
    for (let looks = 0; looks < MOST_LOOKS && this.#isAhead(lastId); looks++)
      await new Promise<void>((resolve) => this.#clock.after(LOOKED_EVERY_MS, resolve))
  }

  /**
   * Opens a reader at the next activity, or after `lastId`. Where the activities after `lastId` are no longer kept, the
   * reader receives a gap first. Dispose of the reader to close it.
   */
  read(filter: ActivityFilter, lastId?: string): LiveCursor {
    this.#follow()
    const { run, position, leftOut } = partsOf(lastId)
    const from = run === this.#run ? this.#ring.after(position) : undefined
    const cursor = new LiveCursor(this, {
      filter,
      from: from ?? this.next,
      isResumedElsewhere: lastId !== undefined && from === undefined,
      leftOut: from === undefined ? undefined : leftOut,
      onClose: () => this.#close(cursor),
    })
    this.#cursors.add(cursor)
    return cursor
  }

  received(events: readonly AcceptedEvent[]): void {
    if (!this.#isFollowed()) return
    const at = this.#clock.wall()
    for (const event of events) this.#publish({ activity: eventActivity(event, at) })
  }

  decided({ event: accepted, destinationId, decision }: DecisionActivity): void {
    if (!this.#isFollowed()) return
    const at = this.#clock.wall()
    const event = this.#ring.event(accepted.id) ?? eventActivity(accepted, at)
    const { eventId, sourceId } = event
    const isReason = decision !== 'deliver' && decision !== 'duplicate'
    this.#publish({
      activity: {
        kind: 'decision',
        at,
        eventId,
        sourceId,
        destinationId,
        decision: isReason ? 'declined' : decision,
        reason: isReason ? decision : null,
      },
      event,
    })
  }

  recorded({ delivery, attempts }: DeliveryActivity): void {
    if (!this.#isFollowed()) return
    const at = this.#clock.wall()
    for (const attempt of attempts)
      this.#publish({ activity: attemptActivity(delivery, attempt, at) })
  }

  purged({ userIds, anonymousIds, sourceIds }: PurgeActivity): void {
    const users = new Set(userIds.map(truncated))
    const anonymous = new Set(anonymousIds.map(truncated))
    this.#ring.remove(
      (event) =>
        (users.has(event.userId) || anonymous.has(event.anonymousId)) &&
        (event.computed || (sourceIds?.includes(event.sourceId) ?? true)),
    )
  }

  /** Nothing is kept any more, and no reader is served. */
  [Symbol.dispose](): void {
    this.#following?.[Symbol.dispose]()
    this.#following = undefined
  }

  #publish(published: Published): void {
    this.#feed.publish(published)
  }

  #follow(): Following {
    this.#endUnread()
    if (this.#following !== undefined) return this.#following
    this.#unreadSince = this.#clock.now()
    return (this.#following = this.#feed.follow({
      begin: (run, position) => this.#begin(run, position),
      add: (value, position) => this.#add(value as Published, position),
      miss: (count) => {
        this.#ring.miss(count)
        this.#wake()
      },
    }))
  }

  /** The feed begins, or begins again. Readers go on where they were, if it is still the same order. */
  #begin(run: string, position: number): void {
    const isSame = run === this.#run
    const restarted = [...this.#cursors].map((cursor) => ({ cursor, readUpTo: cursor.position }))
    this.#run = run
    this.#ring.clear(position)
    for (const { cursor, readUpTo } of restarted)
      cursor.restart({
        next: this.next,
        readUpTo: isSame ? readUpTo : -Infinity,
        isLost: !isSame || readUpTo < position,
      })
  }

  #add({ activity, event }: Published, position: number): void {
    this.#endUnread()
    if (this.#following === undefined) return
    if (event !== undefined && this.#ring.event(event.eventId) === undefined)
      this.#ring.knowEvent(event)
    this.#ring.add(activity, position)
    this.#wake()
  }

  #wake(): void {
    for (const cursor of this.#cursors) cursor.wake()
  }

  #close(cursor: LiveCursor): void {
    this.#cursors.delete(cursor)
    this.#unreadSince = this.#clock.now()
  }

  #isFollowed(): boolean {
    if (this.#following !== undefined) this.#endUnread()
    return this.#feed.isFollowed
  }

  #isAhead(lastId: string | undefined): boolean {
    const { run, position } = partsOf(lastId)
    return run === this.#run && position > this.positionOf(this.next - 1)
  }

  #endUnread(): void {
    if (this.#following === undefined || this.#cursors.size > 0) return
    if (this.#clock.now() - this.#unreadSince <= KEPT_UNREAD_MS) return
    this[Symbol.dispose]()
    this.#ring.clear(this.positionOf(this.next - 1))
  }
}

/** What an id says; a position of `NaN` where it is none. */
function partsOf(lastId: string | undefined): {
  readonly run: string | undefined
  readonly position: number
  readonly leftOut: number | undefined
} {
  const [run, text = ''] = (lastId ?? '').split('-')
  const [, position, leftOut] = POSITION.exec(text) ?? []
  return {
    run: position === undefined ? undefined : run,
    position: Number(position),
    leftOut: leftOut === undefined ? undefined : Number(leftOut),
  }
}
