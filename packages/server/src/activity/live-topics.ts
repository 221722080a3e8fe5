import type { Signals } from '../backend/signals.ts'
import type { Upkeep } from '../backend/upkeep.ts'
import type { Clock } from '../util/time/clock.ts'
import type { ActivityFilter } from './activity-filter.ts'
import { ChangeFeed, type ChangeView } from './change-feed.ts'
import { LiveCounts } from './live-counts.ts'
import { LiveReader } from './live-reader.ts'
import { LiveTail } from './live-tail.ts'

/** What a reader of the stream can follow. */
export const TOPICS = ['activity', 'counts', 'changes'] as const

export type Topic = (typeof TOPICS)[number]

export interface ReadOptions {
  readonly topics: ReadonlySet<Topic>
  readonly filter: ActivityFilter
  readonly view: ChangeView
  /** The id of the last message that the reader received. */
  readonly lastId?: string | undefined
}

/** What happens, for readers that follow it: each activity, the counts of each second, and changes of records. */
export class LiveTopics {
  readonly tail: LiveTail
  readonly counts: LiveCounts
  readonly changes: ChangeFeed
  readonly #open = new Set<LiveReader>()

  constructor(clock: Clock, upkeep: Pick<Upkeep, 'backlog'>, signals: Signals) {
    this.tail = new LiveTail(clock, signals.activity)
    this.counts = new LiveCounts(clock, upkeep, signals)
    this.changes = new ChangeFeed(clock, signals)
  }

  /** Resolves when a reader of these topics that opens misses nothing that happens from now on, on any node. */
  async ready(topics: ReadonlySet<Topic>, lastId?: string): Promise<void> {
    if (topics.has('activity')) await this.tail.ready(activityIdOf(lastId))
  }

  /**
   * Opens a reader. It continues after `lastId` in each topic that the reader with this id has followed, and begins now in
   * the others. Dispose of it to close it.
   */
  read({ topics, filter, view, lastId }: ReadOptions): LiveReader {
    const { tail, counts, changes } = this
    const reader: LiveReader = new LiveReader({
      run: tail.run,
      onClose: () => this.#open.delete(reader),
      ...(topics.has('activity') && { activity: tail.read(filter, activityIdOf(lastId)) }),
      ...(topics.has('counts') && { counts }),
      ...(topics.has('changes') && { changes: { feed: changes, view, ...this.#from(lastId) } }),
    })
    this.#open.add(reader)
    return reader
  }

  /** How many readers are open. */
  get readers(): number {
    return this.#open.size
  }

  /** Where a reader of the changes goes on, and whether it has missed some. */
  #from(lastId: string | undefined): { readonly from: number; readonly isLost: boolean } {
    const { next, oldest } = this.changes.changes
    if (lastId === undefined) return { from: next, isLost: false }
    const [, , last] = lastId.split('-')
    const [number, run] = (last ?? '').split('.')
    // A reader of activity alone has missed no changes, unless its id is none.
    if (last === undefined && ACTIVITY_ID.test(lastId)) return { from: next, isLost: false }
    const from = Number(number) + 1
    return run === this.changes.run && Number.isInteger(from) && from >= oldest && from <= next
      ? { from, isLost: false }
      : { from: next, isLost: true }
  }
}

const ACTIVITY_ID = /^[0-9a-f]{8}-\d+(?:~\d+)?$/

/** The last id, unless its reader did not follow the activity. */
function activityIdOf(lastId: string | undefined): string | undefined {
  return lastId?.split('-')[1] === '' ? undefined : lastId
}
