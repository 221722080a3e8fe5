import { EVENT_OUTCOMES, EVENT_TYPES, EVENT_WARNINGS } from '@hookline/protocol'
import Type from 'typebox'
import { destinationsOf } from '../../backend/catalog.ts'
import type { Subject, Suppressions } from '../../backend/deletions.ts'
import type { Deliveries, DeliveryHistory } from '../../backend/deliveries.ts'
import type { ArchivedEvent, Events, ListedEvent } from '../../backend/events.ts'
import { isSampled, remoteSpanIn } from '../../telemetry/trace-context.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { List, parseTimeRange } from '../api/list.ts'
import * as Schema from '../api/schema.ts'
import { DeliveryResponse, presentDelivery } from '../deliveries/deliveries.ts'
import { waitContexts, type WaitDeps } from '../deliveries/waiting.ts'
import { requireFound } from '../problems/problem.ts'
import { presentSuppression, SuppressionResponse } from '../suppressions.ts'
import { DecisionResponse, TRACE_FINDINGS, traceDecisions, traceFindings } from './trace.ts'

export const MAX_SUPPRESSIONS = 100

const eventFields = {
  id: Type.String(),
  sourceId: Schema.text('For a computed event: the id of the audience or computed trait.'),
  event: { ...Schema.anyObject, description: 'The call as received, validated and stamped.' },
  receivedAt: Schema.time,
  warnings: Type.Array(Type.Enum(EVENT_WARNINGS), { description: 'Warnings about the call.' }),
  duplicates: Schema.integer('The number of later calls with this messageId, which were dropped.'),
  lastDuplicateAt: Schema.nullable(Schema.timeOf('When the last duplicate arrived.')),
}

const outcomesField = Type.Object(
  Object.fromEntries(
    EVENT_OUTCOMES.map((outcome) => [outcome, Type.Optional(Type.Integer({ minimum: 1 }))]),
  ),
  {
    description:
      'The number of destinations with each outcome. retrying: an attempt failed, and another one will follow. pending: no attempt was recorded, or none since the last replay or retry. failed: rejected, expired or quarantined. declined: not delivered, for a recorded reason. A destination is not counted before its decision is recorded, or during its first attempt.',
  },
)

const EventResponse = Type.Object({ ...eventFields, outcomes: outcomesField }, { $id: 'Event' })

const TraceResponse = Type.Object({
  ...eventFields,
  source: Type.Object({
    id: Type.String(),
    name: Schema.nullable(Schema.text('null if the source was deleted.')),
  }),
  traceId: Schema.nullable(
    Schema.text('The id of its distributed trace (OpenTelemetry, W3C); null if it has none.'),
  ),
  traceUrl: Schema.nullable(
    Schema.text(
      'Link to the distributed trace; null if traceUrl is not set or the trace was not sampled.',
    ),
  ),
  findings: Type.Array(
    Type.Object({
      code: Type.Enum(Object.keys(TRACE_FINDINGS)),
      message: Type.String(),
      remedy: Type.String(),
    }),
    { description: 'Notes about the event itself, not about a destination.' },
  ),
  decisions: Type.Array(DecisionResponse),
  deliveries: Type.Array(Schema.ref(DeliveryResponse)),
})

const EventPage = Schema.page(Schema.ref(EventResponse), {
  suppressions: Type.Optional(
    Type.Array(Schema.ref(SuppressionResponse), {
      description: `With userId or anonymousId: the suppressions of this user, newest first, at most ${MAX_SUPPRESSIONS}.`,
    }),
  ),
})

const { viewer } = Schema.operationsTagged('Events')
const filters = {
  sourceId: Type.Optional(Schema.text('Only events from this source.')),
  messageId: Type.Optional(Schema.text('Only events with this messageId.')),
  type: Type.Optional(Schema.oneOf(EVENT_TYPES, `One of ${EVENT_TYPES.join(', ')}.`)),
  userId: Type.Optional(Schema.text('Only events from this user.')),
  anonymousId: Type.Optional(Schema.text('Only events from this anonymous user.')),
  event: Type.Optional(Schema.text('Only track events with this name.')),
  outcome: Type.Optional(
    Schema.oneOf(
      EVENT_OUTCOMES,
      `Only events with this outcome for a destination: ${EVENT_OUTCOMES.join(', ')}.`,
    ),
  ),
  text: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only events with this text, ignoring case.' }),
  ),
  ...Schema.timeRange,
}

