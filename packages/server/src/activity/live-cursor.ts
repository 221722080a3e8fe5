import type { Activity } from './activity.ts'
import { type ActivityFilter, type Happening, passes } from './activity-filter.ts'

/** What a reader is told. */
export type LiveMessage =
  | { readonly id: string; readonly name: Activity['kind']; readonly data: Activity }
  | { readonly id: string; readonly name: 'gap'; readonly data: Gap }
  | { readonly id: string; readonly name: 'sampling'; readonly data: Sampling }

/** Happenings that the reader was not told of. */
interface Gap {
  /** Between two connections, or while one was open. */
  readonly reason: 'too_long_ago' | 'reader_too_slow'
  /** How many happenings, filtered ones included; `null` where that is not known. */
  readonly missed: number | null
}

/** From here on one of so many is told; one of 1 is each. */
interface Sampling {
  readonly oneOf: number
}

/** Numbered happenings, of which the newest are kept. */
export interface Happenings {
  /** The number that the next one gets. */
  readonly next: number
  /** The number of the oldest that is kept; `next` where none is. */
  readonly oldest: number
  /** How many are kept at most. */
  readonly size: number
  /** What happened under this number, which must be kept; nothing where it was forgotten since. */
  at(number: number): Happening | undefined
  idOf(number: number): string
}

export interface LiveCursorOptions {
  readonly filter: ActivityFilter
  /** The number to begin with. */
  readonly from: number
  /** It goes on from an id of which nothing is known here. */
  readonly isResumedElsewhere: boolean
  readonly onClose: () => void
}

/**
 * One reader's place in the live tail. Reading moves it on; it holds nothing of what it has yet to read. A reader
 * that lags behind by more than half of what is kept is told one of N, until it has caught up; one that was
 * overtaken is told how many it missed.
 */
export class LiveCursor implements Disposable {
  readonly #tail: Happenings
  readonly #options: LiveCursorOptions
  #next: number
  #isLost: boolean
  #oneOf = 1
  #passed = 0
  #isAwake = false
  #listener: () => void = () => undefined

  constructor(tail: Happenings, options: LiveCursorOptions) {
    this.#tail = tail
    this.#options = options
    this.#next = options.from
    this.#isLost = options.isResumedElsewhere
  }

  /** The id of the last that was looked at, told or filtered out. */
  get lastId(): string {
    return this.#tail.idOf(this.#next - 1)
  }

  /** Calls `listener` when there is more to read: once for all that happens in one turn of the event loop. */
  onMore(listener: () => void): void {
    this.#listener = listener
  }

  /** There is more to read. */
  wake(): void {
    if (this.#isAwake) return
    this.#isAwake = true
    setImmediate(() => {
      this.#isAwake = false
      this.#listener()
    })
  }

  /** What comes next, at most so many; none where there is nothing more yet. */
  read(most: number): LiveMessage[] {
    const messages = [...this.#gap(), ...this.#sampling()]
    const { filter } = this.#options
    while (messages.length < most && this.#next < this.#tail.next) {
      const number = this.#next
      this.#next += 1
      const happening = this.#tail.at(number)
      if (happening === undefined || !passes(happening, filter) || this.#isLeftOut()) continue
      const { activity } = happening
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
