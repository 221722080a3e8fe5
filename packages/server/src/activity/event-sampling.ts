import { crc32 } from 'node:zlib'
import type { ActivityEntry } from './activity-filter.ts'

/** From here on the reader receives one of so many events, with all their activities; with 1, every one. */
export interface Sampling {
  readonly oneOf: number
  /** Events that the filter matches, and that were left out since the last message named sampling. */
  readonly leftOut: number
}

/** Where a reader is in the ring of activities. */
interface Position {
  /** The number of the next activity to read. */
  readonly next: number
  /** How many activities follow it. */
  readonly behind: number
  readonly size: number
}

/** A reader that lags by half of the ring catches up with it, unless activities come eight times as fast as it reads. */
const ONE_OF = 8

/**
 * Chooses the events that a reader who lags receives. All activities of an event are sent or left out together, because an
 * event without its outcome looks as if it still waited. It remembers two numbers, and no events.
 */
export class EventSampling {
  #isOn: boolean
  /** The numbers of the activities between which it was on last. */
  #from = 0
  #to: number
  #leftOut: number
  #isTold = true

  /** @param leftOut of a reader that resumes while it lags: how many events were left out that it was not told of */
  constructor(leftOut?: number) {
    this.#isOn = leftOut !== undefined
    this.#to = this.#isOn ? Infinity : 0
    this.#leftOut = leftOut ?? 0
  }

  /** Part of the id of each message while it is on, so that a reader that resumes goes on with the same count. */
  get mark(): string {
    return this.#isOn ? `~${this.#leftOut}` : ''
  }

  /** Begins where the reader lags by more than half of the ring, and ends where it has caught up. */
  follow({ next, behind, size }: Position): void {
    const half = size / 2
    const isOn = behind > (this.#isOn ? half / 10 : half)
    if (isOn === this.#isOn) return
    if (isOn) this.#from = next
    this.#to = isOn ? Infinity : next
    this.#isOn = isOn
    this.#isTold = false
  }

  /** Whether the reader does not receive this activity. `oldest` is the oldest number in the ring. */
  leavesOut({ activity, arrival }: ActivityEntry, oldest: number): boolean {
    if (!this.#samples(arrival, oldest) || crc32(activity.eventId) % ONE_OF === 0) return false
    if (activity.kind === 'event') this.#leftOut += 1
    return true
  }

  /** What the reader has not been told yet; `undefined` where that is nothing. */
  report(): Sampling | undefined {
    if (this.#isTold && this.#leftOut === 0) return undefined
    const report = { oneOf: this.#isOn ? ONE_OF : 1, leftOut: this.#leftOut }
    this.#isTold = true
    this.#leftOut = 0
    return report
  }

  /**
   * The arrival of an event decides for its later activities, too. Only the last time of sampling is remembered, and what
   * arrived before the ring begins is sampled with the rest: otherwise a long queue of deliveries could not be thinned out.
   */
  #samples(arrival: number | undefined, oldest: number): boolean {
    if (arrival === undefined || arrival < oldest) return this.#isOn
    return arrival >= this.#from && arrival < this.#to
  }
}
