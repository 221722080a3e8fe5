import type { AttemptClass, Destination, LaneState } from '@hookline/protocol'
import type { Catalog, CatalogSnapshot } from '../backend/catalog.ts'
import type {
  Deliveries,
  DeliveryReports,
  FailureGroup,
  WaitingParts,
  WebhookLanes,
} from '../backend/deliveries.ts'
import { laneKey } from '../backend/deliveries.ts'
import type { Nodes } from '../backend/nodes.ts'
import type { Statistics } from '../backend/statistics.ts'
import type { Sync, Syncs } from '../backend/syncs.ts'
import type { Upkeep, WaitingDeliveries } from '../backend/upkeep.ts'
import { type Clock, toWallClock } from '../util/time/clock.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import { SharedRefresh } from '../util/workers/shared-refresh.ts'
import { MAX_DESTINATIONS, THRESHOLDS } from './conditions.ts'
import { certificateExpiriesOf } from './certificates.ts'
import { failingText } from './destination-findings.ts'
import type { DestinationFacts, ProblemFacts, WebhookFacts } from './facts.ts'
import { RecentResults } from './recent-results.ts'

export interface FactsDeps {
  readonly catalog: Pick<Catalog, 'current'>
  readonly deliveries: Pick<Deliveries, 'list'>
  readonly reports: DeliveryReports
  readonly lanes: Pick<WebhookLanes, 'states'>
  readonly recentAttempts: {
    of(destinationId: string): Promise<{
      readonly lastDeliveredAt: number | undefined
      readonly lastFailedAt: number | undefined
    }>
  }
  /** Reads statistics, including counts that are not written yet. */
  readonly statistics: Pick<Statistics, 'read'>
  readonly syncs: Pick<Syncs, 'last'>
  readonly nodes: Pick<Nodes, 'current'>
  readonly upkeep: Pick<Upkeep, 'backlog' | 'corruptions' | 'missing' | 'disk'>
  readonly backups: { readonly lastAt: number | null }
  readonly clock: Clock
  /** The retry window of webhooks that do not set their own. */
  readonly retryWindowMs: number
  readonly retentionMs: number
}

/**
 * Failures are grouped for at most this many failing destinations, and for as many others with
 * rejected deliveries. Each grouping reads up to 2,000 deliveries.
 */
const MAX_GROUPED = 20
const MAX_LOST = 50
const MAX_CORRUPTIONS = 20
/** How long results of the more expensive reads are reused. */
const TTL_MS = 30_000

/**
 * Collects the facts for `currentProblems`. Each call does a bounded amount of work, and yields to
 * the event loop.
 */
export class FactsCollector {
  readonly #deps: FactsDeps
  readonly #results: RecentResults
  readonly #waiting: Cache<WaitingParts>
  readonly #failures: Cache<readonly FailureGroup[]>
  readonly #lost: Cache<LostDeliveries>
  readonly #syncs: Cache<readonly Sync[]>
  /** Concurrent calls share the work. */
  readonly #refresh: SharedRefresh
  #facts: Omit<ProblemFacts, 'checks'> | undefined

