import { BUILT_IN_SOURCE_ID, isId } from '@hookline/protocol'
import type { ManagementApi } from './management-api.ts'
import type { Trace, TracedDelivery } from './trace.ts'

interface KnownDestination {
  readonly id: string
  readonly sourceId: string
  readonly createdAt: string
}

/**
 * Checks that each event has either one delivery or a reason not to deliver for each destination that its source had, that
 * each delivery has an event, and that each accepted call is an event or a duplicate. Returns a message for each violation.
 */
export async function imbalances(
  api: ManagementApi,
  acceptedCalls: number | undefined,
): Promise<string[]> {
  const destinations = await api.listAll<KnownDestination>('destinations')
  const deliveries = await api.listAll<TracedDelivery>('deliveries')
  const traces: Trace[] = []
  for (const { id } of await api.listAll<{ id: string }>('events')) {
    traces.push(await api.call<Trace>('GET', `events/${id}`))
  }
  const delivered = traces.flatMap((trace) => trace.deliveries)
  // Computed events and alerts do not come from calls.
  const called = traces.filter(
    ({ sourceId }) => isId('src', sourceId) && sourceId !== BUILT_IN_SOURCE_ID,
  )
  const calls = called.reduce((sum, { duplicates }) => sum + 1 + duplicates, 0)
  return [
    ...traces.flatMap((trace) => unbalanced(trace, destinations)),
    ...difference('deliveries with an event', delivered.length, deliveries.length),
    ...(acceptedCalls === undefined ? [] : difference('calls kept', calls, acceptedCalls)),
  ]
}

function unbalanced(trace: Trace, destinations: readonly KnownDestination[]): string[] {
  const ended = trace.deliveries.map(({ destinationId }) => destinationId)
  const declined = trace.decisions.filter(({ decision }) => decision === 'declined')
  const decided = [...ended, ...declined.map(({ destinationId }) => destinationId)]
  const expected = destinations
    .filter(
      ({ sourceId, createdAt }) => sourceId === trace.sourceId && createdAt <= trace.receivedAt,
    )
    .map(({ id }) => id)
  return [...new Set([...expected, ...decided])]
    .map((id) => [id, decided.filter((each) => each === id).length] as const)
    .filter(([, count]) => count !== 1)
    .map(([id, count]) => `${trace.id} has ${count} decisions and deliveries for ${id}`)
}

function difference(what: string, found: number, expected: number): string[] {
  return found === expected ? [] : [`${what}: ${found} of ${expected}`]
}
