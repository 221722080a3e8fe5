import { randomBytes } from 'node:crypto'
import type { Signals } from '../backend/signals.ts'
import type { Upkeep } from '../backend/upkeep.ts'
import type { Clock } from '../util/time/clock.ts'
import type { ActivityFilter } from './activity.ts'
import { ChangeFeed, type ChangeView } from './change-feed.ts'
import { LiveCounts } from './live-counts.ts'
import { type Beginning, LiveReader } from './live-reader.ts'
import { LiveTail } from './live-tail.ts'
import type { RecentItems } from './recent-items.ts'

/** The topics of the stream. A reader follows some of them. */
export const TOPICS = ['activity', 'counts', 'changes'] as const

export type Topic = (typeof TOPICS)[number]

export interface ReadOptions {
  readonly topics: ReadonlySet<Topic>
  readonly filter: ActivityFilter
  readonly view: ChangeView
  /** The id of the last message that the reader received. */
  readonly lastId?: string | undefined
}

/** `run-7`, `run-7-3` or `run--3`: see `LiveReader`. */
const ID = /^([0-9a-f]{8})-(\d*)(?:-(\d+))?$/

/** What happens, for readers that follow it: each activity, the counts of each second, and changes of records. */
export class LiveTopics {
  /** Part of every id: names the numbers of this node, since it started. */
  readonly run = randomBytes(4).toString('hex')
  readonly tail: LiveTail
  readonly counts: LiveCounts
  readonly changes: ChangeFeed
  readonly #open = new Set<LiveReader>()

  /** @param maxActivities how many activities are kept */
  constructor(
    clock: Clock,
    upkeep: Pick<Upkeep, 'backlog'>,
    signals: Signals,
    maxActivities?: number,
  ) {
    this.tail = new LiveTail(clock, signals, maxActivities)
    this.counts = new LiveCounts(clock, upkeep, signals)
    this.changes = new ChangeFeed(clock, signals)
  }

  /**
   * Opens a reader. It continues after `lastId` in each topic that the reader with this id has followed, and begins now in
   * the others. After an id of another node, or of a time that is no longer kept, it has missed something. Dispose of it to
   * close it.
   */
  read({ topics, filter, view, lastId }: ReadOptions): LiveReader {
    const { tail, counts, changes: feed } = this
    const { activity, change } = this.#numbersIn(lastId)
    const reader: LiveReader = new LiveReader({
      run: this.run,
      onClose: () => this.#open.delete(reader),
      ...(topics.has('activity') && {
        activity: { tail, filter, ...beginningIn(tail.items, activity) },
      }),
      ...(topics.has('counts') && { counts }),
      ...(topics.has('changes') && {
        changes: { feed, view, ...beginningIn(feed.changes, change) },
      }),
    })
    this.#open.add(reader)
    return reader
  }

  /** How many readers are open. */
  get readers(): number {
    return this.#open.size
  }

  /** `NaN` if this node has not issued the id, `undefined` for a topic that its reader did not follow. */
  #numbersIn(lastId: string | undefined): { readonly activity?: number; readonly change?: number } {
    if (lastId === undefined) return {}
    const match = ID.exec(lastId)
    if (match === null) return { activity: NaN, change: NaN }
    const [, run, activity, change] = match
    const numberOf = (text: string): number => (run === this.run ? Number(text) : NaN)
    return {
      ...(activity && { activity: numberOf(activity) }),
      ...(change && { change: numberOf(change) }),
    }
  }
}

/** @param last the number of the last item that was read; `undefined` for a reader that begins now */
function beginningIn(
  { next }: Pick<RecentItems<unknown>, 'next'>,
  last: number | undefined,
): Beginning {
  if (last === undefined) return { from: next, isLost: false }
  return last < next ? { from: last + 1, isLost: false } : { from: next, isLost: true }
}
