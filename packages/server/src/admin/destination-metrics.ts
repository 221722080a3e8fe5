import type { Destination, LaneState, WebhookState } from '@hookline/protocol'
import type { Catalog, CatalogSnapshot } from '../backend/catalog.ts'
import type { DeliveryReports, WaitingParts, WebhookLanes } from '../backend/deliveries.ts'
import type { Upkeep, WaitingDeliveries } from '../backend/upkeep.ts'
import type { DestinationCount } from '../telemetry/destination-counts.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { labelOf, webhookName } from '../telemetry/names.ts'
import type { Clock } from '../util/time/clock.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import { pauseReason, type WaitReason } from './deliveries/waiting.ts'

interface Deps {
  readonly catalog: Pick<Catalog, 'current'>
  readonly upkeep: Pick<Upkeep, 'backlog'>
  readonly reports: Pick<DeliveryReports, 'waitingIn'>
  readonly lanes: Pick<WebhookLanes, 'states'>
  readonly clock: Clock
}

/**
 * Sets the metrics that have a `destination` label, before each scrape: what waits for each webhook, since when, why, and
 * when it is tried next (spec 03 §Breaker), and what was counted. The gauges are of the destinations for which most waits.
 * A webhook for which nothing waits and that nothing blocks has none.
 */
export function reportDestinations(metrics: Metrics, deps: Deps): void {
  metrics.beforeScrape(async () => {
    const { waiting } = await deps.upkeep.backlog()
    const all = byWaiting([...deps.catalog.current.destinations.values()], waiting)
    const { maxDestinations } = metrics.destinationCounts
    const first = all.slice(0, maxDestinations)
    const states = await deps.lanes.states(first.map(({ id }) => id))
    const shown: Gauges[] = []
    const slices = new TimeSlices(deps.clock)
    for (const destination of first) {
      await slices.yieldIfOver()
      shown.push(...(await gaugesOf(destination, states.get(destination.id) ?? [], deps)))
    }
    setGauges(metrics, shown)
    setOtherGauges(metrics, waiting, new Set(all.slice(maxDestinations).map(({ id }) => id)))
    const counted = setCounters(metrics, deps.catalog.current)
    setInfo(metrics, deps.catalog.current, [...counted, ...shown.map(({ of }) => of.destination)])
  })
}

/** What the gauges show of one webhook. */
interface Gauges {
  /** Its labels. */
  readonly of: { readonly destination: string; readonly webhook: string }
  readonly part: WaitingParts
  /** Why it gets nothing now. */
  readonly blocked: WaitReason | undefined
  readonly inFlight: number
  readonly oldestSeconds: number | undefined
  readonly nextSeconds: number | undefined
}

function byWaiting(
  destinations: readonly Destination[],
  waiting: readonly WaitingDeliveries[],
): readonly Destination[] {
  const counts = new Map<string, number>()
  for (const { destinationId, count } of waiting)
    counts.set(destinationId, (counts.get(destinationId) ?? 0) + count)
  const countOf = ({ id }: Destination): number => counts.get(id) ?? 0
  return destinations.toSorted((a, b) => countOf(b) - countOf(a))
}

function gaugesOf(
  destination: Destination,
  states: readonly LaneState[],
  { clock, reports }: Deps,
): Promise<Gauges[]> {
  const { id } = destination
  return Promise.all(
    states.map(async (state) => {
      const { url } = state
      const part = await reports.waitingIn({ destinationId: id, url })
      const nextAt = nextAttemptAt(destination, state, part)
      return {
        of: { destination: id, webhook: webhookName(url, destination) },
        part,
        blocked: blockOf(destination, state, part),
        inFlight: state.inFlight,
        oldestSeconds: part.oldestAt && Math.max(0, (clock.wall() - part.oldestAt) / 1000),
        nextSeconds: nextAt && Math.max(0, (nextAt - clock.now()) / 1000),
      }
    }),
  )
}

function blockOf(
  destination: Destination,
  state: WebhookState,
  { pending, held }: WaitingParts,
): WaitReason | undefined {
  const pause = pauseReason(destination, state.url)
  // Being off is how a destination begins, and no fault of it.
  if (pause === 'destination_disabled' && pending + held === 0) return undefined
  if (pause !== undefined) return pause
  if (state.retryAfterUntil !== null) return 'retry_after'
  return state.brokenSince === null ? undefined : 'breaker_open'
}

