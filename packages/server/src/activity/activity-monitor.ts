import type { AcceptedEvent, IngestCodeName } from '@hookline/protocol'
import type { Catalog } from '../backend/catalog.ts'
import type { Signals } from '../backend/signals.ts'
import type {
  ActivityListener,
  ChangeActivity,
  DecisionActivity,
  DeliveryActivity,
  PurgeActivity,
  UnlinkedActivity,
  UpdateActivity,
} from '../telemetry/activity-listener.ts'
import { LiveTopics } from './live-topics.ts'
import { RecentAttempts } from './recent-attempts.ts'
import { StatisticsRecorder, type StatisticsRecorderOptions } from './statistics-recorder.ts'

export interface ActivityMonitorOptions extends StatisticsRecorderOptions {
  /** Notified of recorded deliveries and of deleted users. */
  readonly inspector: Pick<ActivityListener, 'recorded' | 'purged'>
}

/** The maximum number of ids of each kind in one message to other nodes. */
const MAX_PURGED_IDS = 1_000

/** Forwards all activity to the live stream, the counts for the last hour, the statistics and the inspector. */
export class ActivityMonitor implements ActivityListener, AsyncDisposable {
  readonly live: LiveTopics
  readonly recent: RecentAttempts
  readonly statistics: StatisticsRecorder
  readonly #signals: Signals
  readonly #stopWatching: () => void
  readonly #listeners: readonly Partial<ActivityListener>[]

  constructor(options: ActivityMonitorOptions) {
    const { clock, signals, inspector } = options
    this.#signals = signals
    this.live = new LiveTopics(clock, options.upkeep, signals)
    this.recent = new RecentAttempts(clock, signals)
    this.statistics = new StatisticsRecorder(options)
    this.statistics.start()
    const { tail, counts, changes } = this.live
    this.#listeners = [tail, counts, this.recent, inspector, this.statistics]
    // Each node watches the catalog, so these changes need no message.
    this.#stopWatching = watchCatalog(options.catalog, (update) =>
      changes.updated(update, { isLocal: true }),
    )
    signals.onMessage('purges', (purge) => this.#forget(purge as PurgeActivity))
  }

  received(events: readonly AcceptedEvent[]): void {
    for (const each of this.#listeners) each.received?.(events)
  }

  rejected(code: IngestCodeName | 'suppressed', calls: number, sourceId?: string): void {
    for (const each of this.#listeners) each.rejected?.(code, calls, sourceId)
  }

  decided(decision: DecisionActivity): void {
    for (const each of this.#listeners) each.decided?.(decision)
  }

  recorded(delivery: DeliveryActivity): void {
    for (const each of this.#listeners) each.recorded?.(delivery)
    const { replayId } = delivery.delivery
    if (delivery.isEnd && replayId !== undefined)
      this.updated({ resource: 'replays', id: replayId })
  }

  changed(change: ChangeActivity): void {
    this.statistics.changed(change)
  }

  unlinked(unlinked: UnlinkedActivity): void {
    this.statistics.unlinked(unlinked)
  }

  purged(purge: PurgeActivity): void {
    this.#forget(purge)
    for (const part of partsOf(purge)) this.#signals.publish('purges', part)
  }

  updated(update: UpdateActivity): void {
    this.live.changes.updated(update)
  }

  /** Writes the unwritten statistics. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopWatching()
    this.live.tail[Symbol.dispose]()
    await this.statistics[Symbol.asyncDispose]()
  }

  #forget(purge: PurgeActivity): void {
    for (const each of this.#listeners) each.purged?.(purge)
  }
}

/** Splits a purge into messages of bounded size. */
function* partsOf({ userIds, anonymousIds, sourceIds }: PurgeActivity): Generator<PurgeActivity> {
  const count = Math.max(userIds.length, anonymousIds.length)
  for (let from = 0; from < count; from += MAX_PURGED_IDS) {
    const sliceOf = (ids: readonly string[]) => ids.slice(from, from + MAX_PURGED_IDS)
    yield { userIds: sliceOf(userIds), anonymousIds: sliceOf(anonymousIds), sourceIds }
  }
}

/** Reports each added, changed or removed record of the catalog. Returns a function that stops watching. */
function watchCatalog(catalog: Catalog, onUpdate: (update: UpdateActivity) => void): () => void {
  let before = catalog.current
  return catalog.onChange(() => {
    const after = catalog.current
    for (const id of changedKeys(before.sources, after.sources))
      onUpdate({ resource: 'sources', id })
    for (const id of changedKeys(before.destinations, after.destinations))
      onUpdate({ resource: 'destinations', id })
    for (const id of changedKeys(before.computations, after.computations))
      onUpdate({ resource: id.startsWith('aud_') ? 'audiences' : 'traits', id })
    before = after
  })
}

function changedKeys<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): string[] {
  const ids = new Set([...before.keys(), ...after.keys()])
  return [...ids].filter((id) => before.get(id) !== after.get(id))
}
