import type { Destination } from '@hookline/protocol'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import type { DestinationCount } from '../../telemetry/destination-counts.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { labelOf, webhookName } from '../../telemetry/names.ts'

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
  setOthers(metrics, destinationCounts.others)
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

function setOthers({ ofDestinations }: Metrics, { attempts, ended }: DestinationCount): void {
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
