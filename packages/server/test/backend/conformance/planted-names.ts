import type { AcceptedEvent } from '@hookline/protocol'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { newSource } from '@hookline/testing/records/catalog-records'
import { EventNameCounts } from '../../../src/activity/event-name-counts.ts'
import type { Backend } from '../../../src/backend/backend.ts'

/** Adds the names of events, without the worker. */
export async function countNames(
  { eventNames }: Pick<Backend, 'eventNames'>,
  events: readonly AcceptedEvent[],
): Promise<void> {
  const counts = new EventNameCounts()
  for (const event of events) counts.add(event)
  const { through, purges } = await eventNames.state()
  await eventNames.add({ after: through, through: through + 1, purges, names: counts.changes() })
}

/** Counts an event from u1 with the planted value as its name and as the name of a property, and an event from u3. */
export async function plantNames(backend: Backend, planted: string): Promise<void> {
  await backend.catalog.putSource(newSource())
  await countNames(backend, [
    acceptedEvent({ event: planted, properties: { [planted]: 1 } }),
    acceptedEvent({ event: 'other', userId: 'u3', properties: { other: 1 } }),
  ])
}