  constructor(deps: FactsDeps) {
    this.#deps = deps
    const { clock } = deps
    this.#results = new RecentResults(deps)
    this.#waiting = new Cache(clock)
    this.#failures = new Cache(clock)
    this.#lost = new Cache(clock)
    this.#syncs = new Cache(clock)
    this.#refresh = new SharedRefresh(async () => {
      this.#facts = await this.#collect()
    })
  }

  /** Collects all facts except the checks of `/readyz`. */
  async collect(): Promise<Omit<ProblemFacts, 'checks'>> {
    await this.#refresh.run()
    return this.#facts!
  }

  /** The minute of the last success within the last hour, as of the last call to `collect`. */
  lastDeliveredAt(destinationId: string): number | undefined {
    return this.#results.of(destinationId)?.lastDeliveredAt ?? undefined
  }

  async #collect(): Promise<Omit<ProblemFacts, 'checks'>> {
    const { catalog, upkeep, nodes, backups, clock } = this.#deps
    await this.#results.refresh()
    const { waiting, quarantined } = await upkeep.backlog()
    const snapshot = catalog.current
    const missing = Object.values(await upkeep.missing())
    return {
      now: clock.wall(),
      ...(await this.#destinations(snapshot, waiting)),
      refused: this.#refused(snapshot),
      unlinked: this.#unlinked(snapshot),
      quarantined,
      corruptions: await upkeep.corruptions(MAX_CORRUPTIONS),
      missing: missing.reduce((sum, each) => sum + Math.abs(each), 0),
      disk: await upkeep.disk(),
      lastBackupAt: backups.lastAt,
      lostNodes: nodes.current.filter(({ isAlive }) => !isAlive),
      missedBySyncs: await this.#missedBySyncs(snapshot),
    }
  }

  async #destinations(
    { destinations }: CatalogSnapshot,
    waiting: readonly WaitingDeliveries[],
  ): Promise<Pick<ProblemFacts, 'destinations' | 'uncheckedDestinations'>> {
    const { lanes, clock, retentionMs } = this.#deps
    const expired = this.#results.countsByDestination('failed.expired')
    const rejected = this.#results.countsByDestination(
      'failed.rejected',
      clock.wall() - THRESHOLDS.rejectedMs,
    )
    const ids = new Set([
      ...expired.keys(),
      ...rejected.keys(),
      ...this.#results.failed(),
      ...waiting.toSorted((a, b) => b.count - a.count).map(({ destinationId }) => destinationId),
      ...[...destinations.values()]
        .filter((each) => hasSettingsProblem(each, retentionMs))
        .map(({ id }) => id),
    ])
    // Failures of deleted destinations are not current problems.
    const known = [...ids].flatMap((id) => destinations.get(id) ?? [])
    const checked = known.slice(0, MAX_DESTINATIONS)
    const states = await lanes.states(checked.map(({ id }) => id))
    const slices = new TimeSlices(clock)
    const collected: DestinationFacts[] = []
    const grouped = { failing: 0, rejecting: 0 }
    for (const destination of checked) {
      await slices.yieldIfOver()
      const { id } = destination
      const counts = {
        pending: countIn(waiting, id, 'pending'),
        held: countIn(waiting, id, 'held'),
      }
      const webhooks = await this.#webhooks(destination, states.get(id) ?? [], counts.pending)
      const results = this.#results.of(id)
      const isGrouped = isFailing(webhooks, results)
        ? grouped.failing++ < MAX_GROUPED
        : rejected.has(id) && grouped.rejecting++ < MAX_GROUPED
      const failures = isGrouped ? await this.#failuresOf(id, rejected.get(id)?.count) : undefined
      collected.push({
        destination,
        ...counts,
        webhooks,
        results,
        hasRecovered: await this.#hasRecovered(id, results, counts.pending),
        expired: await this.#lostOf(id, 'expired', expired.get(id)),
        rejected: atMost(await this.#lostOf(id, 'rejected', rejected.get(id)), failures),
        failures: failures ?? [],
        certificates: certificateExpiriesOf(destination).filter(
          ({ expiresAt }) => expiresAt <= clock.wall() + THRESHOLDS.certificateMs,
        ),
        longRetryWindows: longRetryWindowsOf(destination, retentionMs),
      })
    }
    return { destinations: collected, uncheckedDestinations: known.length - checked.length }
  }

  async #webhooks(
    { id: destinationId, settings, enabled, paused }: Destination,
    states: readonly LaneState[],
    pending: number,
  ): Promise<WebhookFacts[]> {
    const { reports, clock, retryWindowMs } = this.#deps
    if (!enabled || paused !== null) return []
    const running = settings.webhooks.filter((webhook) => webhook.paused === undefined)
    const collected: WebhookFacts[] = []
    for (const { url, limits } of running) {
      const state = states.find((each) => each.url === url)
      if (state === undefined) continue
      const lane = { destinationId, url }
      const stored =
        pending > 0
          ? await this.#waiting.get(laneKey(lane), () => reports.waitingIn(lane))
          : NOTHING
      const shown = (at: number | null): number | null => at && toWallClock(at, clock)
      const waiting = {
        ...stored,
        // All pending deliveries of a destination with one webhook are for that webhook. Their current
        // number is known; the cached count may be older.
        ...(settings.webhooks.length === 1 && { pending }),
        firstDueAt: stored.firstDueAt && toWallClock(stored.firstDueAt, clock),
      }
      const { brokenSince, openUntil, retryAfterUntil } = state
      const times = {
        brokenSince: shown(brokenSince),
        openUntil: shown(openUntil),
        retryAfterUntil: shown(retryAfterUntil),
      }
      collected.push({
        url,
        state: { ...state, ...times },
        waiting,
        retryWindowMs: limits?.retryWindowMs ?? retryWindowMs,
      })
    }
    return collected
  }

  /**
   * Whether the destination works again: its last attempt succeeded, and none has failed for a while. The order within a minute
   * comes from the recent attempts on all nodes, because statistics store only the minute of a result. After a restart, only the
   * minutes are known: if they are the same, the destination has recovered if nothing is pending.
   */
  async #hasRecovered(
    id: string,
    results: DestinationFacts['results'],
    pending: number,
  ): Promise<boolean> {
    // Only results that count as failing but include a delivery need the order, which requires a query to the other nodes.
    if (results === undefined || results.delivered === 0 || failingText(results) === undefined)
      return false
    const recent = await this.#deps.recentAttempts.of(id)
    const deliveredAt = recent.lastDeliveredAt ?? results.lastDeliveredAt ?? 0
    const failedAt = recent.lastFailedAt ?? results.lastFailedAt ?? 0
    const isQuiet = this.#deps.clock.wall() - failedAt >= THRESHOLDS.recoveredMs
    return isQuiet && (deliveredAt > failedAt || (deliveredAt === failedAt && pending === 0))
  }

  /** The counted deliveries that were lost; `undefined` if all have been replayed since. */
  async #lostOf(
    destinationId: string,
    state: 'expired' | 'rejected',
    counted: { readonly count: number; readonly firstAt: number } | undefined,
  ): Promise<DestinationFacts['expired']> {
    if (counted === undefined) return undefined
    // The count is part of the cache key: while few are lost, each new loss is read immediately, so the alert has the current
    // number.
    const known = Math.min(counted.count, MAX_LOST + 1)
    const { left, last } = await this.#lost.get(`${destinationId} ${state} ${known}`, async () => {
      const filter = { destinationId, state }
      const { data, nextCursor } = await this.#deps.deliveries.list(filter, { limit: MAX_LOST })
      const attempt = data[0]?.attempts.findLast(({ outcome }) => outcome === 'rejected')
      return { left: nextCursor === null ? data.length : Infinity, last: attempt?.class }
    })
    const count = Math.min(counted.count, left)
    if (count === 0) return undefined
    return { count, firstAt: counted.firstAt, ...(last !== undefined && { class: last }) }
  }

  /** The groups of failed deliveries. As in `#lostOf`, the first losses are read immediately. */
  #failuresOf(destinationId: string, rejected = 0): Promise<readonly FailureGroup[]> {
    return this.#failures.get(
      `${destinationId} ${Math.min(rejected, MAX_LOST + 1)}`,
      async () => (await this.#deps.reports.failures({ destinationId })).groups,
    )
  }

  #refused({ sources }: CatalogSnapshot): ProblemFacts['refused'] {
    const now = this.#deps.clock.wall()
    return this.#results
      .counts('rejected.')
      .flatMap(({ sourceId, name, count, firstAt, lastAt }) => {
        const reason = name as ProblemFacts['refused'][number]['reason']
        if (lastAt < now - THRESHOLDS.refusedMs) return []
        const source = sources.get(sourceId)
        // A deleted source, or one that has been enabled since.
        if (sourceId !== '' && source === undefined) return []
        if (reason === 'source_disabled' && source?.enabled) return []
        return { source: { id: sourceId, name: source?.name ?? '' }, reason, count, since: firstAt }
      })
  }

  #unlinked({ sources }: CatalogSnapshot): ProblemFacts['unlinked'] {
    return this.#results.counts('unlinked.').flatMap(({ sourceId, name, count }) => {
      const source = sources.get(sourceId)
      if (sourceId !== '' && source === undefined) return []
      const reason = name as ProblemFacts['unlinked'][number]['reason']
      return { source: { id: sourceId, name: source?.name ?? sourceId }, reason, count }
    })
  }

  async #missedBySyncs({ computations }: CatalogSnapshot): Promise<ProblemFacts['missedBySyncs']> {
    const syncs = await this.#syncs.get('', async () => [
      ...(await this.#deps.syncs.last()).values(),
    ])
    return syncs.flatMap(({ computationId, missed }) => {
      const computation = computations.get(computationId)
      if (computation === undefined || missed === 0) return []
      return { id: computationId, name: computation.name, count: missed }
    })
  }
}

