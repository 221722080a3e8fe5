import type { Change, ChangeFeed, ChangeView } from './change-feed.ts'
import type { LiveCounts, Counts } from './live-counts.ts'
import type { LiveCursor, LiveMessage } from './live-cursor.ts'

/** What the stream sends. A message without an id is not sent again to a reader that reconnects. */
export type StreamMessage =
  | LiveMessage
  | { readonly id: string; readonly name: 'change'; readonly data: Change }
  | { readonly id: undefined; readonly name: 'counts'; readonly data: Counts }

export interface LiveReaderOptions {
  /** The first part of every id. */
  readonly run: string
  readonly onClose?: () => void
  readonly activity?: LiveCursor
  readonly counts?: LiveCounts
  readonly changes?: {
    readonly feed: ChangeFeed
    readonly view: ChangeView
    /** The number of the first change to read. */
    readonly from: number
    /** The reader has missed changes. */
    readonly isLost: boolean
  }
}

/**
 * One reader's position in the topics that it follows. It buffers nothing. An id is the number of the last activity, and of
 * the last change where the reader follows changes: `run-7`, `run-7-3.run`, or `run--3.run` without activity.
 */
export class LiveReader implements Disposable {
  readonly #options: LiveReaderOptions
  readonly #stops = new DisposableStack()
  #nextChange: number
  #hasLostChanges: boolean
  #nextSecond: number
  #isAwake = false
  #listener: () => void = () => undefined

  constructor(options: LiveReaderOptions) {
    this.#options = options
    const { activity, counts, changes } = options
    this.#nextChange = changes?.from ?? 0
    this.#hasLostChanges = changes?.isLost ?? false
    this.#nextSecond = counts?.seconds.next ?? 0
    if (activity !== undefined) {
      this.#stops.use(activity)
      activity.onMore(() => this.wake())
    }
    if (changes !== undefined) this.#stops.defer(changes.feed.changes.follow(() => this.wake()))
    if (counts !== undefined) {
      this.#stops.defer(counts.open())
      this.#stops.defer(counts.seconds.follow(() => this.wake()))
    }
  }

  /** The id to continue from; `undefined` for a reader of nothing but counts, which are never sent again. */
  get lastId(): string | undefined {
    const { activity, changes } = this.#options
    return activity === undefined && changes === undefined
      ? undefined
      : this.#idAfter(activity?.lastId)
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

  /** The next messages, at most so many of each topic; none where there is nothing more yet. */
  read(most: number): StreamMessage[] {
    const first = [...this.#counts(), ...this.#changes(most)]
    const activity = this.#options.activity?.read(most) ?? []
    if (this.#options.changes === undefined) return [...first, ...activity]
    return [...first, ...activity.map((each) => ({ ...each, id: this.#idAfter(each.id) }))]
  }

  [Symbol.dispose](): void {
    this.#listener = () => undefined
    this.#stops.dispose()
    this.#options.onClose?.()
  }

  *#counts(): Generator<StreamMessage> {
    const seconds = this.#options.counts?.seconds
    if (seconds === undefined) return
    const from = Math.max(this.#nextSecond, seconds.oldest)
    this.#nextSecond = seconds.next
    for (let number = from; number < seconds.next; number += 1)
      yield { id: undefined, name: 'counts', data: seconds.at(number) }
  }

  *#changes(most: number): Generator<StreamMessage> {
    const { changes, activity } = this.#options
    if (changes === undefined) return
    const { feed, view } = changes
    const idNow = (): string => this.#idAfter(activity?.lastId)
    if (this.#hasLostChanges || this.#nextChange < feed.changes.oldest) {
      this.#hasLostChanges = false
      this.#nextChange = feed.changes.next
      yield { id: idNow(), name: 'change', data: feed.anything() }
    }
    for (let sent = 0; sent < most && this.#nextChange < feed.changes.next;) {
      const change = feed.shown(this.#nextChange, view)
      this.#nextChange += 1
      if (change === undefined) continue
      sent += 1
      yield { id: idNow(), name: 'change', data: change }
    }
  }

  /** The id after an activity and the last change that was read. */
  #idAfter(activityId = `${this.#options.run}-`): string {
    const { changes } = this.#options
    if (changes === undefined) return activityId
    return `${activityId}-${this.#nextChange - 1}.${changes.feed.run}`
  }
}
