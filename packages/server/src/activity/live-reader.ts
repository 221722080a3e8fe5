import { type Activity, type ActivityFilter, passes } from './activity.ts'
import type { Change, ChangeFeed, ChangeView } from './change-feed.ts'
import type { Counts, LiveCounts } from './live-counts.ts'
import type { LiveTail } from './live-tail.ts'
import type { RecentItems } from './recent-items.ts'

/** A message of the stream. One without an id is not sent again to a reader that reconnects. */
export type StreamMessage =
  | { readonly id: string; readonly name: Activity['kind']; readonly data: Activity }
  | { readonly id: string; readonly name: 'gap'; readonly data: Gap }
  | { readonly id: string; readonly name: 'change'; readonly data: Change }
  | { readonly id: undefined; readonly name: 'counts'; readonly data: Counts }

/** Activities that the reader did not receive. */
interface Gap {
  /** Between two connections, or while one was open; or they got lost between nodes. */
  readonly reason: 'too_long_ago' | 'reader_too_slow' | 'lost'
  /** How many activities, including ones that the filter excludes; `null` if unknown. */
  readonly missed: number | null
}

/** The beginning of a reader in a topic. */
export interface Beginning {
  /** The number of the first item to read. */
  readonly from: number
  /** The reader has missed items before it. */
  readonly isLost: boolean
}

/** In a topic that the reader does not follow. */
const NOTHING_READ: Beginning = { from: 0, isLost: false }

interface LiveReaderOptions {
  /** The first part of every id. */
  readonly run: string
  readonly onClose?: () => void
  readonly activity?: Beginning & { readonly tail: LiveTail; readonly filter: ActivityFilter }
  readonly counts?: LiveCounts
  readonly changes?: Beginning & { readonly feed: ChangeFeed; readonly view: ChangeView }
}

/**
 * One reader's position in the topics that it follows. It buffers nothing. An id has the numbers of the last activity and of
 * the last change, each only if the reader follows the topic: `run-7`, `run-7-3`, or `run--3`.
 */
export class LiveReader implements Disposable {
  readonly #options: LiveReaderOptions
  readonly #stops = new DisposableStack()
  #nextActivity: number
  #hasLostActivities: boolean
  #nextChange: number
  #hasLostChanges: boolean
  #nextSecond: number
  #isAwake = false
  #listener: () => void = () => undefined

  constructor(options: LiveReaderOptions) {
    this.#options = options
    const { activity, counts, changes } = options
    const [activities, changed] = [activity ?? NOTHING_READ, changes ?? NOTHING_READ]
    this.#nextActivity = activities.from
    this.#hasLostActivities = activities.isLost
    this.#nextChange = changed.from
    this.#hasLostChanges = changed.isLost
    this.#nextSecond = counts?.seconds.next ?? 0
    if (activity !== undefined) this.#follow(activity.tail.items, activity.tail.open())
    if (counts !== undefined) this.#follow(counts.seconds, counts.open())
    if (changes !== undefined) this.#follow(changes.feed.changes)
  }

  /** The id to continue from; `undefined` for a reader of nothing but counts, which are never sent again. */
  get lastId(): string | undefined {
    const { activity, changes } = this.#options
    return activity === undefined && changes === undefined ? undefined : this.#id
  }

  /** Calls `listener` when there is more to read, once for all that a turn of the event loop brings. */
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

  /** The next messages, at most `limit` of each topic; none if there is nothing more yet. */
  read(limit: number): StreamMessage[] {
    return [...this.#counts(), ...this.#changes(limit), ...this.#activity(limit)]
  }

  [Symbol.dispose](): void {
    this.#listener = () => undefined
    this.#stops.dispose()
    this.#options.onClose?.()
  }

  /** The id after all that was read, including activities that the filter excludes. */
  get #id(): string {
    const { run, activity, changes } = this.#options
    const read = activity === undefined ? '' : this.#nextActivity - 1
    return `${run}-${read}${changes === undefined ? '' : `-${this.#nextChange - 1}`}`
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
    const { feed, view } = changes
    if (this.#hasLostChanges || this.#nextChange < feed.changes.oldest) {
      this.#hasLostChanges = false
      this.#nextChange = feed.changes.next
      yield { id: this.#id, name: 'change', data: feed.anything() }
    }
    for (let sent = 0; sent < limit && this.#nextChange < feed.changes.next;) {
      const change = feed.shown(this.#nextChange, view)
      this.#nextChange += 1
      if (change === undefined) continue
      sent += 1
      yield { id: this.#id, name: 'change', data: change }
    }
  }

  *#activity(limit: number): Generator<StreamMessage> {
    const { activity } = this.#options
    if (activity === undefined) return
    const { tail, filter } = activity
    const gap = this.#gap(activity)
    if (gap !== undefined) yield { id: this.#id, name: 'gap', data: gap }
    for (let sent = 0; sent < limit && this.#nextActivity < tail.items.next;) {
      const item = tail.items.at(this.#nextActivity)
      this.#nextActivity += 1
      if (item === undefined || ('activity' in item && !passes(item, filter))) continue
      sent += 1
      const id = this.#id
      if ('activity' in item) yield { id, name: item.activity.kind, data: item.activity }
      else yield { id, name: 'gap', data: { reason: 'lost', ...item } }
    }
  }

  /** Moves a reader that has missed activities on. */
  #gap({ tail, from }: NonNullable<LiveReaderOptions['activity']>): Gap | undefined {
    const { oldest, next } = tail.items
    const position = this.#nextActivity
    const isResumed = this.#hasLostActivities || position === from
    if (!this.#hasLostActivities && position >= oldest) return undefined
    this.#hasLostActivities = false
    // The newer half: a reader that stays too slow gets few gaps instead of one in every batch.
    this.#nextActivity = Math.max(position, Math.floor((oldest + next) / 2))
    return isResumed
      ? { reason: 'too_long_ago', missed: null }
      : { reason: 'reader_too_slow', missed: this.#nextActivity - position }
  }
}
