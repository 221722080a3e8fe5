import type { Activity } from './activity.ts'
import { type ActivityFilter, type ActivityEntry, passes } from './activity-filter.ts'

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

/** From here on the reader receives one of so many activities; with 1, every one. */
interface Sampling {
  readonly oneOf: number
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
  readonly onClose: () => void
}

/**
 * One reader's position in the live tail. It buffers nothing. A reader that lags behind by more than half of the ring
 * receives one of N activities until it has caught up. A reader that was overtaken receives how many it missed.
 */
export class LiveCursor implements Disposable {
  readonly #tail: ActivityRing
  readonly #options: LiveCursorOptions
  #next: number
  #isLost: boolean
  #oneOf = 1
  #passed = 0
  #listener: () => void = () => undefined

  constructor(tail: ActivityRing, options: LiveCursorOptions) {
    this.#tail = tail
    this.#options = options
    this.#next = options.from
    this.#isLost = options.isResumedElsewhere
  }

  /** The id of the last activity that was read, those that the filter excludes included. */
  get lastId(): string {
    return this.#tail.idOf(this.#next - 1)
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
    const messages = [...this.#gap(), ...this.#sampling()]
    const { filter } = this.#options
    while (messages.length < most && this.#next < this.#tail.next) {
      const number = this.#next
      this.#next += 1
      const entry = this.#tail.at(number)
      if (entry === undefined || !passes(entry, filter) || this.#isLeftOut()) continue
      const { activity } = entry
      messages.push({ id: this.#tail.idOf(number), name: activity.kind, data: activity })
    }
    return messages
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
    this.#next = Math.max(this.#next, this.#tail.oldest)
    return [{ id: this.lastId, name: 'gap', data }]
  }

  #sampling(): LiveMessage[] {
    const behind = this.#tail.next - this.#next
    const half = this.#tail.size / 2
    const isCatchingUp = this.#oneOf > 1 && behind > half / 10
    const oneOf = behind > half ? Math.ceil((4 * behind) / half) : isCatchingUp ? this.#oneOf : 1
    if (oneOf === this.#oneOf) return []
    this.#oneOf = oneOf
    return [{ id: this.lastId, name: 'sampling', data: { oneOf } }]
  }

  #isLeftOut(): boolean {
    this.#passed += 1
    return this.#passed % this.#oneOf !== 0
  }
}