interface LostDeliveries {
  /** How many lost deliveries have not been replayed; `Infinity` if not all are listed. */
  readonly left: number
  /** The class of the last rejected attempt of the newest lost delivery, if any. */
  readonly last: AttemptClass | undefined
}

const NOTHING: WaitingParts = {
  pending: 0,
  held: 0,
  oldestAt: undefined,
  firstDueAt: undefined,
  dueAt: undefined,
}

function countIn(
  waiting: readonly WaitingDeliveries[],
  id: string,
  state: WaitingDeliveries['state'],
): number {
  return waiting.find((each) => each.destinationId === id && each.state === state)?.count ?? 0
}

function isFailing(
  webhooks: readonly WebhookFacts[],
  results: DestinationFacts['results'],
): boolean {
  return (
    webhooks.some(({ state }) => state.breaker !== 'closed') || failingText(results) !== undefined
  )
}

/** Whether the settings of the destination may be a problem in themselves. */
function hasSettingsProblem(destination: Destination, retentionMs: number): boolean {
  const { enabled, paused, settings } = destination
  return (
    enabled &&
    (paused !== null ||
      longRetryWindowsOf(destination, retentionMs).length > 0 ||
      settings.webhooks.some(
        ({ paused: pause, auth }) =>
          pause !== undefined || (auth !== undefined && 'clientCertificate' in auth),
      ))
  )
}

