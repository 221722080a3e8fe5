import type { Activity } from './activity.ts'
import { type ActivityFilter, type ActivityEntry, passes } from './activity-filter.ts'
import { EventSampling, type Sampling } from './event-sampling.ts'

/** What a reader receives. */
export type LiveMessage =
  | { readonly id: string; readonly name: Activity['kind']; readonly data: Activity }
  | { readonly id: string; readonly name: 'gap'; readonly data: Gap }
  | { readonly id: string; readonly name: 'sampling'; readonly data: Sampling }

/** Activities that the reader did not receive. */
interface Gap {
  /** Between two connections, or while one was open. */
  readonly reason: 'too_long_ago' | 'reader_too_slow'
  /** How many activities, those that the filter excludes included; `null` where that is not known. */
  readonly missed: number | null
}

/** Numbered activities. Only the newest are kept. */
export interface ActivityRing {
  /** The number of the next activity. */
  readonly next: number
  /** The number of the oldest activity that is kept; `next` where none is. */
  readonly oldest: number
  /** The most activities that are kept. */
  readonly size: number
  /** The activity with this number, from `oldest` on; `undefined` where a purge removed it. */
  at(number: number): ActivityEntry | undefined
  idOf(number: number): string
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
  readonly #tail: ActivityRing
  readonly #options: LiveCursorOptions
  #next: number
  #isLost: boolean
  #sampling: EventSampling
  #listener: () => void = () => undefined

  constructor(tail: ActivityRing, options: LiveCursorOptions) {
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
      this.#next += 1
      if (entry === undefined || !passes(entry, filter)) continue
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
