import { type Activity, type ActivityFilter, matchesFilter } from './activity.ts'
import type { LiveChange, LiveChanges, ChangeView } from './live-changes.ts'
import type { SecondCounts, LiveCounts } from './live-counts.ts'
import type { LiveTail } from './live-tail.ts'
import type { RecentItems } from './recent-items.ts'

/** A message in the stream. Messages without an id are not resent after a reconnect. */
export type StreamMessage =
  | { readonly id: string; readonly name: Activity['kind']; readonly data: Activity }
  | { readonly id: string; readonly name: 'gap'; readonly data: Gap }
  | { readonly id: string; readonly name: 'change'; readonly data: LiveChange }
  | { readonly id: undefined; readonly name: 'counts'; readonly data: SecondCounts }

interface Gap {
  readonly reason: 'too_long_ago' | 'reader_too_slow' | 'lost'
  /** The number of missed activities, including those excluded by the filter; `null` if unknown. */
  readonly missed: number | null
}

/** A reader's position in a topic. */
export interface Cursor {
  readonly from: number
  next: number
  /** Whether the reader missed items before `from`. */
  isLost: boolean
}

interface LiveReaderOptions {
  /** Prefix of every id. */
  readonly run: string
  readonly onClose?: () => void
  readonly activity?: {
    readonly cursor: Cursor
    readonly tail: LiveTail
    readonly filter: ActivityFilter
  }
  readonly counts?: LiveCounts
  readonly changes?: {
    readonly cursor: Cursor
    readonly feed: LiveChanges
    readonly view: ChangeView
  }
}

/** One reader's position in its topics. An id has the numbers of the last activity and change: `run-7`, `run-7-3`, `run--3`. */
export class LiveReader implements Disposable {
  readonly #options: LiveReaderOptions
  readonly #stops = new DisposableStack()
  #nextSecond: number
  #isAwake = false
  #listener: () => void = () => undefined

  constructor(options: LiveReaderOptions) {
    this.#options = options
    const { activity, counts, changes } = options
    this.#nextSecond = counts?.seconds.next ?? 0
    if (activity !== undefined) this.#follow(activity.tail.items, activity.tail.open())
    if (counts !== undefined) this.#follow(counts.seconds, counts.open())
    if (changes !== undefined) this.#follow(changes.feed.changes)
  }

  /** The id to resume from; `undefined` for a reader of counts only, which are never resent. */
  get lastId(): string | undefined {
    const { activity, changes } = this.#options
    return activity === undefined && changes === undefined ? undefined : this.#id
  }

  /** Calls `listener` at most once per turn of the event loop when there is more to read. */
  onMore(listener: () => void): void {
    this.#listener = listener
  }

  wake(): void {
    if (this.#isAwake) return
    this.#isAwake = true
    setImmediate(() => {
      this.#isAwake = false
      this.#listener()
    })
  }

  /** The next messages, at most `limit` per topic. */
  read(limit: number): StreamMessage[] {
    return [...this.#counts(), ...this.#changes(limit), ...this.#activity(limit)]
  }

  [Symbol.dispose](): void {
    this.#listener = () => undefined
    this.#stops.dispose()
    this.#options.onClose?.()
  }

  /** The id after everything read so far, including activities excluded by the filter. */
  get #id(): string {
    const { run, activity, changes } = this.#options
    const read = activity === undefined ? '' : activity.cursor.next - 1
    return `${run}-${read}${changes === undefined ? '' : `-${changes.cursor.next - 1}`}`
  }

  #follow(items: Pick<RecentItems<unknown>, 'follow'>, close?: () => void): void {
    if (close !== undefined) this.#stops.defer(close)
    this.#stops.defer(items.follow(() => this.wake()))
  }

  *#counts(): Generator<StreamMessage> {
    const seconds = this.#options.counts?.seconds
    if (seconds === undefined) return
    const from = Math.max(this.#nextSecond, seconds.oldest)
    this.#nextSecond = seconds.next
    for (let number = from; number < seconds.next; number += 1)
      yield { id: undefined, name: 'counts', data: seconds.at(number) }
  }

  *#changes(limit: number): Generator<StreamMessage> {
    const { changes } = this.#options
    if (changes === undefined) return
    const { cursor, feed, view } = changes
    if (cursor.isLost || cursor.next < feed.changes.oldest) {
      cursor.isLost = false
      cursor.next = feed.changes.next
      yield { id: this.#id, name: 'change', data: feed.unknownChange() }
    }
    for (let count = 0; count < limit && cursor.next < feed.changes.next;) {
      const change = feed.shown(cursor.next, view)
      cursor.next += 1
      if (change === undefined) continue
      count += 1
      yield { id: this.#id, name: 'change', data: change }
    }
  }

  *#activity(limit: number): Generator<StreamMessage> {
    const { activity } = this.#options
    if (activity === undefined) return
    const { cursor, tail, filter } = activity
    const gap = this.#gap(activity)
    if (gap !== undefined) yield { id: this.#id, name: 'gap', data: gap }
    for (let count = 0; count < limit && cursor.next < tail.items.next;) {
      const item = tail.items.at(cursor.next)
      cursor.next += 1
      if (item === undefined || ('activity' in item && !matchesFilter(item, filter))) continue
      count += 1
      const id = this.#id
      if ('activity' in item) yield { id, name: item.activity.kind, data: item.activity }
      else yield { id, name: 'gap', data: { reason: 'lost', ...item } }
    }
  }

  #gap({ cursor, tail }: NonNullable<LiveReaderOptions['activity']>): Gap | undefined {
    const { oldest, next } = tail.items
    const { from, next: position, isLost } = cursor
    if (!isLost && position >= oldest) return undefined
    cursor.isLost = false
    // Skips to the newer half, so a reader that stays slow gets few gaps.
    cursor.next = Math.max(position, Math.floor((oldest + next) / 2))
    return isLost || position === from
      ? { reason: 'too_long_ago', missed: null }
      : { reason: 'reader_too_slow', missed: cursor.next - position }
  }
}