/** The URLs of webhooks whose retry window is not shorter than retention, which may have been lowered later. */
function longRetryWindowsOf({ settings }: Destination, retentionMs: number): string[] {
  return settings.webhooks
    .filter(({ limits }) => (limits?.retryWindowMs ?? 0) >= retentionMs)
    .map(({ url }) => url)
}

/**
 * The lost deliveries. If the failures are complete, their number is an upper limit: the statistics count a delivery again when it
 * fails after a retry, and the failures do not.
 */
function atMost(
  lost: DestinationFacts['rejected'],
  failures: readonly FailureGroup[] | undefined,
): DestinationFacts['rejected'] {
  if (lost === undefined || failures?.every(({ isComplete }) => isComplete) !== true) return lost
  const count = failures.reduce((sum, group) => sum + group.count, 0)
  return count === 0 ? undefined : { ...lost, count: Math.min(lost.count, count) }
}

/** Caches values for 30 seconds. */
class Cache<T> {
  readonly #clock: Clock
  readonly #values = new Map<string, { readonly value: T; readonly at: number }>()
  #prunedAt = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async get(key: string, read: () => Promise<T>): Promise<T> {
    const now = this.#clock.now()
    const stored = this.#values.get(key)
    if (stored !== undefined && now - stored.at < TTL_MS) return stored.value
    if (now - this.#prunedAt >= TTL_MS) this.#prune(now)
    const value = await read()
    this.#values.set(key, { value, at: now })
    return value
  }

  #prune(now: number): void {
    this.#prunedAt = now
    for (const [key, { at }] of this.#values) if (now - at >= TTL_MS) this.#values.delete(key)
  }
}
