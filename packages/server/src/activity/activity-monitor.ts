import type { AcceptedEvent, IngestCodeName } from '@hookline/protocol'
import type { Catalog, CatalogSnapshot } from '../backend/catalog.ts'
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
  /** Learns the destination of each delivery, and which users are deleted. */
  readonly inspector: Pick<ActivityListener, 'recorded' | 'purged'>
}

/** The maximum number of ids of users in one message to other nodes. */
const MAX_PURGED_IDS = 1_000

/** Passes all activity on to the topics of the stream, the attempts of the last hour, the statistics and the inspector. */
export class ActivityMonitor implements ActivityListener, AsyncDisposable {
  readonly live: LiveTopics
  readonly recent: RecentAttempts
  /** The statistics up to now. */
  readonly statistics: StatisticsRecorder
  readonly #signals: Signals
  readonly #stopWatching: () => void
  readonly #inspector: ActivityMonitorOptions['inspector']

  constructor(options: ActivityMonitorOptions) {
    this.#signals = options.signals
    this.live = new LiveTopics(options.clock, options.upkeep, options.signals)
    this.recent = new RecentAttempts(options.clock, options.signals)
    this.statistics = new StatisticsRecorder(options)
    this.statistics.start()
    // Every node watches the catalog.
    this.#stopWatching = watchCatalog(options.catalog, (update) =>
      this.live.changes.updated(update, { isKnown: true }),
    )
    options.signals.onTold('purges', (purge) => this.#forget(purge as PurgeActivity))
    this.#inspector = options.inspector
  }

  received(events: readonly AcceptedEvent[]): void {
    this.live.tail.received(events)
    this.live.counts.received(events)
    this.statistics.received(events)
  }

  refused(code: IngestCodeName | 'suppressed', calls: number, sourceId?: string): void {
    this.live.counts.refused(code, calls)
    this.statistics.refused(code, calls, sourceId)
  }

  decided(decision: DecisionActivity): void {
    this.live.tail.decided(decision)
    this.live.counts.decided(decision)
    this.statistics.decided(decision)
  }

  recorded(delivery: DeliveryActivity): void {
    this.live.tail.recorded(delivery)
    this.live.counts.recorded(delivery)
    this.recent.recorded(delivery)
    this.#inspector.recorded(delivery)
    this.statistics.recorded(delivery)
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
    for (const part of partsOf(purge)) this.#signals.tell('purges', part)
  }

  updated(update: UpdateActivity): void {
    this.live.changes.updated(update)
  }

  /** Writes the statistics of the current minute. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopWatching()
    this.live.tail[Symbol.dispose]()
    await this.statistics[Symbol.asyncDispose]()
  }

  #forget(purge: PurgeActivity): void {
    this.live.tail.purged(purge)
    this.#inspector.purged(purge)
  }
}

/** The same purge, of fewer users at a time. */
function* partsOf({ userIds, anonymousIds, sourceIds }: PurgeActivity): Generator<PurgeActivity> {
  for (let from = 0; from < userIds.length; from += MAX_PURGED_IDS)
    yield { userIds: userIds.slice(from, from + MAX_PURGED_IDS), anonymousIds: [], sourceIds }
  for (let from = 0; from < anonymousIds.length; from += MAX_PURGED_IDS)
    yield {
      userIds: [],
      anonymousIds: anonymousIds.slice(from, from + MAX_PURGED_IDS),
      sourceIds,
    }
}

/**
 * Reports each record of the catalog that is added, changed or removed by a request, an import or
 * Hookline itself. Returns the function that stops it.
 */
function watchCatalog(catalog: Catalog, onUpdate: (update: UpdateActivity) => void): () => void {
  let known = catalog.current
  return catalog.onChange(() => {
    const before = known
    known = catalog.current
    for (const update of updatesBetween(before, known)) onUpdate(update)
  })
}

function* updatesBetween(
  before: CatalogSnapshot,
  after: CatalogSnapshot,
): Generator<UpdateActivity> {
  for (const id of changed(before.sources, after.sources)) yield { resource: 'sources', id }
  for (const id of changed(before.destinations, after.destinations))
    yield { resource: 'destinations', id }
  for (const id of changed(before.computations, after.computations))
    yield { resource: id.startsWith('aud_') ? 'audiences' : 'traits', id }
}

function changed<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): string[] {
  const ids = new Set([...before.keys(), ...after.keys()])
  return [...ids].filter((id) => before.get(id) !== after.get(id))
}
