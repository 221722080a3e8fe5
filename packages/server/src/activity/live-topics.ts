import { randomBytes } from 'node:crypto'
import type { Signals } from '../backend/signals.ts'
import type { Upkeep } from '../backend/upkeep.ts'
import type { Clock } from '../util/time/clock.ts'
import type { ActivityFilter } from './activity.ts'
import { LiveChanges, type ChangeView } from './live-changes.ts'
import { LiveCounts } from './live-counts.ts'
import { type Cursor, LiveReader } from './live-reader.ts'
import { LiveTail } from './live-tail.ts'
import type { RecentItems } from './recent-items.ts'

export const TOPICS = ['activity', 'counts', 'changes'] as const

export type Topic = (typeof TOPICS)[number]

export interface ReadOptions {
  readonly topics: ReadonlySet<Topic>
  readonly filter: ActivityFilter
  readonly view: ChangeView
  /** The last id that the reader received. */
  readonly lastId?: string | undefined
}

/** `run-7`, `run-7-3` or `run--3`: see `LiveReader`. */
const ID = /^([0-9a-f]{8})-(\d*)(?:-(\d+))?$/

/** The live stream: activities, counts per second, and changed records. */
export class LiveTopics {
  /** Prefix of every id. Numbers are only valid on this node, until it restarts. */
  readonly run = randomBytes(4).toString('hex')
  readonly tail: LiveTail
  readonly counts: LiveCounts
  readonly changes: LiveChanges
  readonly #open = new Set<LiveReader>()

  constructor(
    clock: Clock,
    upkeep: Pick<Upkeep, 'backlog'>,
    signals: Signals,
    maxActivities?: number,
  ) {
    this.tail = new LiveTail(clock, signals, maxActivities)
    this.counts = new LiveCounts(clock, upkeep, signals)
    this.changes = new LiveChanges(clock, signals)
  }

  /** Opens a reader; the caller disposes of it. Resumes after `lastId`, with a gap if that is too old or from another node. */
  read({ topics, filter, view, lastId }: ReadOptions): LiveReader {
    const { tail, counts, changes: feed } = this
    const { activity, change } = this.#numbersIn(lastId)
    const reader: LiveReader = new LiveReader({
      run: this.run,
      onClose: () => this.#open.delete(reader),
      ...(topics.has('activity') && {
        activity: { tail, filter, cursor: cursorIn(tail.items, activity) },
      }),
      ...(topics.has('counts') && { counts }),
      ...(topics.has('changes') && {
        changes: { feed, view, cursor: cursorIn(feed.changes, change) },
      }),
    })
    this.#open.add(reader)
    return reader
  }

  get readers(): number {
    return this.#open.size
  }

  /** `NaN` for an invalid id or one from another node; `undefined` for a topic that the id lacks. */
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

/** @param last the number of the last item read; `undefined` to begin now */
function cursorIn({ next }: Pick<RecentItems<unknown>, 'next'>, last = next - 1): Cursor {
  // An invalid id, or one from another node, is `NaN`: all comparisons with it are false.
  const isLost = !(last < next)
  const from = isLost ? next : last + 1
  return { from, next: from, isLost }
}
