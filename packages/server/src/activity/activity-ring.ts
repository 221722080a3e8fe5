import { LRUCache } from 'lru-cache'
import type { Activity, EventActivity } from './activity.ts'
import type { ActivityEntry } from './activity-filter.ts'

/** Activities that are missing, because they got lost between nodes. */
export interface Missing {
  readonly missed: number
}

type KnownEvent = Omit<ActivityEntry, 'activity'> & { readonly event: EventActivity }

/** What is known of an event that is no longer in memory. */
const FORGOTTEN: Omit<ActivityEntry, 'activity'> = { event: undefined, arrival: undefined }

/**
 * The newest activities, numbered in the order in which they came, and the events that they are about. Each has a position,
 * too, which is the same on all nodes.
 */
export class ActivityRing {
  readonly size: number
  readonly #entries: (ActivityEntry | Missing | undefined)[] = []
  readonly #positions: number[] = []
  readonly #events: LRUCache<string, KnownEvent>
  #next = 1
  #oldest = 1
  /** The position before the oldest entry. */
  #before = 0

  constructor(size: number) {
    this.size = size
    this.#events = new LRUCache({ max: size })
  }

  /** The number of the next activity. */
  get next(): number {
    return this.#next
  }

  /** The number of the oldest activity that is kept; `next` where none is. */
  get oldest(): number {
    return this.#oldest
  }

  /** What has this number, from `oldest` on; `undefined` where a purge removed it. */
  at(number: number): ActivityEntry | Missing | undefined {
    return this.#entries[number % this.size]
  }

  /** The position of a number; of `oldest - 1`, the one before all that is kept. */
  positionOf(number: number): number {
    if (number >= this.#next) return this.positionOf(this.#next - 1) + number - this.#next + 1
    return number < this.#oldest ? this.#before : this.#positions[number % this.size]!
  }

  /**
   * The number of the first activity after a position; `oldest - 1` where some that follow it are no longer kept, and
   * `undefined` where there is no such position yet.
   */
  after(position: number): number | undefined {
    if (position > this.positionOf(this.#next - 1)) return undefined
    if (position < this.#before) return this.#oldest - 1
    let [low, high] = [this.#oldest, this.#next]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.positionOf(middle) <= position) low = middle + 1
      else high = middle
    }
    return low
  }

  /** An event that activities are about; `undefined` where it is no longer in memory. */
  event(id: string): EventActivity | undefined {
    return this.#events.get(id)?.event
  }

  knowEvent(event: EventActivity): void {
    this.#events.set(event.eventId, { event, arrival: undefined })
  }

  add(activity: Activity, position: number): void {
    if (activity.kind === 'event') {
      const event = this.event(activity.eventId) ?? activity
      this.#events.set(activity.eventId, { event, arrival: this.#next })
    }
    const { event, arrival } = this.#events.get(activity.eventId) ?? FORGOTTEN
    this.#push({ activity, event, arrival }, position)
  }

  /** So many activities are missing here. */
  miss(missed: number): void {
    this.#push({ missed }, this.positionOf(this.#next - 1))
  }

  /** Removes what is about events for which `isRemoved` holds. Numbers and positions stay. */
  remove(isRemoved: (event: EventActivity) => boolean): void {
    for (const [place, entry] of this.#entries.entries()) {
      const event = entry && 'event' in entry ? entry.event : undefined
      if (event !== undefined && isRemoved(event)) this.#entries[place] = undefined
    }
    for (const [id, { event }] of this.#events) if (isRemoved(event)) this.#events.delete(id)
  }

  /** Forgets everything. Activities after this position come next. */
  clear(position: number): void {
    this.#entries.length = 0
    this.#positions.length = 0
    this.#events.clear()
    this.#before = position
    // One number is skipped, so that no reader takes what comes for what it has read.
    if (this.#next > 1) this.#next += 1
    this.#oldest = this.#next
  }

  #push(entry: ActivityEntry | Missing, position: number): void {
    if (this.#next - this.#oldest === this.size) {
      this.#before = this.#positions[this.#oldest % this.size]!
      this.#oldest += 1
    }
    this.#entries[this.#next % this.size] = entry
    this.#positions[this.#next % this.size] = position
    this.#next += 1
  }
}
