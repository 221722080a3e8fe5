import {
  ATTEMPT_OUTCOMES,
  type Destination,
  type LaneState,
  type WebhookState,
} from '@hookline/protocol'
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
 * Sets the metrics with a `destination` label before each scrape: counters, and gauges for the backlog, the reason it is blocked,
 * and the next attempt. Gauges cover the destinations with the largest backlog; idle webhooks have none.
 */
export function reportDestinations(metrics: Metrics, deps: Deps): void {
  metrics.beforeScrape(async () => {
    const { waiting } = await deps.upkeep.backlog()
    const all = byBacklog([...deps.catalog.current.destinations.values()], waiting)
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
    setInfo(metrics, deps.catalog.current, [
      ...counted,
      ...shown.map(({ labels }) => labels.destination),
    ])
  })
}

interface Gauges {
  readonly labels: { readonly destination: string; readonly webhook: string }
  readonly part: WaitingParts
  readonly blocked: WaitReason | undefined
  readonly inFlight: number
  readonly oldestSeconds: number | undefined
  readonly nextSeconds: number | undefined
}

/** The destinations with the largest backlog first. */
function byBacklog(
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
        labels: { destination: id, webhook: webhookName(url, destination) },
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
  // A new destination is disabled, and blocks nothing.
  if (pause === 'destination_disabled' && pending + held === 0) return undefined
  if (pause !== undefined) return pause
  if (state.retryAfterUntil !== null) return 'retry_after'
  return state.brokenSince === null ? undefined : 'breaker_open'
}

/** `undefined` without a backlog, or during a pause. */
function nextAttemptAt(
  destination: Destination,
  { url, openUntil, retryAfterUntil }: WebhookState,
  { dueAt }: WaitingParts,
): number | undefined {
  if (dueAt === undefined || pauseReason(destination, url) !== undefined) return undefined
  return Math.max(dueAt, openUntil ?? 0, retryAfterUntil ?? 0)
}

function setGauges(metrics: Metrics, webhooks: readonly Gauges[]): void {
  const { waiting, oldest, next, blocked, inFlight } = metrics.perDestination
  for (const gauge of [waiting, oldest, next, blocked, inFlight]) gauge.reset()
  for (const { labels, ...each } of webhooks) {
    for (const state of ['pending', 'held'] as const)
      if (each.part[state] > 0) waiting.set({ ...labels, state }, each.part[state])
    if (each.blocked !== undefined) blocked.set({ ...labels, reason: each.blocked }, 1)
    if (each.inFlight > 0) inFlight.set(labels, each.inFlight)
    if (each.oldestSeconds !== undefined) oldest.set(labels, each.oldestSeconds)
    if (each.nextSeconds !== undefined) next.set(labels, each.nextSeconds)
  }
}

/** The backlog of all other destinations. */
function setOtherGauges(
  { perDestination }: Metrics,
  waiting: readonly WaitingDeliveries[],
  others: ReadonlySet<string>,
): void {
  for (const { destinationId, state, count } of waiting)
    if (others.has(destinationId) && (state === 'pending' || state === 'held'))
      perDestination.waiting.inc({ destination: 'other', webhook: 'other', state }, count)
}

const END_STATES = ['delivered', 'declined', 'rejected', 'expired'] as const

/** Sets the counters by destination. Returns the ids of the destinations with their own series. */
export function setCounters(metrics: Metrics, { destinations }: CatalogSnapshot): string[] {
  const { perDestination, destinationCounts } = metrics
  perDestination.attempts.reset()
  perDestination.ended.reset()
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
  { perDestination }: Metrics,
  destination: Destination,
  { attempts, ended }: DestinationCount,
): void {
  const { id } = destination
  for (const url of urlsOf(destination)) {
    const of = { destination: id, webhook: webhookName(url, destination) }
    for (const outcome of ATTEMPT_OUTCOMES)
      perDestination.attempts.inc({ ...of, outcome }, attempts.get(url)?.get(outcome) ?? 0)
  }
  for (const state of END_STATES)
    perDestination.ended.inc({ destination: id, state }, ended.get(state) ?? 0)
}

function setOtherCounts({ perDestination }: Metrics, { attempts, ended }: DestinationCount): void {
  const other = { destination: 'other', webhook: 'other' }
  for (const outcomes of attempts.values())
    for (const [outcome, count] of outcomes)
      perDestination.attempts.inc({ ...other, outcome }, count)
  for (const [state, count] of ended)
    perDestination.ended.inc({ destination: 'other', state }, count)
}

/** Sets the info series, so that a renamed destination keeps its other series. */
export function setInfo(
  { perDestination }: Metrics,
  { destinations, sources }: CatalogSnapshot,
  ids: Iterable<string>,
): void {
  perDestination.info.reset()
  for (const destination of new Set(ids)) {
    const found = destinations.get(destination)
    if (found === undefined) continue
    const name = labelOf(found.name)
    const source = labelOf(sources.get(found.sourceId)?.name ?? found.sourceId)
    perDestination.info.set({ destination, name, source }, 1)
  }
}