const schemas = {
  list: {
    ...viewer('listEvents', 'Lists events, newest first'),
    isLongRead: true,
    description: Schema.SHORT_PAGES,
    querystring: Schema.strictObject({ ...Schema.listQuery, ...filters }),
    response: Schema.ok('A page of events.', EventPage),
  },
  get: {
    ...viewer('getEvent', 'Shows an event and its trace'),
    params: Schema.IdParams,
    response: Schema.ok('The event, its decisions and its deliveries.', TraceResponse),
  },
}

interface EventDeps extends WaitDeps {
  readonly events: Pick<Events, 'list' | 'find'>
  readonly deliveries: Pick<Deliveries, 'list'>
  readonly suppressions: Pick<Suppressions, 'find'>
  /** The setting: a URL with `{traceId}`. */
  readonly traceUrl: string | undefined
}

const list = new List<ListedEvent>('events', ({ outcomes, ...event }) => ({
  ...presentEvent(event),
  outcomes,
}))

/** `/events` and `/events/:id`: received events, and their traces. */
export function addEventRoutes(app: AdminApp, deps: EventDeps): void {
  const { events, suppressions } = deps

  app.get('/events', { schema: schemas.list }, async ({ query }) => {
    const { limit: _limit, cursor: _cursor, from: _from, to: _to, ...fields } = query
    const filter = { ...fields, ...parseTimeRange(query) }
    const page = await list.page(query, (request) => events.list(filter, request))
    const user = subjectOf(query)
    if (user === undefined) return page
    const { data } = await suppressions.find(user, MAX_SUPPRESSIONS)
    return { ...page, suppressions: data.map(presentSuppression) }
  })

  app.get('/events/:id', { schema: schemas.get }, async ({ params }) => {
    const event = requireFound(await events.find(params.id), NOT_FOUND)
    return traceOf(event, deps)
  })
}

const NOT_FOUND = 'No event has this id, or retention has removed it.'

/** The user that a query names. Calls that have both ids belong to the userId. */
export function subjectOf(query: {
  readonly userId?: string
  readonly anonymousId?: string
}): Subject | undefined {
  const { userId, anonymousId } = query
  if (userId !== undefined) return { kind: 'user', id: userId }
  return anonymousId === undefined ? undefined : { kind: 'anonymous', id: anonymousId }
}

async function traceOf(event: ArchivedEvent, deps: EventDeps): Promise<object> {
  const { catalog, deliveries } = deps
  const all = await allDeliveries(deliveries, event.id)
  const destinations = destinationsOf(event, catalog.current)
  // For a computed event, the audience or computed trait.
  const origins =
    event.origin === undefined ? catalog.current.sources : catalog.current.computations
  const source = { id: event.sourceId, name: origins.get(event.sourceId)?.name ?? null }
  const contextOf = await waitContexts(all, deps)
  const traced = all.map((delivery) => ({ delivery, context: contextOf(delivery) }))
  return {
    ...presentEvent(event),
    source,
    ...traceLinkOf(event, deps),
    findings: traceFindings(event, { source, destinations, deliveries: all }),
    decisions: traceDecisions(event, destinations, traced),
    deliveries: traced.map(({ delivery, context }) => presentDelivery(delivery, context)),
  }
}

function traceLinkOf(
  { traceContext }: ArchivedEvent,
  { traceUrl: template }: Pick<EventDeps, 'traceUrl'>,
): { readonly traceId: string | null; readonly traceUrl: string | null } {
  if (traceContext === undefined) return { traceId: null, traceUrl: null }
  const { traceId } = remoteSpanIn(traceContext)
  const isShown = template !== undefined && isSampled(traceContext)
  return { traceId, traceUrl: isShown ? template.replaceAll('{traceId}', traceId) : null }
}

async function allDeliveries(
  deliveries: EventDeps['deliveries'],
  eventId: string,
): Promise<DeliveryHistory[]> {
  const all: DeliveryHistory[] = []
  let cursor: string | null | undefined
  do {
    const page = await deliveries.list({ eventId }, { limit: 200, ...(cursor && { cursor }) })
    all.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null)
  return all
}

function presentEvent(archived: ArchivedEvent): object {
  const { id, sourceId, event, warnings, duplicates } = archived
  const lastDuplicateAt = Schema.timeOrNull(archived.lastDuplicateAt)
  const { receivedAt } = event
  return { id, sourceId, event, receivedAt, warnings, duplicates, lastDuplicateAt }
}