/** `undefined` while nothing waits, or until a person ends the cause. */
function nextAttemptAt(
  destination: Destination,
  { url, restsUntil, retryAfterUntil }: WebhookState,
  { dueAt }: WaitingParts,
): number | undefined {
  if (dueAt === undefined || pauseReason(destination, url) !== undefined) return undefined
  return Math.max(dueAt, restsUntil ?? 0, retryAfterUntil ?? 0)
}

function setGauges(metrics: Metrics, webhooks: readonly Gauges[]): void {
  const { waiting, oldest, next, blocked, inFlight } = metrics.ofDestinations
  for (const gauge of [waiting, oldest, next, blocked, inFlight]) gauge.reset()
  for (const each of webhooks) {
    for (const state of ['pending', 'held'] as const)
      if (each.part[state] > 0) waiting.set({ ...each.of, state }, each.part[state])
    if (each.blocked !== undefined) blocked.set({ ...each.of, reason: each.blocked }, 1)
    if (each.inFlight > 0) inFlight.set(each.of, each.inFlight)
    if (each.oldestSeconds !== undefined) oldest.set(each.of, each.oldestSeconds)
    if (each.nextSeconds !== undefined) next.set(each.of, each.nextSeconds)
  }
}

/** What waits for destinations without series of their own. */
function setOtherGauges(
  { ofDestinations }: Metrics,
  waiting: readonly WaitingDeliveries[],
  others: ReadonlySet<string>,
): void {
  for (const { destinationId, state, count } of waiting)
    if (others.has(destinationId) && (state === 'pending' || state === 'held'))
      ofDestinations.waiting.inc({ destination: 'other', webhook: 'other', state }, count)
}

const OUTCOMES = ['delivered', 'retry', 'rejected'] as const
const END_STATES = ['delivered', 'rejected', 'expired'] as const

/** Sets the counters by destination to what was counted. Returns the ids of the destinations that have their own. */
export function setCounters(metrics: Metrics, { destinations }: CatalogSnapshot): string[] {
  const { ofDestinations, destinationCounts } = metrics
  ofDestinations.attempts.reset()
  ofDestinations.ended.reset()
  const urlsById = new Map([...destinations].map(([id, destination]) => [id, urlsOf(destination)]))
  const counts = destinationCounts.of(urlsById)
  for (const [id, count] of counts) setCount(metrics, destinations.get(id)!, count)
  setOtherCounts(metrics, destinationCounts.others)
  return [...counts.keys()]
}

function urlsOf({ settings }: Destination): ReadonlySet<string> {
  return new Set(settings.webhooks.map(({ url }) => url))
}

function setCount(
  { ofDestinations }: Metrics,
  destination: Destination,
  { attempts, ended }: DestinationCount,
): void {
  const { id } = destination
  for (const url of urlsOf(destination)) {
    const of = { destination: id, webhook: webhookName(url, destination) }
    for (const outcome of OUTCOMES)
      ofDestinations.attempts.inc({ ...of, outcome }, attempts.get(url)?.get(outcome) ?? 0)
  }
  for (const state of END_STATES)
    ofDestinations.ended.inc({ destination: id, state }, ended.get(state) ?? 0)
}

function setOtherCounts({ ofDestinations }: Metrics, { attempts, ended }: DestinationCount): void {
  const other = { destination: 'other', webhook: 'other' }
  for (const outcomes of attempts.values())
    for (const [outcome, count] of outcomes)
      ofDestinations.attempts.inc({ ...other, outcome }, count)
  for (const [state, count] of ended)
    ofDestinations.ended.inc({ destination: 'other', state }, count)
}

/** Sets the names of these destinations. A renamed destination keeps its series, which have only its id. */
export function setInfo(
  { ofDestinations }: Metrics,
  { destinations, sources }: CatalogSnapshot,
  ids: Iterable<string>,
): void {
  ofDestinations.info.reset()
  for (const destination of new Set(ids)) {
    const found = destinations.get(destination)
    if (found === undefined) continue
    const name = labelOf(found.name)
    const source = labelOf(sources.get(found.sourceId)?.name ?? found.sourceId)
    ofDestinations.info.set({ destination, name, source }, 1)
  }
}
