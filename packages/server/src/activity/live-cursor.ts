import type { Activity } from './activity.ts'
import { type ActivityFilter, type ActivityEntry, passes } from './activity-filter.ts'
import type { Missing } from './activity-ring.ts'
import { EventSampling, type Sampling } from './event-sampling.ts'

/** What a reader receives. */
export type LiveMessage =
  | { readonly id: string; readonly name: Activity['kind']; readonly data: Activity }
  | { readonly id: string; readonly name: 'gap'; readonly data: Gap }
  | { readonly id: string; readonly name: 'sampling'; readonly data: Sampling }

/** Activities that the reader did not receive. */
interface Gap {
  /** Between two connections, or while one was open; or they got lost between nodes. */
  readonly reason: 'too_long_ago' | 'reader_too_slow' | 'lost'
  /** How many activities, those that the filter excludes included; `null` where that is not known. */
  readonly missed: number | null
}

/** Numbered activities. Only the newest are kept. */
export interface NumberedActivities {
  /** The number of the next activity. */
  readonly next: number
  /** The number of the oldest activity that is kept; `next` where none is. */
  readonly oldest: number
  /** The most activities that are kept. */
  readonly size: number
  /** What has this number, from `oldest` on; `undefined` where a purge removed it. */
  at(number: number): ActivityEntry | Missing | undefined
  /** Grows with the number, and is the same on all nodes. */
  positionOf(number: number): number
  idOf(number: number): string
}

/** Where a reader goes on after the numbers have begun again. */
export interface Restart {
  /** The first number to read. */
  readonly next: number
  /** What it has read: it is left out. */
  readonly readUpTo: number
  /** It may have missed something. */
  readonly isLost: boolean
}

export interface LiveCursorOptions {
  readonly filter: ActivityFilter
  /** The first number to read. */
  readonly from: number
  /** The reader resumes after an id that this process did not issue. */
  readonly isResumedElsewhere: boolean
  /** The reader resumes while it lags: the events that were left out, and that it was not told of. */
  readonly leftOut?: number | undefined
  readonly onClose: () => void
}

/**
 * One reader's position in the live tail. It buffers nothing. A reader that lags behind by more than half of the ring
 * receives one of N events until it has caught up, and how many were left out. A reader that was overtaken receives how many
 * activities it missed.
 */
export class LiveCursor implements Disposable {
  readonly #tail: NumberedActivities
  readonly #options: LiveCursorOptions
  #next: number
  #readUpTo = -Infinity
  #isLost: boolean
  #sampling: EventSampling
  #listener: () => void = () => undefined

  constructor(tail: NumberedActivities, options: LiveCursorOptions) {
    this.#tail = tail
    this.#options = options
    this.#next = options.from
    this.#isLost = options.isResumedElsewhere
    this.#sampling = new EventSampling(options.leftOut)
  }

  /** The id of the last activity that was read, those that the filter excludes included. */
  get lastId(): string {
    return `${this.#tail.idOf(this.#next - 1)}${this.#sampling.mark}`
  }

  /** The position of the last activity that was read. */
  get position(): number {
    return Math.max(this.#readUpTo, this.#tail.positionOf(this.#next - 1))
  }

  /** The numbers have begun again. */
  restart({ next, readUpTo, isLost }: Restart): void {
    this.#next = next
    this.#readUpTo = readUpTo
    this.#isLost ||= isLost
  }

  /** Calls `listener` when there is more to read: after each activity. */
  onMore(listener: () => void): void {
    this.#listener = listener
  }

  /** There is more to read. */
  wake(): void {
    this.#listener()
  }

  /** The next messages, at most so many; none where there is nothing more yet. */
  read(most: number): LiveMessage[] {
    const messages = [...this.#gap(), ...this.#report()]
    const { filter } = this.#options
    while (messages.length < most && this.#next < this.#tail.next) {
      const entry = this.#tail.at(this.#next)
      const isRead = this.#tail.positionOf(this.#next) <= this.#readUpTo
      this.#next += 1
      if (entry === undefined || isRead) continue
      if ('missed' in entry) {
        messages.push({ id: this.lastId, name: 'gap', data: { reason: 'lost', ...entry } })
        continue
      }
      if (!passes(entry, filter)) continue
      if (this.#sampling.leavesOut(entry, this.#tail.oldest)) continue
      const { activity } = entry
      messages.push({ id: this.lastId, name: activity.kind, data: activity })
    }
    // After a batch that is full, the next one begins with this.
    return messages.length < most ? [...messages, ...this.#report()] : messages
  }

  [Symbol.dispose](): void {
    this.#listener = () => undefined
    this.#options.onClose()
  }

  #gap(): LiveMessage[] {
    const missed = this.#tail.oldest - this.#next
    if (missed <= 0 && !this.#isLost) return []
    const isResumed = this.#isLost || this.#next === this.#options.from
    const data: Gap = {
      reason: isResumed ? 'too_long_ago' : 'reader_too_slow',
      missed: isResumed ? null : missed,
    }
    this.#isLost = false
    // How much was left out is part of what is not known.
    if (isResumed) this.#sampling = new EventSampling()
    this.#next = Math.max(this.#next, this.#tail.oldest)
    return [{ id: this.lastId, name: 'gap', data }]
  }

  /** Tells the reader of a change of the sampling, and of events that were left out. */
  #report(): LiveMessage[] {
    const { next, size } = this.#tail
    this.#sampling.follow({ next: this.#next, behind: next - this.#next, size })
    const data = this.#sampling.report()
    return data === undefined ? [] : [{ id: this.lastId, name: 'sampling', data }]
  }
}
