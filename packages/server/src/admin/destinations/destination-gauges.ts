import type { Destination, WebhookState } from '@hookline/protocol'
import type { WaitingParts } from '../../backend/deliveries.ts'
import type { WaitingDeliveries } from '../../backend/upkeep.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { pauseReason, type WaitReason } from '../deliveries/waiting.ts'

type Deps = Pick<AdminDeps, 'catalog' | 'upkeep' | 'reports' | 'clock'> & {
  readonly destinationHealth: Pick<AdminDeps['destinationHealth'], 'webhooks'>
}

/** The destinations that the metrics show: those for which most deliveries wait. Each makes several series. */
const MOST_DESTINATIONS = 1_000
/** Destinations that are read in one turn of the event loop. */
const A_TURN = 16

/**
 * Sets the gauges that have a `destination` label, before each scrape: what waits for each destination, since when, why,
 * and when it is tried next (spec 03 §Breaker). Destinations for which nothing waits and that nothing blocks have none.
 */
export function reportDestinations(metrics: Metrics, deps: Deps): void {
  metrics.beforeScrape(async () => {
    const { waiting } = await deps.upkeep.backlog()
    const destinations = [...deps.catalog.current.destinations.values()]
    const shown: Gauges[] = []
    for (const [index, destination] of busiest(destinations, waiting).entries()) {
      if (index % A_TURN === A_TURN - 1) await deps.clock.turn()
      shown.push(await gaugesOf(destination, deps))
    }
    setAll(metrics, shown)
  })
}

/** What the gauges show of one destination. */
interface Gauges {
  readonly id: string
  readonly parts: readonly WaitingParts[]
  /** Why its webhooks get nothing now; one entry for each webhook that is blocked. */
  readonly blocked: readonly WaitReason[]
  readonly oldestSeconds: number | undefined
  readonly nextSeconds: number | undefined
}

function busiest(
  destinations: readonly Destination[],
  waiting: readonly WaitingDeliveries[],
): readonly Destination[] {
  const counts = new Map<string, number>()
  for (const { destinationId, count } of waiting)
    counts.set(destinationId, (counts.get(destinationId) ?? 0) + count)
  const countOf = ({ id }: Destination): number => counts.get(id) ?? 0
  return destinations.toSorted((a, b) => countOf(b) - countOf(a)).slice(0, MOST_DESTINATIONS)
}

async function gaugesOf(destination: Destination, deps: Deps): Promise<Gauges> {
  const { id } = destination
  const states = deps.destinationHealth.webhooks(destination)
  const parts = await Promise.all(
    states.map(({ url }) => deps.reports.waitingIn({ destinationId: id, url })),
  )
  const oldest = parts.flatMap(({ oldestAt }) => oldestAt ?? [])
  const next = parts.flatMap(
    (part, index) => nextAttemptAt(destination, states[index]!, part) ?? [],
  )
  const seconds = (ms: number): number | undefined =>
    Number.isFinite(ms) ? Math.max(0, ms / 1000) : undefined
  return {
    id,
    parts,
    blocked: states.flatMap((state, index) => blockOf(destination, state, parts[index]!) ?? []),
    oldestSeconds: seconds(deps.clock.wall() - Math.min(...oldest)),
    nextSeconds: seconds(Math.min(...next) - deps.clock.now()),
  }
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

function setAll(metrics: Metrics, destinations: readonly Gauges[]): void {
  const { waiting, oldest, next, blocked } = metrics.ofDestinations
  for (const gauge of [waiting, oldest, next, blocked]) gauge.reset()
  for (const each of destinations) {
    const { id: destination, parts, oldestSeconds, nextSeconds } = each
    for (const state of ['pending', 'held'] as const) {
      const count = parts.reduce((sum, part) => sum + part[state], 0)
      if (count > 0) waiting.set({ destination, state }, count)
    }
    for (const reason of each.blocked) blocked.inc({ destination, reason })
    if (oldestSeconds !== undefined) oldest.set({ destination }, oldestSeconds)
    if (nextSeconds !== undefined) next.set({ destination }, nextSeconds)
  }
}
