import { type CatalogSnapshot, destinationsOf } from '../../backend/catalog.ts'
import type { Subject } from '../../backend/deletions.ts'
import type { DeliveryHistory, Deliveries } from '../../backend/deliveries.ts'
import type { ArchivedEvent, ListedEvent } from '../../backend/events.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { presentDelivery } from '../deliveries/delivery-schema.ts'
import { presentSuppression } from '../deletions/suppression-schema.ts'
import { eventSchemas, MAX_SUPPRESSIONS, presentEvent, presentListedEvent } from './event-schema.ts'
import { List } from '../api/list.ts'
import { Problem } from '../problems/problem.ts'
import { parseTimeRange } from '../api/time-range.ts'
import { waitContexts } from '../deliveries/waiting.ts'
import { traceDecisions } from './trace.ts'
import { traceFindings } from './trace-findings.ts'

const list = new List<ListedEvent>('events', presentListedEvent)

/** `/events` and `/events/:id`: received events, and their traces. */
export function addEventRoutes(app: AdminApp, deps: AdminDeps): void {
  const { events, suppressions } = deps

  app.get('/events', { schema: eventSchemas.list }, async ({ query }) => {
    const { limit: _limit, cursor: _cursor, from: _from, to: _to, ...fields } = query
    const filter = { ...fields, ...parseTimeRange(query) }
    const page = await list.page(query, (wanted) => events.list(filter, wanted))
    const { userId, anonymousId } = query
    if (userId === undefined && anonymousId === undefined) return page
    // Calls that have both ids belong to the user.
    const user: Subject =
      userId === undefined ? { kind: 'anonymous', id: anonymousId! } : { kind: 'user', id: userId }
    const { data } = await suppressions.find(user, MAX_SUPPRESSIONS)
    return { ...page, suppressions: data.map(presentSuppression) }
  })

  app.get('/events/:id', { schema: eventSchemas.get }, async ({ params }) => {
    const event = await events.find(params.id)
    if (event === undefined) {
      throw new Problem('not_found', {
        detail: 'No event has this id, or retention has removed it.',
      })
    }
    return traceOf(event, deps)
  })
}

async function traceOf(event: ArchivedEvent, deps: AdminDeps): Promise<object> {
  const { catalog, deliveries } = deps
  const made = await allDeliveries(deliveries, event.id)
  const destinations = destinationsOf(event, catalog.current)
  const source = sourceOf(event, catalog.current)
  const contextOf = await waitContexts(made, deps)
  const traced = made.map((delivery) => ({ delivery, context: contextOf(delivery) }))
  return {
    ...presentEvent(event),
    source,
    findings: traceFindings(event, { source, destinations, deliveries: made }),
    decisions: traceDecisions(event, destinations, traced),
    deliveries: traced.map(({ delivery, context }) => presentDelivery(delivery, context)),
  }
}

/** The source of the event; for a computed event, the audience or computed trait. */
function sourceOf(
  { sourceId: id, origin }: ArchivedEvent,
  { sources, computations }: CatalogSnapshot,
): { readonly id: string; readonly name: string | null } {
  const { name = null } = (origin === undefined ? sources : computations).get(id) ?? {}
  return { id, name }
}

async function allDeliveries(deliveries: Deliveries, eventId: string): Promise<DeliveryHistory[]> {
  const found: DeliveryHistory[] = []
  let cursor: string | null | undefined
  do {
    const page = await deliveries.list({ eventId }, { limit: 200, ...(cursor && { cursor }) })
    found.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
}
